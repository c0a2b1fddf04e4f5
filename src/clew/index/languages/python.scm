; Captures: @class @function @method @interface @variable @section @block mark a definition, with its @name and @body;
; @heading opens a section that ends where the next one opens or the section around it ends;
; @doc documents the definition it stands in, @documented has the file's doc before it; @import and @import.name; @error;
; @call, with @call.on where what it is called on is a node apart, or @call.tokens, the last name of a callee in tokens;
; @namespace names its contents, @impl adds them to a type; @each is bound to the elements of @of, @element is the type
; of a class's own, @generic is a type parameter that is known to be a @bound.

(class_definition name: (identifier) @name body: (block) @body) @class
(function_definition name: (identifier) @name body: (block) @body) @function
(module (expression_statement (assignment left: (identifier) @name) @variable))

(block . (expression_statement . (string) @doc))
(module . (comment)* . (expression_statement . (string) @doc))

; Imports and calls are read from the tree itself (clew.index.python).

[(ERROR) (MISSING)] @error
