; Captures as in python/query.scm. Clauses of a function are one definition; its signature stands before them.

(declarations (function name: (variable) @name) @function)
(declarations (bind name: (variable) @name) @function)
(local_binds (function name: (variable) @name) @function)
(instance_declarations (function name: (variable) @name) @method)
(instance_declarations (bind name: (variable) @name) @method)
(class_declarations (signature name: (variable) @name) @method)
(data_type name: (name) @name) @class
(newtype name: (name) @name) @class
(type_synonym name: (name) @name) @variable
(class name: (name) @name declarations: (_)? @body) @interface
(instance patterns: (type_patterns . (name) @name) declarations: (_)? @body) @impl
(lambda) @lambda

(patterns (variable) @param)
(bind pattern: (variable) @local)

(import "qualified" module: (module) @import alias: (module) @import.alias)
(import "qualified" module: (module) @import !alias)
(import module: (module) @import names: (import_list name: (import_name [variable: (variable) type: (name)] @import.name)))
((import !names module: (module) @import @import.star) @_whole (#not-match? @_whole "\\bqualified\\b"))

(apply function: [(variable) (qualified) (constructor)] @call)
((infix left_operand: [(variable) (qualified)] @call operator: (operator) @_applies)
  (#any-of? @_applies "$" "$!" "<$>" "." "=<<" "<=<" "<*>"))
((infix operator: (operator) @_applies right_operand: [(variable) (qualified)] @call)
  (#any-of? @_applies "." ">>=" ">=>" ">>" "&"))
(exp [(variable) (qualified)] @call.bare)
(bind expression: [(variable) (qualified)] @call.bare)
(match expression: [(variable) (qualified)] @call.bare)

(_ patterns: (_) @uncalled)
(_ pattern: (_) @uncalled)

[(ERROR) (MISSING)] @error
