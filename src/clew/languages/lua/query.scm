; Captures as in python/query.scm. A table of a file is read as a class: functions are added to it.

(function_declaration name: (identifier) @name body: (_)? @body) @function
(function_declaration
  name: (dot_index_expression table: (identifier) @receiver field: (identifier) @name)
  body: (_)? @body) @method
(function_declaration
  name: (method_index_expression table: (identifier) @receiver method: (identifier) @name)
  body: (_)? @body) @method
(chunk (variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (table_constructor) @body .))) @class)
(chunk (variable_declaration (assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: [(string) (number) (true) (false)] .))) @variable)
(assignment_statement
  (variable_list . name: (identifier) @name .)
  (expression_list . value: (function_definition body: (_)? @body) .)) @function
(assignment_statement
  (variable_list . name: (dot_index_expression table: (identifier) @receiver field: (identifier) @name) .)
  (expression_list . value: (function_definition body: (_)? @body) .)) @method
(table_constructor (field name: (identifier) @name value: (function_definition body: (_)? @body)) @function)
(function_definition) @lambda

(parameters name: (identifier) @param)
(assignment_statement
  (variable_list . name: (identifier) @assigned .)
  (expression_list . value: [(function_call) (identifier) (dot_index_expression)] @value .))
(return_statement (expression_list . [(function_call) (identifier) (dot_index_expression)] @returned .))
(chunk (return_statement (expression_list . (identifier) @exported .)))

((function_call name: (identifier) @_loads arguments: (arguments . (string content: (_) @import) .))
  (#eq? @_loads "require"))
(function_call name: [(identifier) (dot_index_expression) (method_index_expression)] @call arguments: (_) @call.args)

[(ERROR) (MISSING)] @error
