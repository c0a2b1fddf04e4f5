; Captures as in python/query.scm. A companion is no definition: its members are the class's own.

(class_declaration "class" name: (identifier) @name) @class
(class_declaration "class" name: (identifier) @name [(class_body) (enum_class_body)] @body) @class
(class_declaration "interface" name: (identifier) @name) @interface
(class_declaration "interface" name: (identifier) @name [(class_body) (enum_class_body)] @body) @interface
(class_declaration (modifiers (class_modifier "annotation" @_)) name: (identifier) @name) @interface
(object_declaration name: (identifier) @name) @class
(object_declaration name: (identifier) @name (class_body) @body) @class
(type_alias type: (identifier) @name) @interface
; A class that the grammar stumbles over is still the class of what it holds.
(ERROR . (modifiers)? . "class" . (identifier) @name "{" @body) @class
(object_literal (delegation_specifiers . (delegation_specifier [
  (user_type) @name.after
  (constructor_invocation (user_type) @name.after)
  (explicit_delegation (user_type) @name.after)
])) (class_body) @class @body)
(object_literal "object" @name.after . (class_body) @class @body)
(enum_entry (identifier) @name (class_body) @body) @class
(function_declaration name: (identifier) @name) @function
(function_declaration name: (identifier) @name (function_body) @body) @function
(function_declaration [(user_type) (nullable_type) (parenthesized_type)] @receiver . name: (identifier) @name) @function
(function_declaration
  [(user_type) (nullable_type) (parenthesized_type)] @receiver . name: (identifier) @name (function_body) @body) @function
(secondary_constructor "constructor" @name) @method
(secondary_constructor "constructor" @name (block) @body) @method

; A property with code of its own is a method that is read like a field.
(property_declaration (variable_declaration . (identifier) @name) [(getter (function_body)) (setter (function_body))] @body)
  @function
(property_declaration
  [(user_type) (nullable_type)] @receiver . (variable_declaration . (identifier) @name)
  [(getter (function_body)) (setter (function_body))] @body) @function
(property_declaration (variable_declaration . (identifier)) [(getter (function_body)) (setter (function_body))] @property)
(property_declaration (variable_declaration (identifier) . (_) @result) [(getter) (setter)])
(getter (function_body "=" . (_) @returned))

(source_file (property_declaration (variable_declaration . (identifier) @name)) @variable)
(class_body (property_declaration (variable_declaration . (identifier) @name)) @variable)
(enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @variable)
(class_parameter ["val" "var"] (identifier) @name) @variable
(enum_entry (identifier) @name) @variable

(type_alias type: (identifier) (user_type) @base)
(class_declaration (delegation_specifiers (delegation_specifier (constructor_invocation (user_type) @base))))
(class_declaration (delegation_specifiers (delegation_specifier (user_type) @implements)))
(class_declaration (delegation_specifiers (delegation_specifier (explicit_delegation . (user_type) @implements))))
(object_declaration (delegation_specifiers (delegation_specifier (constructor_invocation (user_type) @base))))
(object_declaration (delegation_specifiers (delegation_specifier (user_type) @implements)))
(object_declaration (delegation_specifiers (delegation_specifier (explicit_delegation . (user_type) @implements))))
(object_literal (delegation_specifiers (delegation_specifier (constructor_invocation (user_type) @base))) (class_body) @at)
(object_literal (delegation_specifiers (delegation_specifier (user_type) @implements)) (class_body) @at)
(class_declaration name: (identifier) @base (enum_class_body (enum_entry (class_body) @at)))

(class_declaration (modifiers (annotation) @decorator))
(object_declaration (modifiers (annotation) @decorator))
(function_declaration (modifiers (annotation) @decorator))
(primary_constructor (modifiers (annotation) @decorator))
(secondary_constructor (modifiers (annotation) @decorator))
(property_declaration (modifiers (annotation) @decorator))
(class_parameter (modifiers (annotation) @decorator) ["val" "var"])
(enum_entry (modifiers (annotation) @decorator))
(type_alias (modifiers (annotation) @decorator))

(class_parameter (identifier) @param)
(function_declaration (function_value_parameters (parameter . (identifier) @param)))
(secondary_constructor (function_value_parameters (parameter . (identifier) @param)))
(function_value_parameters (parameter_modifiers (parameter_modifier "vararg")) @rest . (parameter) .)
(function_value_parameters (parameter . (identifier) @optional) . "=" @default)
(class_parameter (identifier) @optional "=" @default)
(parameter . (identifier) @plain . (function_type) @type)
(class_parameter (identifier) @typed . [(user_type) (nullable_type)] @type)
(parameter . (identifier) @typed . [(user_type) (nullable_type)] @type)
(variable_declaration (identifier) @typed . [(user_type) (nullable_type)] @type)
(catch_block (identifier) @typed . (user_type) @type)
(property_declaration (variable_declaration . (identifier) @typed .) . "=" . (object_literal (delegation_specifiers
  . (delegation_specifier [(user_type) @type (constructor_invocation (user_type) @type)]))))
(class_declaration name: (identifier) @type (enum_class_body (enum_entry (identifier) @typed)))
(variable_declaration . (identifier) @local)
(anonymous_function (function_value_parameters (parameter . (identifier) @local)))
(type_parameter (identifier) @generic . (user_type)? @bound)

