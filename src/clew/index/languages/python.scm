; Captures: @class @function @method @interface @variable @section @block mark a definition, with its @name and @body;
; @heading opens a section that ends where the next one opens or the section around it ends;
; @doc documents the definition it stands in, @documented has the file's doc before it; @import and @import.name; @error;
; @call, with @call.on where what it is called on is a node apart, or @call.tokens, the last name of a callee in tokens,
; or @call.new, a type of which an object is made;
; @name.after names a definition that has no name of its own after another: <Runnable>; @receiver is what it is added to;
; @typed is bound to an object of a @type, @field too but in the class around, @assigned to a @value, @local to what cannot
; be told, @self to the object itself;
; @property stands in a method that is read like a field; @at is where any of these belongs, if not where it stands;
; @namespace names its contents, @impl adds them to a type; @each is bound to the elements of @of, @element is the type
; of a class's own, @generic is a type parameter that is known to be a @bound.

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
