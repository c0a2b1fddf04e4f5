; What is written otherwise in C++: names of types are types alone, and whatever is called is a name or a member.

(function_declarator
  declarator: (identifier)
  parameters: (parameter_list [(parameter_declaration declarator: (_) @param) (identifier) @param]))
(parameter_declaration
  type: [(type_identifier) (struct_specifier name: (_)) (union_specifier name: (_))] @type
  declarator: (_) @typed)
(declaration
  type: [(type_identifier) (struct_specifier name: (_) !body) (union_specifier name: (_) !body)] @type
  declarator: [
    (identifier) @typed
    (pointer_declarator) @typed
    (array_declarator) @typed
    (init_declarator declarator: (_) @typed)
  ])
(field_declaration
  type: [(type_identifier) (struct_specifier name: (_)) (union_specifier name: (_))] @type
  declarator: (_) @typed)
(function_definition
  type: [(type_identifier) (struct_specifier name: (_)) (union_specifier name: (_))] @result)
(declaration
  type: [(type_identifier) (struct_specifier name: (_)) (union_specifier name: (_))] @result
  declarator: [
    (function_declarator)
    (_ "*" declarator: (function_declarator))
    (_ "*" declarator: (_ "*" declarator: (function_declarator)))
  ])

; Pointers to functions are what is called by another name.
(init_declarator
  declarator: (function_declarator
    declarator: (parenthesized_declarator (_ "*" declarator: (identifier) @assigned)))
  value: [(identifier) (field_expression) (pointer_expression) (call_expression)] @value)
(assignment_expression
  left: (identifier) @assigned
  right: [(identifier) (pointer_expression) (field_expression)] @value)

(call_expression function: [(identifier) (field_expression) (parenthesized_expression (pointer_expression)) (subscript_expression)] @call)
