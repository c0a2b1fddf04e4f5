; What TypeScript adds to JavaScript.

(abstract_class_declaration name: (type_identifier) @name body: (class_body) @body) @class
(export_statement declaration: (ambient_declaration
  (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))
(internal_module body: (statement_block (export_statement
  declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @variable))))
(interface_declaration name: (type_identifier) @name body: (_) @body) @interface
(type_alias_declaration name: (type_identifier) @name value: (object_type) @body) @interface
(type_alias_declaration name: (type_identifier) @name) @interface
(enum_declaration name: (identifier) @name body: (_) @body) @class
(function_signature name: (identifier) @name) @function
(abstract_method_signature name: (_) @name) @method
(class_body (method_signature name: (_) @name) @method)
(interface_body (method_signature name: (_) @name) @method)
(interface_body (property_signature name: (property_identifier) @name type: (type_annotation (function_type))) @method)
(extends_type_clause type: (generic_type (type_arguments [
  (_ (method_signature name: (_) @name) @method)
  (intersection_type (_ (method_signature name: (_) @name) @method))
  (intersection_type (intersection_type (_ (method_signature name: (_) @name) @method)))
])))
(type_alias_declaration value: [
  (_ (method_signature name: (_) @name) @method)
  (intersection_type (_ (method_signature name: (_) @name) @method))
  (intersection_type (intersection_type (_ (method_signature name: (_) @name) @method)))
  (generic_type (type_arguments (_ (method_signature name: (_) @name) @method)))
  (generic_type (type_arguments (intersection_type (_ (method_signature name: (_) @name) @method))))
  (generic_type (type_arguments (intersection_type
    (intersection_type (_ (method_signature name: (_) @name) @method)))))
])
(type_alias_declaration value: [
  (_
    (property_signature name: (property_identifier) @name type: (type_annotation (function_type))) @method)
  (intersection_type (_
    (property_signature name: (property_identifier) @name type: (type_annotation (function_type))) @method))
  (generic_type (type_arguments (_
    (property_signature name: (property_identifier) @name type: (type_annotation (function_type))) @method)))
  (generic_type (type_arguments (intersection_type (_
    (property_signature name: (property_identifier) @name type: (type_annotation (function_type))) @method))))
])
(internal_module name: (_) @name body: (_) @body) @class
(module name: (_) @name body: (_) @body) @class
(public_field_definition
  name: (_) @name
  value: [(_ "=>" body: (_) @body) (function_expression body: (_) @body)]) @method
(public_field_definition
  name: (_) @name
  value: (object [(method_definition) (pair value: [(arrow_function) (function_expression)])]) @body) @object
(variable_declarator
  name: (identifier) @name
  value: [
    (as_expression (object [
      (method_definition) (pair value: [(arrow_function) (function_expression) (object (method_definition))])
    ]) @body)
    (satisfies_expression (object [
      (method_definition) (pair value: [(arrow_function) (function_expression) (object (method_definition))])
    ]) @body)
  ]) @object

