; Captures as in python/query.scm.

(class_declaration name: (name) @name body: (_) @body) @class
(interface_declaration name: (name) @name body: (_) @body) @interface
(trait_declaration name: (name) @name body: (_) @body) @interface
(enum_declaration name: (name) @name body: (_) @body) @class
(anonymous_class "class" @name body: (_) @body) @class
(base_clause [(name) (qualified_name)] @base)
(use_declaration [(name) (qualified_name)] @base)
(class_interface_clause [(name) (qualified_name)] @implements)

(function_definition name: (name) @name body: (_) @body) @function
(method_declaration name: (name) @name body: (_) @body) @method
(method_declaration name: (name) @name ";" @body) @method
(assignment_expression
  left: (variable_name (name) @name)
  right: [(anonymous_function body: (_) @body) (arrow_function body: (_) @body)]) @function
[(anonymous_function) (arrow_function)] @lambda
(const_declaration (const_element . (name) @name)) @variable
(enum_case name: (name) @name) @variable
((function_call_expression
  function: (name) @_define
  arguments: (arguments . (argument (string (string_content) @name)))) @variable
  (#eq? @_define "define"))
(program (expression_statement (assignment_expression left: (variable_name (name) @name)) @variable))

(namespace_definition name: (namespace_name) @package)
(namespace_use_declaration
  (namespace_use_clause . [(name) (qualified_name)] @import alias: (name)? @import.alias))
(namespace_use_declaration
  (namespace_name) @import
  body: (namespace_use_group (namespace_use_clause . (name) @import.name alias: (name)? @import.alias)))
(namespace_use_declaration
  (namespace_name) @import
  body: (namespace_use_group (namespace_use_clause . (qualified_name (name) @import.alias) @import.name !alias)))
(include_expression [(string (string_content) @import) (_ right: (string (string_content) @import))]) @import.star
(include_once_expression [(string (string_content) @import) (_ right: (string (string_content) @import))]) @import.star
(require_expression [(string (string_content) @import) (_ right: (string (string_content) @import))]) @import.star
(require_once_expression [(string (string_content) @import) (_ right: (string (string_content) @import))]) @import.star

(function_definition parameters: (formal_parameters (_ name: (variable_name (name) @param))))
(method_declaration parameters: (formal_parameters (_ name: (variable_name (name) @param))))
(assignment_expression right: (_ parameters: (formal_parameters (_ name: (variable_name (name) @param)))))
(simple_parameter type: [(named_type) (optional_type) (union_type)] @type name: (variable_name (name) @typed))
(property_promotion_parameter type: [(named_type) (optional_type) (union_type)] @type name: (variable_name (name) @typed))
(property_promotion_parameter type: [(named_type) (optional_type) (union_type)] @type name: (variable_name (name) @field))
(property_declaration
  type: [(named_type) (optional_type) (union_type)] @type
  (property_element name: (variable_name (name) @typed)))
(property_declaration (property_element name: (variable_name (name) @local)))
(catch_clause type: (type_list . (named_type) @type) name: (variable_name (name) @typed))
(assignment_expression
  left: [(variable_name) (member_access_expression) (scoped_property_access_expression)] @assigned
  right: [
    (object_creation_expression [(name) (qualified_name)]) @value
    (clone_expression) @value
    (function_call_expression) @value
    (member_call_expression) @value
    (nullsafe_member_call_expression) @value
    (scoped_call_expression) @value
    (variable_name) @value
    (member_access_expression) @value
    (scoped_property_access_expression) @value
    (subscript_expression) @value
    (assignment_expression right: (object_creation_expression [(name) (qualified_name)]) @value)
    (_ "??" left: (_) @value)
    (_ "??" right: (_) @value)
    (conditional_expression [body: (_) @value alternative: (_) @value])
    (match_expression body: (match_block (_ return_expression: (_) @value)))
  ])
(augmented_assignment_expression
  left: [(variable_name) (member_access_expression) (scoped_property_access_expression)] @assigned
  operator: "??="
  right: (_) @value)
(assignment_expression
  left: (subscript_expression . [(variable_name) (member_access_expression) (scoped_property_access_expression)] @put)
  right: [
    (object_creation_expression [(name) (qualified_name)])
    (function_call_expression)
    (member_call_expression)
    (scoped_call_expression)
    (variable_name)
    (member_access_expression)
  ] @value)
(foreach_statement . (_) @of . (variable_name (name) @each))
(foreach_statement . (_) @of . (by_ref (variable_name (name) @each)))
(foreach_statement . (_) @of . (pair (_) [(variable_name (name) @each) (by_ref (variable_name (name) @each))]))

(function_definition return_type: [(named_type) (optional_type) (union_type)] @result)
(method_declaration return_type: [(named_type) (optional_type) (union_type)] @result)
(return_statement (_) @returned)
(yield_expression) @returned
(function_definition attributes: (attribute_list (attribute_group (attribute) @decorator)))
(method_declaration attributes: (attribute_list (attribute_group (attribute) @decorator)))
(class_declaration attributes: (attribute_list (attribute_group (attribute) @decorator)))
(interface_declaration attributes: (attribute_list (attribute_group (attribute) @decorator)))
(trait_declaration attributes: (attribute_list (attribute_group (attribute) @decorator)))
(enum_declaration attributes: (attribute_list (attribute_group (attribute) @decorator)))
(enum_case attributes: (attribute_list (attribute_group (attribute) @decorator)))
(const_declaration attributes: (attribute_list (attribute_group (attribute) @decorator)))
(anonymous_class attributes: (attribute_list (attribute_group (attribute) @decorator)))

(function_call_expression function: [(name) (qualified_name) (relative_name) (variable_name)] @call)
(member_call_expression object: (_) @call.on name: (name) @call)
(nullsafe_member_call_expression object: (_) @call.on name: (name) @call)
(scoped_call_expression scope: (_) @call.on name: (name) @call)
(object_creation_expression [(name) (qualified_name)] @call)

; What an expression is found to be: @within is where that holds, from behind @after if that is given.
(if_statement
  condition: (parenthesized_expression
    (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type))
  body: (_) @within)
(else_if_clause
  condition: (parenthesized_expression
    (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type))
  body: (_) @within)
(if_statement
  condition: (parenthesized_expression [
      (_ operator: "&&" right: (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type))
      (_ left: (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type) operator: "&&")
      (_ left: (_ left: (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type) operator: "&&") operator: "&&")
      (_ left: (_ operator: "&&" right: (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type)) operator: "&&")
    ])
  body: (_) @within)
(else_if_clause
  condition: (parenthesized_expression [
      (_ operator: "&&" right: (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type))
      (_ left: (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type) operator: "&&")
      (_ left: (_ left: (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type) operator: "&&") operator: "&&")
      (_ left: (_ operator: "&&" right: (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type)) operator: "&&")
    ])
  body: (_) @within)
(binary_expression
  left: [
      (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type)
      (_ operator: "&&" right: (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type))
      (_ left: (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type) operator: "&&")
    ]
  operator: "&&" right: (_) @within)
(conditional_expression
  condition: [
    (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type)
    (parenthesized_expression
      (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type))
  ]
  body: (_) @within)
(compound_statement
  (if_statement
    condition: (parenthesized_expression (unary_op_expression "!" [
      (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type)
      (parenthesized_expression
        (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type))
    ]))
    body: (compound_statement
      [(return_statement) (continue_statement) (break_statement) (expression_statement (throw_expression))] .)) @after) @within
((compound_statement
  (expression_statement (function_call_expression
    function: [(name) (qualified_name)] @_assert
    arguments: (arguments . (argument
      (_ left: (_) @narrowed operator: "instanceof" right: [(name) (qualified_name)] @type))))) @after) @within
  (#match? @_assert "^.?assert$"))
((compound_statement
  (expression_statement (_
    name: (name) @_assert
    arguments: (arguments
      . (argument (class_constant_access_expression . [(name) (qualified_name)] @type . (name)))
      . (argument (_) @narrowed)))) @after) @within
  (#eq? @_assert "assertInstanceOf"))
(compound_statement
  (expression_statement (assignment_expression
    left: (variable_name) @narrowed
    right: (object_creation_expression [(name) (qualified_name)] @type))) @after) @within

[(ERROR) (MISSING)] @error
