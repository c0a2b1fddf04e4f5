; Captures: @class @function @method @interface @variable @section @block mark a definition, with its @name and @body;
; @heading opens a section that ends where the next one opens or the section around it ends;
; @doc documents the definition it stands in; @import and @import.name; @call; @error.

(class_definition name: (identifier) @name body: (block) @body) @class
(function_definition name: (identifier) @name body: (block) @body) @function
(module (expression_statement (assignment left: (identifier) @name) @variable))

(block . (expression_statement . (string) @doc))
(module . (comment)* . (expression_statement . (string) @doc))

; Imports and calls are read from the tree itself (clew.index.python).

[(ERROR) (MISSING)] @error