(property_declaration
  (variable_declaration . (identifier) @assigned) . "="
  . [(identifier) (call_expression) (navigation_expression) (this_expression) (index_expression) (as_expression)] @value)
(property_declaration
  (variable_declaration . (identifier) @assigned)
  (property_delegate (call_expression (annotated_lambda (lambda_literal . (_) @value .)))))
(property_declaration
  (variable_declaration . (identifier) @typed .)
  (property_delegate (call_expression (type_arguments . (type_projection [(user_type) (nullable_type)] @type) .))))
(property_declaration (variable_declaration . (identifier) @assigned) . "=" . (_ "?:") @value)
(property_declaration (variable_declaration . (identifier) @assigned) . "=" . (_ "if" ")" . (_) @value))
(property_declaration (variable_declaration . (identifier) @assigned) . "=" . (_ "if" "else" . (_) @value))
(property_declaration
  (variable_declaration . (identifier) @assigned) . "=" . (_ (when_entry "->" . (_) @value)))
(property_declaration
  (multi_variable_declaration . (variable_declaration . (identifier) @first))
  . "=" . [(identifier) (call_expression) (navigation_expression)] @value)
(property_declaration
  (multi_variable_declaration . (variable_declaration) . (variable_declaration . (identifier) @latter))
  . "=" . [(identifier) (call_expression) (navigation_expression)] @value)
(for_statement (variable_declaration . (identifier) @each) . "in" . (_) @of)
(when_subject (variable_declaration . (identifier) @assigned) . "=" . (_) @value)
(assignment left: (navigation_expression (this_expression)) @assigned right: (_) @value)

(function_declaration (function_value_parameters) . ":" . [(user_type) (nullable_type)] @result)
(function_declaration (function_body "=" . (_) @returned))
(function_declaration (function_body "=" . (_ "if" ")" . (_) @returned)))
(function_declaration (function_body "=" . (_ "if" "else" . (_) @returned)))
(function_declaration (function_body "=" . (_ (when_entry "->" . (_) @returned))))

; What a function without a name is given: `cards.forEach { it.pay() }`.
(call_expression
  . (navigation_expression (_) @value (identifier) @lent .) . (annotated_lambda (lambda_literal) @within))
((call_expression
  . (call_expression . (identifier) @lent (value_arguments . (value_argument . (_) @value .) .))
  . (annotated_lambda (lambda_literal) @within))
  (#eq? @lent "with"))
; Whose members go by their bare names in it, the function that is called tells.
(call_expression . [(identifier) (navigation_expression)] @built . (annotated_lambda (lambda_literal) @within))
(call_expression
  . (call_expression . [(identifier) (navigation_expression)] @built (value_arguments))
  . (annotated_lambda (lambda_literal) @within))
(parameter (function_type . (user_type) @type . "." @passed))
; And what it is given, if that function is of the tree.
(function_value_parameters (parameter (function_type) @callback))
(function_value_parameters (parameter (nullable_type (parenthesized_type (function_type) @callback))))
(type_alias (function_type) @callback)
(lambda_literal . "{" @hiding) @within
; What a name is found to be, and where that holds.
(when_expression
  (when_subject (identifier) @narrowed .)
  (when_entry . condition: (type_test "is" (user_type) @type) . "->" . (_) @within))
(when_entry . condition: (_ left: (identifier) @narrowed "is" right: (user_type) @type) . "->" . (_) @within)
(if_expression condition: (_ left: (identifier) @narrowed "is" right: (user_type) @type) . ")" . (_) @within)
(if_expression
  condition: (_ left: (_ left: (identifier) @narrowed "is" right: (user_type) @type) "&&")
  . ")" . (_) @within)
(binary_expression
  left: (_ left: (identifier) @narrowed "is" right: (user_type) @type) "&&" right: (_) @within)
(block
  (_ "if"
    condition: (_ left: (identifier) @narrowed "!is" right: (user_type) @type) . ")"
    . [(return_expression) (throw_expression)]) @after) @within

(package_header (_) @package .)
((import (qualified_identifier) @import .) @_whole (#not-match? @_whole "[*]"))
(import (qualified_identifier) @import "as" . (identifier) @import.alias)
(import (qualified_identifier) @import "*" @import.star)

(call_expression
  . [(identifier) (navigation_expression)] @call (value_arguments)? @call.count . (annotated_lambda)? @call.count .)
; And `!check(1)` for a call of `!check`.
(call_expression
  . [(_ argument: (identifier) @call)
     (_ argument: (_ argument: (identifier) @call))]
  (value_arguments)? @call.count . (annotated_lambda)? @call.count .)
(delegation_specifier (constructor_invocation (user_type) @call.new))
(constructor_delegation_call ["this" "super"] @call (value_arguments) @call.count)
(infix_expression . (_) @call.on . (identifier) @call)
; This grammar takes `make<Card>(1)` for two comparisons.
(binary_expression
  left: (_ left: [(identifier) (navigation_expression)] @call "<") ">" right: (parenthesized_expression))

[(ERROR) (MISSING)] @error
