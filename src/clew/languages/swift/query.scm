; Captures as in python/query.scm. What an extension adds is named by the type that it extends.
; What has children costs a walk through the grammar when this is compiled, and some kinds of nodes a long one, unless
; it is `_`: so are those that what stands in them tells (`func`, `rhs:`, `computed_value:`).

(class_declaration name: (type_identifier) @name body: (_) @body) @class
(class_declaration name: (user_type) @name body: (_) @body) @impl
(protocol_declaration name: (type_identifier) @name body: (_) @body) @interface
(typealias_declaration name: (type_identifier) @name) @class
(typealias_declaration (user_type) @base)
(protocol_declaration (inheritance_specifier inherits_from: (_) @base))
(class_declaration declaration_kind: "class" (inheritance_specifier inherits_from: (_) @base))
(class_declaration
  declaration_kind: ["struct" "enum" "actor" "extension"]
  (inheritance_specifier inherits_from: (_) @implements))

(_ "func" . name: _ @name body: (_) @body) @function
(protocol_function_declaration name: (simple_identifier) @name) @method
(_ name: "init" @name body: (_)? @body) @method
(deinit_declaration "deinit" @name body: (_) @body) @method
(subscript_declaration "subscript" @name (computed_property) @body) @method
(_
  name: (pattern bound_identifier: (simple_identifier) @name)
  [computed_value: (_) (willset_didset_block) value: (lambda_literal)] @body) @function
(source_file (_ name: (pattern bound_identifier: (simple_identifier) @name)) @variable)
((_
  (modifiers (property_modifier) @_static)
  (value_binding_pattern)
  name: (_ bound_identifier: (simple_identifier) @name)) @variable
  (#eq? @_static "static"))
(enum_entry name: (simple_identifier) @name) @variable

(import_declaration (identifier) @import) @import.star

(parameter name: (simple_identifier) @param)
(parameter name: (simple_identifier) @typed [
  (user_type) (optional_type) (array_type) (dictionary_type) (existential_type) (opaque_type)] @type)
(_
  name: (pattern bound_identifier: (simple_identifier) @typed)
  (type_annotation [
  (user_type) (optional_type) (array_type) (dictionary_type) (existential_type) (opaque_type)] @type))
(_
  name: (pattern bound_identifier: (simple_identifier) @assigned)
  value: [(call_expression) (navigation_expression) (simple_identifier) (try_expression) (await_expression)] @value)
(assignment
  target: (_ (_ target: (self_expression))) @assigned
  result: [(call_expression) (navigation_expression) (simple_identifier)] @value)
(_
  bound_identifier: (simple_identifier) @assigned
  . "=" .
  condition: [(call_expression) (navigation_expression) (simple_identifier) (try_expression) (await_expression)] @value)
(for_statement item: (pattern bound_identifier: (simple_identifier) @each) collection: (_) @of)
; Whatever is bound hides what is inherited.
(_ bound_identifier: (simple_identifier) @local)
(for_statement item: (pattern (pattern (simple_identifier) @local)))
(lambda_parameter name: (simple_identifier) @local)
(lambda_parameter name: (simple_identifier) @typed [(user_type) (optional_type) (array_type) (existential_type)] @type)
(lambda_literal) @lambda
(lambda_literal) @binding
(parameter (function_type) @callback)
(parameter (optional_type (tuple_type (tuple_type_item (function_type) @callback))))
(typealias_declaration (function_type) @callback)

(type_parameter . (type_identifier) @generic name: (_)? @bound)
(associatedtype_declaration "associatedtype" . name: (type_identifier) @generic name: (_)? @bound)
; What an extension asks of them holds in that extension alone.
(class_declaration
  declaration_kind: ["class" "struct" "enum" "actor"]
  (type_constraints (type_constraint (inheritance_constraint
    constrained_type: (identifier . (simple_identifier) @generic .) ":" . (_) @bound))))
(_
  "func"
  (type_constraints (type_constraint (inheritance_constraint
    constrained_type: (identifier . (simple_identifier) @generic .) ":" . (_) @bound)))
  body: (_))
(_
  name: "init"
  (type_constraints (type_constraint (inheritance_constraint
    constrained_type: (identifier . (simple_identifier) @generic .) ":" . (_) @bound))))

(_ "func" name: [
  (user_type) (optional_type) (array_type) (dictionary_type) (existential_type) (opaque_type)] @result)
(_
  (type_annotation [
  (user_type) (optional_type) (array_type) (dictionary_type) (existential_type) (opaque_type)] @result)
  computed_value: (_))
(modifiers (attribute) @decorator)
(enum_entry (modifiers (attribute) @decorator))

; It takes `a + check(1)`, and `a == check { 1 }`, for a call of all that stands before the brackets, and `!check(1)` for
; one of `!check`; what begins with a dot is a member of a type that is not told.
(call_expression
  . [
    (simple_identifier) @call
    (navigation_expression) @call
    (self_expression) @call
    (_ rhs: [(simple_identifier) (navigation_expression)] @call)
    (_ op: ["+" "-"] rhs: (_ op: ["*" "/" "%"] rhs: [(simple_identifier) (navigation_expression)] @call))
    (_ if_nil: [(simple_identifier) (navigation_expression)] @call)
    (_ if_false: [(simple_identifier) (navigation_expression)] @call)
    (prefix_expression
      operation: [(bang) (custom_operator) "&" "+" "++" "-" "--" "~"]
      target: [(simple_identifier) (navigation_expression)] @call)
  ]
  . (call_suffix . [(value_arguments "(") (lambda_literal)]))
((call_expression . (prefix_expression) @call @call.dotted . (call_suffix . [(value_arguments "(") (lambda_literal)]))
  (#match? @call "^\\.\\w+$"))
(constructor_expression constructed_type: (user_type) @call)

[(ERROR) (MISSING)] @error
