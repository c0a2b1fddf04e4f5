; What TypeScript adds to JavaScript.

(abstract_class_declaration name: (type_identifier) @name body: (class_body) @body) @class
(interface_declaration name: (type_identifier) @name body: (_) @body) @interface
(type_alias_declaration name: (type_identifier) @name) @interface
(enum_declaration name: (identifier) @name body: (_) @body) @class
(function_signature name: (identifier) @name) @function
(abstract_method_signature name: (_) @name) @method
(internal_module name: (_) @name body: (_) @body) @class
(public_field_definition
  name: (property_identifier) @name
  value: (arrow_function body: (_) @body)) @method
