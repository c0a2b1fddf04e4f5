; Captures: @class @function @method @interface @variable @section @block @statement mark a definition, with its @name
; and @body, and so does @fence, code in prose;
; @heading opens a section that ends where the next one opens (of its @level or above) or the section around it ends;
; @item is where what stands outside of every definition may be cut, if not between the outermost nodes;
; @doc documents the definition it stands in; @import and @import.name; @call; @error.

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
