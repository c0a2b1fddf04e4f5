; Captures as in python/query.scm.

(class_declaration name: (identifier) @name body: (_) @body) @class
(record_declaration name: (identifier) @name body: (_) @body) @class
(enum_declaration name: (identifier) @name body: (_) @body) @class
(interface_declaration name: (identifier) @name body: (_) @body) @interface
(annotation_type_declaration name: (identifier) @name body: (_) @body) @interface
(method_declaration name: (identifier) @name body: (_) @body) @method
(method_declaration name: (identifier) @name ";" @body) @method
(annotation_type_element_declaration name: (identifier) @name ";" @body) @method
(constructor_declaration name: (identifier) @name body: (_) @body) @method
(compact_constructor_declaration name: (identifier) @name body: (_) @body) @method
(object_creation_expression type: (_) @name.after (class_body) @class @body)
(enum_constant name: (identifier) @name body: (class_body) @body) @class

(enum_constant name: (identifier) @name) @variable
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @name) @variable))
(constant_declaration declarator: (variable_declarator name: (identifier) @name)) @variable
((field_declaration (modifiers) @_modifiers declarator: (variable_declarator name: (identifier) @name)) @variable
  (#match? @_modifiers "(public|protected|static)"))

(superclass (_) @base)
(extends_interfaces (type_list (_) @base))
(super_interfaces (type_list (_) @implements))
(object_creation_expression type: (_) @base (class_body) @at)
(enum_declaration name: (identifier) @base body: (enum_body (enum_constant body: (class_body) @at)))

([(class_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
  (record_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
  (enum_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
  (interface_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
  (annotation_type_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
  (annotation_type_element_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
  (constructor_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
  (compact_constructor_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
  (enum_constant (modifiers [(annotation) (marker_annotation)] @decorator))
  (constant_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
  (field_declaration (modifiers [(annotation) (marker_annotation)] @decorator))
  (record_declaration (formal_parameters
    (formal_parameter (modifiers [(annotation) (marker_annotation)] @decorator))))
  (method_declaration (modifiers [(annotation) (marker_annotation)] @decorator))])

([(method_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @param)))
  (constructor_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @param)))
  (record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @param)))
  (spread_parameter (variable_declarator name: (identifier) @param))])
(record_declaration parameters: (formal_parameters (formal_parameter name: (identifier) @component)))
(compact_constructor_declaration name: (identifier) @canonical)
(spread_parameter "..." @rest)
(spread_parameter (variable_declarator name: (identifier) @plain)) @type
(formal_parameter
  type: [(type_identifier) (scoped_type_identifier) (generic_type) (array_type)] @type name: (identifier) @typed)
(field_declaration
  type: [(type_identifier) (scoped_type_identifier) (generic_type) (array_type)] @type
  declarator: (variable_declarator name: (identifier) @typed))
(formal_parameter type: [(integral_type) (floating_point_type) (boolean_type)] @type name: (identifier) @plain)
([(field_declaration
    type: [(integral_type) (floating_point_type) (boolean_type)] @type
    declarator: (variable_declarator name: (identifier) @plain))
  (constant_declaration
    type: [(integral_type) (floating_point_type) (boolean_type)] @type
    declarator: (variable_declarator name: (identifier) @plain))
  (local_variable_declaration
    type: [(integral_type) (floating_point_type) (boolean_type)] @type
    declarator: (variable_declarator name: (identifier) @plain))
  (enhanced_for_statement
    type: [(integral_type) (floating_point_type) (boolean_type)] @type name: (identifier) @plain)])
(constant_declaration
  type: [(type_identifier) (scoped_type_identifier) (generic_type)] @type
  declarator: (variable_declarator name: (identifier) @typed))
(local_variable_declaration
  type: [(type_identifier) (scoped_type_identifier) (generic_type) (array_type)] @type
  declarator: (variable_declarator name: (identifier) @typed))
(enhanced_for_statement
  type: [(type_identifier) (scoped_type_identifier) (generic_type) (array_type)] @type name: (identifier) @typed)
(resource type: (_) @type name: (identifier) @typed)
(catch_formal_parameter (catch_type . (_) @type .) name: (identifier) @typed)
(catch_formal_parameter name: (identifier) @local)
(instanceof_expression right: (_) @type name: (identifier) @typed)
(type_pattern (_) @type . (identifier) @typed)
(record_pattern_component (_) @type . (identifier) @typed)
(enum_declaration name: (identifier) @type body: (enum_body (enum_constant name: (identifier) @typed)))
(type_parameter (type_identifier) @generic (type_bound . (_) @bound)?)
(lambda_expression parameters: (identifier) @local)
(inferred_parameters (identifier) @local)
(lambda_expression) @binding
[(lambda_expression) (block) (enhanced_for_statement) (for_statement) (catch_clause) (try_with_resources_statement)
 (switch_block_statement_group) (switch_rule)] @part
(formal_parameters (formal_parameter type: (generic_type) @callback))

(variable_declarator name: (identifier) @assigned value: (_) @value)
(resource name: (identifier) @assigned value: (_) @value)
(assignment_expression left: (field_access object: (this)) @assigned right: (_) @value)

(method_declaration type: [(type_identifier) (scoped_type_identifier) (generic_type)] @result)

(package_declaration (_) @package .)
(import_declaration [(scoped_identifier) (identifier)] @import .)
(import_declaration [(scoped_identifier) (identifier)] @import (asterisk) @import.star)

(method_invocation object: (_) @call.on name: (identifier) @call arguments: (_) @call.count)
(method_invocation !object name: (identifier) @call arguments: (_) @call.count)
(object_creation_expression . "new" type: (_) @call.new arguments: (_) @call.count)
(object_creation_expression . (_) @call.on "new" type: (type_identifier) @call arguments: (_) @call.count)
(enum_declaration
  name: (identifier) @call.new
  body: (enum_body (enum_constant name: (identifier) @call.at arguments: (argument_list) @call.count)))
(explicit_constructor_invocation constructor: [(super) (this)] @call arguments: (_) @call.count)

[(ERROR) (MISSING)] @error
