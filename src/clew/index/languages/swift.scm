; Captures as in python.scm. What an extension adds is named by the type that it extends.

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

(function_declaration "func" . name: _ @name body: (_) @body) @function
(protocol_function_declaration name: (simple_identifier) @name) @method
(init_declaration "init" @name body: (_)? @body) @method
(deinit_declaration "deinit" @name body: (_) @body) @method
(subscript_declaration "subscript" @name (computed_property) @body) @method
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  computed_value: (_) @body) @function
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  (willset_didset_block) @body) @function
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @name)
  value: (lambda_literal) @body) @function
(source_file (property_declaration name: (pattern bound_identifier: (simple_identifier) @name)) @variable)
((property_declaration
  (modifiers (property_modifier) @_static)
  name: (pattern bound_identifier: (simple_identifier) @name)) @variable
  (#eq? @_static "static"))
(enum_entry name: (simple_identifier) @name) @variable

(import_declaration (identifier) @import) @import.star

(parameter name: (simple_identifier) @param)
(parameter name: (simple_identifier) @typed [
  (user_type) (optional_type) (array_type) (dictionary_type) (existential_type) (opaque_type)] @type)
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @typed)
  (type_annotation [
  (user_type) (optional_type) (array_type) (dictionary_type) (existential_type) (opaque_type)] @type))
(protocol_property_declaration
  name: (pattern bound_identifier: (simple_identifier) @typed)
  (type_annotation [
  (user_type) (optional_type) (array_type) (dictionary_type) (existential_type) (opaque_type)] @type))
(property_declaration
  name: (pattern bound_identifier: (simple_identifier) @assigned)
  value: [(call_expression) (navigation_expression) (simple_identifier) (try_expression) (await_expression)] @value)
(assignment
  target: (directly_assignable_expression (navigation_expression target: (self_expression))) @assigned
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
(lambda_literal) @borrowing.swift
(parameter (function_type) @lending.swift)
(parameter (optional_type (tuple_type (tuple_type_item (function_type) @lending.swift))))
(typealias_declaration (function_type) @lending.swift)

(type_parameter . (type_identifier) @generic name: (_)? @bound)
(associatedtype_declaration "associatedtype" . name: (type_identifier) @generic name: (_)? @bound)
; What an extension asks of them holds in that extension alone.
(class_declaration
  declaration_kind: ["class" "struct" "enum" "actor"]
  (type_constraints (type_constraint (inheritance_constraint
    constrained_type: (identifier . (simple_identifier) @generic .) ":" . (_) @bound))))
(function_declaration
  (type_constraints (type_constraint (inheritance_constraint
    constrained_type: (identifier . (simple_identifier) @generic .) ":" . (_) @bound))))
(init_declaration
  (type_constraints (type_constraint (inheritance_constraint
    constrained_type: (identifier . (simple_identifier) @generic .) ":" . (_) @bound))))

(function_declaration name: [
  (user_type) (optional_type) (array_type) (dictionary_type) (existential_type) (opaque_type)] @result)
(protocol_function_declaration name: [
  (user_type) (optional_type) (array_type) (dictionary_type) (existential_type) (opaque_type)] @result)
(property_declaration
  (type_annotation [
  (user_type) (optional_type) (array_type) (dictionary_type) (existential_type) (opaque_type)] @result)
  computed_value: (_))
(modifiers (attribute) @decorator)
(enum_entry (modifiers (attribute) @decorator))

(call_expression
  . [(simple_identifier) (navigation_expression) (self_expression)] @call
  . (call_suffix . [(value_arguments "(") (lambda_literal)]))
; It takes `a + check(1)`, and `a == check { 1 }`, for a call of all that stands before the brackets.
(call_expression
  . [
    (additive_expression rhs: [(simple_identifier) (navigation_expression)] @call)
    (additive_expression rhs: (multiplicative_expression rhs: [(simple_identifier) (navigation_expression)] @call))
    (multiplicative_expression rhs: [(simple_identifier) (navigation_expression)] @call)
    (equality_expression rhs: [(simple_identifier) (navigation_expression)] @call)
    (comparison_expression rhs: [(simple_identifier) (navigation_expression)] @call)
    (conjunction_expression rhs: [(simple_identifier) (navigation_expression)] @call)
    (disjunction_expression rhs: [(simple_identifier) (navigation_expression)] @call)
    (bitwise_operation rhs: [(simple_identifier) (navigation_expression)] @call)
    (infix_expression rhs: [(simple_identifier) (navigation_expression)] @call)
    (nil_coalescing_expression if_nil: [(simple_identifier) (navigation_expression)] @call)
    (ternary_expression if_false: [(simple_identifier) (navigation_expression)] @call)
  ]
  . (call_suffix . [(value_arguments "(") (lambda_literal)]))
; This grammar takes `!check(1)` for a call of `!check`; what begins with a dot is a member of a type that is not told.
((call_expression
  . (prefix_expression target: [(simple_identifier) (navigation_expression)] @call) @_whole
  . (call_suffix . [(value_arguments "(") (lambda_literal)]))
  (#not-match? @_whole "^\\."))
((call_expression . (prefix_expression) @call @call.dotted . (call_suffix . [(value_arguments "(") (lambda_literal)]))
  (#match? @call "^\\.\\w+$"))
(constructor_expression constructed_type: (user_type) @call)

[(ERROR) (MISSING)] @error