[
  (function_declaration parameters: (_ (_ pattern: [(identifier) (object_pattern) (array_pattern) (rest_pattern (identifier))] @param)))
  (generator_function_declaration parameters: (_ (_ pattern: [(identifier) (object_pattern) (array_pattern) (rest_pattern (identifier))] @param)))
  (method_definition parameters: (_ (_ pattern: [(identifier) (object_pattern) (array_pattern) (rest_pattern (identifier))] @param)))
  (arrow_function parameters: (_ (_ pattern: [(identifier) (object_pattern) (array_pattern) (rest_pattern (identifier))] @param)))
  (function_expression parameters: (_ (_ pattern: [(identifier) (object_pattern) (array_pattern) (rest_pattern (identifier))] @param)))
  (generator_function parameters: (_ (_ pattern: [(identifier) (object_pattern) (array_pattern) (rest_pattern (identifier))] @param)))
  (function_signature parameters: (_ (_ pattern: [(identifier) (object_pattern) (array_pattern) (rest_pattern (identifier))] @param)))
  (method_signature parameters: (_ (_ pattern: [(identifier) (object_pattern) (array_pattern) (rest_pattern (identifier))] @param)))
  (abstract_method_signature parameters: (_ (_ pattern: [(identifier) (object_pattern) (array_pattern) (rest_pattern (identifier))] @param)))
]
(arrow_function parameter: (identifier) @param)
(formal_parameters (_ pattern: [
  (object_pattern (shorthand_property_identifier_pattern) @taken @key)
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @taken @key))
  (object_pattern (pair_pattern key: (property_identifier) @key value: (identifier) @taken))
  (object_pattern (rest_pattern (identifier) @taken) @key)
  (array_pattern (identifier) @taken)
]))
(formal_parameters (_ pattern: (rest_pattern (identifier) @typed) type: (type_annotation (_) @type)))
(formal_parameters (_ pattern: [(identifier) (object_pattern) (array_pattern)] @typed type: (type_annotation (_) @type)))
(formal_parameters (_ (accessibility_modifier) pattern: (identifier) @field type: (type_annotation (_) @type)))
(formal_parameters (_ "readonly" pattern: (identifier) @field type: (type_annotation (_) @type)))
(variable_declarator name: (identifier) @typed type: (type_annotation (_) @type))
(public_field_definition name: (_) @typed type: (type_annotation (_) @type))
(interface_body (property_signature name: (property_identifier) @typed type: (type_annotation (_) @type)))
(extends_type_clause type: (generic_type (type_arguments [
  (_ (property_signature name: (property_identifier) @typed type: (type_annotation (_) @type)))
  (intersection_type (_
    (property_signature name: (property_identifier) @typed type: (type_annotation (_) @type))))
  (intersection_type (intersection_type (_
    (property_signature name: (property_identifier) @typed type: (type_annotation (_) @type)))))
])))
(type_alias_declaration value: [
  (_ (property_signature name: (property_identifier) @typed type: (type_annotation (_) @type)))
  (intersection_type (_
    (property_signature name: (property_identifier) @typed type: (type_annotation (_) @type))))
  (intersection_type (intersection_type (_
    (property_signature name: (property_identifier) @typed type: (type_annotation (_) @type)))))
  (generic_type (type_arguments (_
    (property_signature name: (property_identifier) @typed type: (type_annotation (_) @type)))))
  (generic_type (type_arguments (intersection_type (_
    (property_signature name: (property_identifier) @typed type: (type_annotation (_) @type))))))
  (generic_type (type_arguments (intersection_type (intersection_type (_
    (property_signature name: (property_identifier) @typed type: (type_annotation (_) @type)))))))
])
(public_field_definition "static" @static)
(public_field_definition name: (_) @assigned value: (_) @value)
(type_parameter name: (type_identifier) @generic constraint: (constraint (_) @bound)?)

[(function_type) (call_signature)] @callback
(_ return_type: (type_annotation (_) @result))
(interface_body (property_signature type: (type_annotation (function_type return_type: (_) @result))))
(type_alias_declaration
  value: (_ (property_signature type: (type_annotation (function_type return_type: (_) @result)))))

(class_declaration (class_heritage (extends_clause value: (_) @base)))
(abstract_class_declaration (class_heritage (extends_clause value: (_) @base)))
(class (class_heritage (extends_clause value: (_) @base)))
(implements_clause (_) @implements)
(extends_type_clause type: (_) @base)
(type_alias_declaration value: [(type_identifier) (nested_type_identifier) (generic_type)] @base)
(type_alias_declaration value: (intersection_type [(type_identifier) (nested_type_identifier) (generic_type)] @base))

(type_alias_declaration
  value: [(union_type) (array_type) (tuple_type) (readonly_type) (lookup_type) (type_query) (generic_type)] @alias)

(abstract_class_declaration decorator: (decorator (_) @decorator))
(class_body decorator: (decorator (_) @decorator))
(public_field_definition decorator: (decorator (_) @decorator))

(export_statement declaration: [
  (abstract_class_declaration name: (_) @exported)
  (interface_declaration name: (_) @exported)
  (type_alias_declaration name: (_) @exported)
  (enum_declaration name: (_) @exported)
  (function_signature name: (_) @exported)
  (internal_module name: (_) @exported)
  (ambient_declaration [
    (function_signature name: (_) @exported)
    (class_declaration name: (_) @exported)
    (abstract_class_declaration name: (_) @exported)
    (interface_declaration name: (_) @exported)
    (type_alias_declaration name: (_) @exported)
    (enum_declaration name: (_) @exported)
    (internal_module name: (_) @exported)
    (lexical_declaration (variable_declarator name: (identifier) @exported))
    (variable_declaration (variable_declarator name: (identifier) @exported))
  ])
])
(export_statement "default" @offered declaration: [
  (abstract_class_declaration name: (_) @value)
  (interface_declaration name: (_) @value)
  (function_signature name: (_) @value)
])
(import_statement (import_require_clause (identifier) @import.alias source: (string) @import))
(export_statement "=" @offered (identifier) @value)

(call_expression function: (non_null_expression) @call arguments: (_) @call.args)
; `await load<Card>(id)`, as the grammar reads it.
(call_expression function: (await_expression (_) @call) arguments: (_) @call.args)
(call_expression function: (unary_expression argument: (_) @call) arguments: (_) @call.args)

(return_statement [(as_expression) (satisfies_expression)] @returned)
(arrow_function body: [(as_expression) (satisfies_expression)] @returned)
