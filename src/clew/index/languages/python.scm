; Captures: @class @function @method @interface @variable @section @block mark a definition, with its @name and @body;
; @heading opens a section that ends where the next one opens or the section around it ends;
; @doc documents the definition it stands in; @import and @import.name; @call; @error.
;
; A @variable with a @body is an object: a scope, with members; @property is one inside of another object.
; Told of the scope around, each by a pattern of its own: @base @implements @decorator @param @returned @result
; @exported; @typed with @type; @field (a member of the class around) with @type; @assigned, @reassigned (a name that is
; bound elsewhere) and @offered (to other files, under this name) with @value, and @key if it is a member of the value;
; @each with @of: an element of it; @taken with @key: a member of the parameter around. @lambda is a function, named or
; not: what it returns is not its holder's.
; @import.alias, @import.default (an alias of `default`), @import.star; @import.beside: the path is from the file.
; @call.on is the receiver, where one node does not hold both, @call.args what is passed; @call.bare is a call only where
; nothing binds the name.

(class_definition name: (identifier) @name body: (block) @body) @class
(function_definition name: (identifier) @name body: (block) @body) @function
(module (expression_statement (assignment left: (identifier) @name) @variable))

(block . (expression_statement . (string) @doc))
(module . (comment)* . (expression_statement . (string) @doc))

(import_statement [
  (dotted_name) @import
  (aliased_import name: (dotted_name) @import)
])
(import_from_statement
  module_name: (_) @import
  [(dotted_name) @import.name (aliased_import name: (dotted_name) @import.name) (wildcard_import) @import.name
   "," (comment)]+)
(future_import_statement "__future__" @import)

(call function: [(identifier) (attribute)] @call)

[(ERROR) (MISSING)] @error
