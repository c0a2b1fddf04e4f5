; Captures as in python/query.scm. A body stands behind its signature, and a call's brackets behind its name.

(class_definition name: (identifier) @name body: (class_body) @body) @class
(mixin_declaration (identifier) @name (class_body) @body) @class
(enum_declaration name: (identifier) @name body: (_) @body) @class
(extension_declaration class: (type_identifier) @name body: (_) @body) @impl
(type_alias . (type_identifier) @name) @variable
((function_signature name: (identifier) @name) @function . (function_body)? @body)
((method_signature (function_signature name: (identifier) @name)) @method . (function_body)? @body)
((method_signature (getter_signature name: (identifier) @name)) @method . (function_body)? @body)
(method_signature (getter_signature) @property)
((method_signature (setter_signature name: (identifier) @name)) @method . (function_body)? @body)
((method_signature (factory_constructor_signature . (identifier) . (identifier) @name)) @method . (function_body)? @body)
(method_signature (factory_constructor_signature) @static)
((method_signature (function_signature)) @static (#match? @static "^static\\b"))
(declaration (function_signature name: (identifier) @name)) @method
(declaration (constructor_signature . name: (identifier) . name: (identifier) @name)) @method
((method_signature (constructor_signature . name: (identifier) . name: (identifier) @name)) @method . (function_body)? @body)

(superclass . (type_identifier) @base)
(mixins (type_identifier) @base)
(interfaces (type_identifier) @implements)
(formal_parameter name: (identifier) @param)
(constructor_param (identifier) @param)
(formal_parameter (type_identifier) @type name: (identifier) @typed)
(declaration (type_identifier) @type (initialized_identifier_list (initialized_identifier . (identifier) @field)))
(declaration (type_identifier) @type (static_final_declaration_list (static_final_declaration . (identifier) @field)))
(initialized_variable_definition (type_identifier) @type name: (identifier) @typed)
(initialized_variable_definition name: (identifier) @assigned value: (_)+ @value)
(function_signature . (type_identifier) @result)
(getter_signature . (type_identifier) @result)
(return_statement [(identifier) (this)] @returned . (selector)* @returned)
(function_expression) @lambda

(library_import (import_specification (configurable_uri) @import (identifier) @import.alias))
(library_import (import_specification . (configurable_uri) @import @import.star .))
(library_import (import_specification (configurable_uri) @import @import.star (combinator)))
(library_export (configurable_uri) @import @import.star)

(_ (identifier) @call . (selector (argument_part (arguments) @call.args)))
(_ [(identifier) (this) (super)] @call.on . (selector)* .
  (selector (unconditional_assignable_selector (identifier) @call)) .
  (selector (argument_part (arguments) @call.args)))
(_ [(identifier) (this)] @call.on . (selector)* .
  (selector (conditional_assignable_selector (identifier) @call)) .
  (selector (argument_part (arguments) @call.args)))
(_ (identifier) @call.on . (cascade_section)* .
  (cascade_section (cascade_selector (identifier) @call) (argument_part (arguments) @call.args)))
(_ (super) @call.on . (unconditional_assignable_selector (identifier) @call) . (selector (argument_part (arguments) @call.args)))
(new_expression (type_identifier) @call.new)
(const_object_expression (type_identifier) @call.new)

[(ERROR) (MISSING)] @error
