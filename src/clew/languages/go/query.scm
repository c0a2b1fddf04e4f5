; Captures as in python/query.scm. A declaration of one thing is taken whole, of those in brackets each by itself.

(source_file (package_clause) @documented)
(package_clause (package_identifier) @package)

(function_declaration name: (identifier) @name body: (block)? @body) @function
(method_declaration
  receiver: (parameter_list (parameter_declaration type: (_) @receiver))
  name: (field_identifier) @name
  body: (block)? @body) @method
((type_declaration [
  (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body))
  (type_spec name: (_) @name type: [
    (type_identifier) (qualified_type) (generic_type) (pointer_type) (slice_type) (array_type) (map_type)
    (channel_type) (function_type) (parenthesized_type)])
  (type_alias name: (_) @name)]) @class
  (#not-match? @class "^type\\s*\\("))
(type_declaration "(" [
  (type_spec name: (_) @name type: (struct_type (field_declaration_list) @body))
  (type_spec name: (_) @name type: [
    (type_identifier) (qualified_type) (generic_type) (pointer_type) (slice_type) (array_type) (map_type)
    (channel_type) (function_type) (parenthesized_type)])
  (type_alias name: (_) @name)] @class)
((type_declaration (type_spec name: (_) @name type: (interface_type "{" @body))) @interface
  (#not-match? @interface "^type\\s*\\("))
(type_declaration "(" (type_spec name: (_) @name type: (interface_type "{" @body)) @interface)
(method_elem name: (field_identifier) @name) @method
(short_var_declaration
  left: (expression_list . (identifier) @name .)
  right: (expression_list . (func_literal body: (block) @body) .)) @function
(var_declaration (var_spec
  name: (identifier) @name
  value: (expression_list . (func_literal body: (block) @body) .))) @function
(var_spec_list (var_spec
  name: (identifier) @name
  value: (expression_list . (func_literal body: (block) @body) .)) @function)
((source_file (var_declaration (var_spec (identifier) @name)) @variable) (#not-eq? @name "_"))
((source_file (var_declaration (var_spec_list (var_spec (identifier) @name) @variable))) (#not-eq? @name "_"))
((source_file (const_declaration (const_spec (identifier) @name)) @variable)
  (#not-eq? @name "_") (#not-match? @variable "^const\\s*\\("))
((source_file (const_declaration "(" (const_spec (identifier) @name) @variable)) (#not-eq? @name "_"))

; What is embedded gives its members, and so does what an alias names.
(field_declaration !name type: [(type_identifier) (qualified_type) (generic_type)] @base)
(field_declaration !name type: (type_identifier) @typed @type)
(field_declaration !name type: (qualified_type name: (type_identifier) @typed) @type)
(field_declaration !name type: (generic_type type: (type_identifier) @typed) @type)
(interface_type (type_elem . [(type_identifier) (qualified_type) (generic_type)] @base .))
(type_alias type: [(type_identifier) (qualified_type) (generic_type)] @base)
; `var _ Store = (*disk)(nil)`: that a type implements an interface.
((var_spec name: (identifier) @_name
  type: [(type_identifier) (qualified_type) (generic_type)] @asserted
  value: (expression_list . (_) @value .))
  (#eq? @_name "_"))
(type_spec type: [
  (slice_type element: (_) @element)
  (array_type element: (_) @element)
  (map_type value: (_) @element)
  (channel_type value: (_) @element)])
(type_parameter_declaration name: (identifier) @generic)
((type_parameter_declaration name: (identifier) @generic type: (type_constraint . (_) @bound .))
  (#not-eq? @bound "comparable"))

(function_declaration parameters: (parameter_list (_ name: (identifier) @param)))
(method_declaration parameters: (parameter_list (_ name: (identifier) @param)))
(method_elem parameters: (parameter_list (_ name: (identifier) @param)))
(short_var_declaration
  left: (expression_list . (identifier) .)
  right: (expression_list . (func_literal parameters: (parameter_list (_ name: (identifier) @param))) .))
(var_spec value: (expression_list . (func_literal parameters: (parameter_list (_ name: (identifier) @param))) .))
(parameter_declaration name: (identifier) @typed type: (_) @type)
(variadic_parameter_declaration name: (identifier) @typed "..." @type type: (_) @type)
(type_spec type: (struct_type
  (field_declaration_list (field_declaration name: (field_identifier) @typed type: (_) @type))))
(var_spec name: (identifier) @typed type: (_) @type)
(const_spec (identifier) @typed type: (_) @type)
(type_switch_statement alias: (expression_list (identifier) @typed) (type_case type: (_) @type))
(type_switch_statement alias: (expression_list (identifier) @assigned) value: (_) @value)

; The first of several results is what a function gives; those at its side are mostly errors.
(function_declaration result: [
  (parameter_list . (parameter_declaration type: (_) @result))
  (type_identifier) @result (qualified_type) @result (generic_type) @result (pointer_type) @result
  (slice_type) @result (array_type) @result (map_type) @result (channel_type) @result])
(method_declaration result: [
  (parameter_list . (parameter_declaration type: (_) @result))
  (type_identifier) @result (qualified_type) @result (generic_type) @result (pointer_type) @result
  (slice_type) @result (array_type) @result (map_type) @result (channel_type) @result])
(method_elem result: [
  (parameter_list . (parameter_declaration type: (_) @result))
  (type_identifier) @result (qualified_type) @result (generic_type) @result (pointer_type) @result
  (slice_type) @result (array_type) @result (map_type) @result (channel_type) @result])
(function_declaration result: (parameter_list) @results)
(method_declaration result: (parameter_list) @results)
(method_elem result: (parameter_list) @results)
(return_statement (expression_list
  . [(identifier) (selector_expression) (call_expression) (composite_literal) (unary_expression)] @returned))

(short_var_declaration
  left: (expression_list . (identifier) @assigned)
  right: (expression_list
    . [(identifier) (selector_expression) (call_expression) (index_expression) (unary_expression)
       (type_conversion_expression) (parenthesized_expression)] @value))
(short_var_declaration
  left: (expression_list . (_) . (identifier) @assigned)
  right: (expression_list
    . (_)
    . [(identifier) (selector_expression) (call_expression) (index_expression) (unary_expression)] @value))
(assignment_statement
  left: (expression_list . (identifier) @reassigned)
  operator: "="
  right: (expression_list
    . [(identifier) (selector_expression) (call_expression) (index_expression) (unary_expression)] @value))
(short_var_declaration
  left: (expression_list . (_) . (identifier) @second) right: (expression_list . (call_expression) @value .))
(short_var_declaration
  left: (expression_list . (_) . (_) . (identifier) @third) right: (expression_list . (call_expression) @value .))
(var_spec
  . name: (identifier) @assigned
  value: (expression_list
    . [(identifier) (selector_expression) (call_expression) (index_expression) (unary_expression)
       (type_conversion_expression) (parenthesized_expression)] @value))
(const_spec . name: (identifier) @assigned value: (expression_list . [(identifier) (selector_expression)] @value))
(range_clause left: (expression_list (_) . (identifier) @each .) right: (_) @of)
(short_var_declaration
  left: (expression_list . (identifier) @each)
  right: (expression_list . (unary_expression operator: "<-" operand: (_) @of)))
(receive_statement
  left: (expression_list . (identifier) @each)
  right: (unary_expression operator: "<-" operand: (_) @of))

; What a table of functions holds.
([(var_spec
    . name: (identifier) @put
    value: (expression_list . (composite_literal
      type: [(map_type value: [(function_type) (type_identifier)]) (slice_type element: (function_type))]
      body: (literal_value [
        (keyed_element (_) . (literal_element (identifier) @value)) (literal_element (identifier) @value)]))))
  (short_var_declaration
    left: (expression_list . (identifier) @put)
    right: (expression_list . (composite_literal
      type: [(map_type value: [(function_type) (type_identifier)]) (slice_type element: (function_type))]
      body: (literal_value [
        (keyed_element (_) . (literal_element (identifier) @value)) (literal_element (identifier) @value)]))))]
  (#not-any-of? @value "true" "false" "nil"))

; A literal may be long; its type is all that counts.
(short_var_declaration
  left: (expression_list . (identifier) @typed)
  right: (expression_list . [
    (composite_literal type: (_) @type)
    (unary_expression operand: (composite_literal type: (_) @type))
    (type_assertion_expression type: (_) @type)]))
(var_spec
  . name: (identifier) @typed
  value: (expression_list . [
    (composite_literal type: (_) @type)
    (unary_expression operand: (composite_literal type: (_) @type))]))
((short_var_declaration
  left: (expression_list . (identifier) @typed)
  right: (expression_list . (call_expression
    function: (identifier) @_makes
    arguments: (argument_list . (_) @type))))
  (#any-of? @_makes "make" "new"))

[(block) (if_statement) (for_statement) (type_case) (expression_case) (default_case) (communication_case)
 (type_switch_statement) (expression_switch_statement) (func_literal)] @part

(import_spec !name path: (_) @import)
(import_spec name: [(package_identifier) (blank_identifier)] @import.alias path: (_) @import)
(import_spec name: (dot) @import.star path: (_) @import)

(call_expression function: [(identifier) (selector_expression) (call_expression)] @call arguments: (_) @call.args)
((call_expression
  function: (index_expression operand: [(identifier) (selector_expression)] @call index: (_) @_type) arguments: (_) @call.args)
  (#match? @_type "^([A-Z*\\[(]|(u?int|float|complex)\\d*$|(string|bool|byte|rune|any|error|uintptr)$|(map|func|chan|struct|interface)\\b|\\w+\\.[A-Z]\\w*$)"))
((call_expression
  function: (index_expression operand: [(identifier) (selector_expression)] index: (_) @_key) @call arguments: (_) @call.args)
  (#not-match? @_key "^([A-Z*\\[(]|(u?int|float|complex)\\d*$|(string|bool|byte|rune|any|error|uintptr)$|(map|func|chan|struct|interface)\\b|\\w+\\.[A-Z]\\w*$)"))
(call_expression
  function: (parenthesized_expression [
    (identifier) @call
    (selector_expression) @call
    (unary_expression operator: "*" operand: [
      (identifier) @call
      (selector_expression) @call
      (unary_expression operator: "*" operand: [(identifier) (selector_expression)] @call)])])
  arguments: (_) @call.args)
(type_conversion_expression type: [
  (generic_type type: (_) @call)
  (parenthesized_type [(generic_type type: (_) @call) (pointer_type (generic_type type: (_) @call))])])
(composite_literal type: [
  (type_identifier) @call.new
  (qualified_type) @call.new
  (generic_type type: (_) @call.new)])

[(ERROR) (MISSING)] @error
