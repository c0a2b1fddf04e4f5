; Captures: @class @function @method @interface @variable @section @block @statement mark a definition, with its @name
; and @body, and so does @fence, code in prose;
; @object is a variable that is a scope with members, @entry one inside of another object;
; @name.after names a definition that has no name of its own after another: <Runnable>; @receiver is what it is added to;
; @namespace names its contents, @impl adds them to a type; @lambda is a function, named or not: what it returns is not
; its holder's; @heading opens a section that ends where the next one opens (of its @level or above) or the section around
; it ends; @item is where what stands outside of every definition may be cut, if not between the outermost nodes;
; @about is the text that documents a definition, where that is neither a comment before it nor the first thing in it;
; @doc documents the definition it stands in, @documented has the file's doc before it; @error.
;
; Told of the scope around, each by a pattern of its own: @base @implements @decorator @param @returned @result @exported @handed;
; @typed is bound to an object of a @type (@plain to a value of one that has no members), @field too but in the class around; @assigned, @reassigned (a name that is bound
; elsewhere) and @offered (to other files, under this name) to a @value, or its member @key; @local to what cannot be
; told, @self to the object itself, @each to the elements of @of, @taken to the member @key of the parameter around;
; @generic is a type parameter that is known to be a @bound, @element the type of what a class holds; @rest stands in
; the head of a function that takes any number, @property in a method that is read like a field, @single the name of an object of Scala, @case of a class that it makes an `apply` for, @canonical in a constructor that takes what the head of its class does; @at is where any of these belongs, if not where it stands.
;
; @import with @import.name, @import.alias, @import.default (an alias of `default`), @import.star; @import.beside: the
; path is from the file. @call, with @call.on where what it is called on is a node apart, and @call.args, what is passed,
; or @call.count, of which only the number counts; @call.by is what a name is handed on to, which calls it;
; @call.set is a member that is assigned to, by a method whose name ends in `=`;
; @uncalled is a type or pattern, in which nothing is called however it is written;
; @call.read a member that is a call only if it is a method,
; @call.bare is a call only where nothing binds the name, @call.new a type of which an object is made (@call.at where that
; stands apart), @call.setup what may be a base that is set up by its constructor, @call.tokens the last name of a callee in tokens.

(class_definition name: (identifier) @name body: (block) @body) @class
(function_definition name: (identifier) @name body: (block) @body) @function
(module (expression_statement (assignment left: (identifier) @name) @variable))
(module (if_statement (block (expression_statement (assignment left: (identifier) @name) @variable))))
(module (if_statement (_ (block (expression_statement (assignment left: (identifier) @name) @variable)))))
(module (try_statement (block (expression_statement (assignment left: (identifier) @name) @variable))))
(module (try_statement (_ (block (expression_statement (assignment left: (identifier) @name) @variable)))))
(module (type_alias_statement left: (type [(identifier) @name (generic_type . (identifier) @name)])) @variable)

(block . (expression_statement . (string) @doc))
(module . (comment)* . (expression_statement . (string) @doc))
(decorated_definition (decorator (expression) @decorator))

; Imports and calls are read from the tree itself (clew.index.python).

[(ERROR) (MISSING)] @error
