; What C++ adds to C, or writes otherwise.

(class_specifier name: (_) @name body: (_) @body) @class
(alias_declaration name: (type_identifier) @name ";" @body) @class
(alias_declaration type: (type_descriptor type: [(type_identifier) (qualified_identifier) (template_type)] @base))
(type_definition type: [(qualified_identifier) (template_type)] declarator: (_) @name ";" @body) @class
(type_definition type: [(qualified_identifier) (template_type)] @base declarator: (type_identifier))
(concept_definition name: (identifier) @name) @interface
(base_class_clause [(type_identifier) (qualified_identifier) (template_type)] @base)

; An inline namespace is seen through, and so is one without a name, whose contents are of this file alone.
(namespace_definition . "namespace" name: (_) @name body: (_) @body) @namespace

(function_definition
  declarator: (_) @name
  [(default_method_clause) (delete_method_clause) (pure_virtual_clause) (try_statement)] @body) @function
(function_definition declarator: (_) @name (field_initializer_list) @body body: (_)) @method
(declaration declarator: [(_ ["&" "&&"] (function_declarator)) (operator_cast)] @name ";" @body) @function
(field_declaration
  declarator: [
    (function_declarator)
    (operator_cast)
    (_ "*" declarator: (function_declarator))
    (_ "*" declarator: (_ "*" declarator: (function_declarator)))
    (_ ["&" "&&"] (function_declarator))
  ] @name
  ";" @body) @function
; `TEST_F(CardTest, Charges)` is a method of a class below CardTest.
((function_definition !type
  declarator: (_
    declarator: (identifier) @_macro
    parameters: (_ . (parameter_declaration type: (type_identifier) @receiver !declarator))) @name.whole
  body: (_) @body) @function
  (#match? @_macro "^[A-Z_]*TEST_[FP]$|^TYPED_TEST(_P)?$"))
(init_declarator declarator: (identifier) @name.whole value: (lambda_expression body: (_) @body)) @function
((field_declaration (storage_class_specifier) @_static declarator: (_) @name) @variable
  (#eq? @_static "static"))

(function_declarator parameters: (parameter_list [
  (parameter_declaration declarator: (_) @param)
  (optional_parameter_declaration declarator: (_) @param)
  (variadic_parameter_declaration declarator: (_) @param)
]))
(function_declarator parameters: (parameter_list [(variadic_parameter_declaration) "..."] @rest))
(init_declarator value: (lambda_expression
  declarator: (_ parameters: (parameter_list (parameter_declaration declarator: (_) @param)))))

(declaration
  type: [(type_identifier) (qualified_identifier) (template_type) (struct_specifier name: (_) !body)] @type
  declarator: [
    (identifier) @typed
    (pointer_declarator) @typed
    (array_declarator) @typed
    (init_declarator declarator: (_) @typed)
  ])
(field_declaration
  type: [(type_identifier) (qualified_identifier) (template_type) (struct_specifier name: (_))] @type
  declarator: (_) @typed)
(parameter_declaration
  type: [(type_identifier) (qualified_identifier) (template_type) (struct_specifier name: (_))] @type
  declarator: (_) @typed)
(optional_parameter_declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @type
  declarator: (_) @typed)
; Numbers and texts have no members, but tell overloads apart.
(declaration
  type: [(primitive_type) (sized_type_specifier)] @type
  declarator: [(identifier) @plain (pointer_declarator) @plain (array_declarator) @plain (init_declarator declarator: (_) @plain)])
(field_declaration type: [(primitive_type) (sized_type_specifier)] @type declarator: (_) @plain)
(parameter_declaration type: [(primitive_type) (sized_type_specifier)] @type declarator: (_) @plain)
(optional_parameter_declaration type: [(primitive_type) (sized_type_specifier)] @type declarator: (_) @plain)
(for_range_loop
  type: [(type_identifier) (qualified_identifier) (template_type)] @type
  declarator: (_) @typed)
(for_range_loop type: (placeholder_type_specifier) declarator: (_) @each right: (_) @of)
(compound_statement (declaration  ; `Gate gate(amount);` looks like a prototype
  type: [(type_identifier) (qualified_identifier) (template_type)] @type
  declarator: (_ declarator: (identifier) @typed parameters: (_))))

[(compound_statement) (for_statement) (for_range_loop) (catch_clause)] @part

; What stands behind `auto`.
((init_declarator
  declarator: (identifier) @typed
  value: (_ function: [
    (_ name: (identifier) @_maker arguments: (_ . (_ type: (_) @type)))
    (_ name: (_ name: (identifier) @_maker arguments: (_ . (_ type: (_) @type))))
  ]))
  (#any-of? @_maker "make_unique" "make_shared" "make_optional"))
(declaration
  type: (placeholder_type_specifier)
  declarator: (_
    declarator: [
      (identifier) @assigned
      (_ "*" declarator: (identifier) @assigned)
      (_ ["&" "&&"] (identifier) @assigned)
    ]
    value: [
      (call_expression) (identifier) (qualified_identifier) (field_expression) (new_expression) (pointer_expression)] @value))
; A name has its type already: only what is new may be of a more special one.
(assignment_expression left: [(identifier) (field_expression)] @reassigned right: (new_expression) @value)
(namespace_alias_definition
  name: (namespace_identifier) @assigned
  [(namespace_identifier) (nested_namespace_specifier)] @value)
((using_declaration (qualified_identifier name: (identifier) @assigned) @value) @_using
  (#not-match? @_using "^using\\s+namespace"))

(function_definition type: [(type_identifier) (qualified_identifier) (template_type)] @result)
(function_declarator (trailing_return_type (type_descriptor
  type: [(type_identifier) (qualified_identifier) (template_type)] @result)))
(field_declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @result
  declarator: [
    (function_declarator)
    (_ "*" declarator: (function_declarator))
    (_ ["&" "&&"] (function_declarator))
  ])
[
  (translation_unit (declaration
    type: [(type_identifier) (qualified_identifier) (template_type)] @result
    declarator: [(function_declarator) (_ "*" declarator: (function_declarator))]))
  (declaration_list (declaration
    type: [(type_identifier) (qualified_identifier) (template_type)] @result
    declarator: [(function_declarator) (_ "*" declarator: (function_declarator))]))
]
(function_definition
  type: (placeholder_type_specifier)
  body: (_ (return_statement [(call_expression) (identifier) (new_expression)] @returned)))

(attribute_declaration (attribute) @decorator)

((call_expression
  function: [(identifier) (field_expression) (qualified_identifier) (template_function) (parenthesized_expression (pointer_expression))
             (subscript_expression)] @call
  arguments: (_) @call.count)
  (#not-match? @call "^(static|dynamic|const|reinterpret)_cast\\b[^()]*>$"))
(new_expression type: (_) @call arguments: (_)? @call.count)
(compound_literal_expression type: (_) @call value: (_) @call.count)
(field_initializer . (_) @call.setup . (_) @call.count)
(declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @call
  declarator: (_ value: [(argument_list) (initializer_list)] @call.count))
(compound_statement (declaration
  type: [(type_identifier) (qualified_identifier) (template_type)] @call
  declarator: (_ declarator: (identifier) parameters: (_))))
