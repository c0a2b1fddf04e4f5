; Captures as in python/query.scm. A type is a value that a constant is bound to.

(variable_declaration (identifier) @name
  [(struct_declaration) (union_declaration) (enum_declaration) (opaque_declaration)] @body) @class
(function_declaration name: (identifier) @name body: (block)? @body) @function
(source_file (variable_declaration . (identifier) @name) @variable)
(container_field name: (identifier) @field type: (_) @type)
(test_declaration (string (string_content) @name) (block) @body) @block

(parameter name: (identifier) @param)
(parameter name: (identifier) @typed type: (_) @type)
(function_declaration type: (_) @result)
(variable_declaration . (identifier) @typed type: (_) @type)
(variable_declaration . (identifier) @assigned
  [(call_expression) (field_expression) (try_expression) (identifier) (builtin_function) (struct_initializer)] @value .)
(return_expression [(call_expression) (identifier) (field_expression) (struct_initializer)] @returned)

((builtin_function (builtin_identifier) @_loads (arguments (string (string_content) @import)))
  (#eq? @_loads "@import"))
((source_file (variable_declaration . (identifier) @import.alias (builtin_function (builtin_identifier) @import)))
  (#eq? @import "@This"))
(call_expression function: [(identifier) (field_expression)] @call)

[(ERROR) (MISSING)] @error
