; Captures as in python/query.scm. What C and C++ have in common. A name is looked for inside of its declarator.
; A `;` as @body: the signature ends there, and no body follows.
; @name.whole: the name of what a macro defines, as it stands: `TEST(Card, charges)`.

(struct_specifier name: (_) @name body: (_) @body) @class
(union_specifier name: (_) @name body: (_) @body) @class
(enum_specifier name: (_) @name body: (_) @body) @class
(enumerator name: (identifier) @name) @variable

; A typedef gives a type another name, or its only one.
(type_definition
  type: (_ ["struct" "union" "enum"] !name body: (_) @body)
  declarator: (_) @name) @class
((type_definition
  type: (_ ["struct" "union" "enum"] name: (_) @_tag)
  declarator: (_) @name ";" @body) @class
  (#not-eq? @_tag @name))
(type_definition type: [(type_identifier) (primitive_type) (sized_type_specifier)] declarator: (_) @name ";" @body) @class
(type_definition type: [(type_identifier) (struct_specifier name: (_) !body)] @base declarator: (type_identifier))

((function_definition declarator: (_) @name body: (_) @body) @function
  (#not-match? @name "^(if|while|for|switch|else|return)\\b"))
((declaration
  declarator: [
    (function_declarator)
    (_ "*" declarator: (function_declarator))
    (_ "*" declarator: (_ "*" declarator: (function_declarator)))
  ] @name
  ";" @body) @function
  (#not-match? @name "^(if|while|for|switch|else|return)\\b"))
(function_definition
  type: (type_identifier)
  declarator: (parenthesized_declarator (identifier) @name.whole)
  body: (_) @body) @function
((function_definition !type
  declarator: (_
    declarator: (identifier) @_macro
    parameters: (_ . (parameter_declaration !declarator))) @name.whole
  body: (_) @body) @function
  (#match? @_macro "^[A-Z][A-Z0-9_]*$"))
(preproc_function_def name: (identifier) @name.whole value: (_) @body) @function
(preproc_def name: (identifier) @name value: (_)) @variable
; A name for another: calls by it are calls of that.
((preproc_def name: (identifier) @assigned value: (preproc_arg) @value) (#match? @value "^[ \\t]*[A-Za-z_][A-Za-z_0-9]*[ \\t]*$"))
(declaration
  declarator: [
    (identifier)
    (array_declarator)
    (init_declarator)
    (_ "*" declarator: (_))
    (function_declarator declarator: (parenthesized_declarator))
  ] @name) @variable

(preproc_include path: [(string_literal) (system_lib_string)] @import) @import.star

(preproc_params (identifier) @param)
(attribute_specifier (argument_list (_) @decorator))

[(ERROR) (MISSING)] @error
