; Captures as in python/query.scm.

; Definitions. An object whose members are functions is a scope, as a variable with a body.
(class_declaration name: (_) @name body: (class_body) @body) @class
(function_declaration name: (identifier) @name body: (statement_block) @body) @function
(generator_function_declaration name: (identifier) @name body: (statement_block) @body) @function
(method_definition name: (_) @name body: (statement_block) @body) @method
(variable_declarator
  name: (identifier) @name
  value: [
    (_ "=>" body: (_) @body)
    (function_expression body: (_) @body)
    (generator_function body: (_) @body)
  ]) @function
(variable_declarator name: (identifier) @name value: (class body: (class_body) @body)) @class
((variable_declarator
  name: (identifier) @name
  value: (call_expression
    function: (_) @_wrapper
    arguments: (arguments . [(_ "=>" body: (_) @body) (function_expression body: (_) @body)]))) @function
  (#match? @_wrapper "^(React\\.)?(memo|forwardRef|useCallback|observer|debounce|throttle)$"))
(variable_declarator
  name: (identifier) @name
  value: (object [
    (method_definition)
    (pair value: [(arrow_function) (function_expression)])
    (pair value: (object [(method_definition) (pair value: [(arrow_function) (function_expression)])]))
  ]) @body) @object
(pair
  key: (property_identifier) @name
  value: (object [(method_definition) (pair value: [(arrow_function) (function_expression)])]) @body) @entry
(program (expression_statement (_
  left: (_ object: (identifier) @receiver property: (property_identifier) @name)
  "="
  right: [(_ "=>" body: (_) @body) (function_expression body: (_) @body)]) @method)
  (#not-match? @receiver "^(exports|module|window|globalThis|global|self|console|process|document)$"))
(program (expression_statement (_
  left: (_
    object: (_ object: (identifier) @receiver property: (property_identifier) @_prototype)
    property: (property_identifier) @name)
  "="
  right: [(_ "=>" body: (_) @body) (function_expression body: (_) @body)]) @method)
  (#eq? @_prototype "prototype"))
(assignment_expression
  left: (_ object: (this) @receiver property: (_) @name)
  right: [(_ "=>" body: (_) @body) (function_expression body: (_) @body)]) @method
((assignment_expression
  left: (_ object: (_) @_exports property: (property_identifier) @name)
  right: [(_ "=>" body: (_) @body) (function_expression body: (_) @body)]) @function
  (#any-of? @_exports "exports" "module.exports"))
((assignment_expression
  left: (member_expression) @_exports
  right: (class name: (_) @name body: (class_body) @body)) @class
  (#eq? @_exports "module.exports"))
((assignment_expression
  left: (member_expression) @_exports
  right: (function_expression name: (identifier) @name body: (statement_block) @body)) @function
  (#eq? @_exports "module.exports"))
(pair
  key: [(property_identifier) (string)] @name
  value: [(_ "=>" body: (_) @body) (function_expression body: (_) @body)]) @method
(export_statement
  "default" @name
  value: [(_ "=>" body: (_) @body) (function_expression body: (_) @body)]) @function
(export_statement "default" @name value: (class body: (class_body) @body)) @class
(program (lexical_declaration (variable_declarator name: (identifier) @name) @variable))
(program (variable_declaration (variable_declarator name: (identifier) @name) @variable))
(program (export_statement
  declaration: (lexical_declaration (variable_declarator name: (identifier) @name) @variable)))
(program (export_statement
  declaration: (variable_declaration (variable_declarator name: (identifier) @name) @variable)))
(program (export_statement declaration: (lexical_declaration (variable_declarator name: [
  (array_pattern (identifier) @name)
  (object_pattern (shorthand_property_identifier_pattern) @name)
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @name))
  (object_pattern (pair_pattern value: (identifier) @name))
  (object_pattern (rest_pattern (identifier) @name))
]) @variable)))

(method_definition "get" @property)
(method_definition "static" @static)
[(arrow_function) (function_expression) (generator_function)] @lambda
[(arrow_function) (function_expression)] @binding
(object (method_definition) @binding)
[(method_definition) (function_declaration) (generator_function_declaration)] @lambda

; Blocks bind names of their own; what `var` binds is seen in the whole function.
[(for_statement) (for_in_statement) (catch_clause) (finally_clause) (else_clause) (switch_body)] @part
(if_statement consequence: (statement_block) @part)
(while_statement body: (statement_block) @part)
(do_statement body: (statement_block) @part)
(try_statement body: (statement_block) @part)
(statement_block (statement_block) @part)
(program (statement_block) @part)
(variable_declaration (variable_declarator name: (identifier) @hoisted))
(variable_declaration (variable_declarator name: [
  (object_pattern [(shorthand_property_identifier_pattern) @hoisted (pair_pattern value: (identifier) @hoisted)])
  (array_pattern (identifier) @hoisted)
]))

; What is bound, and to what.
(function_expression name: (identifier) @itself)
(generator_function name: (identifier) @itself)
(variable_declarator name: (identifier) @assigned value: (_) @value)
(variable_declarator
  name: (object_pattern (shorthand_property_identifier_pattern) @assigned @key) value: (_) @value)
(variable_declarator
  name: (object_pattern (object_assignment_pattern
    left: (shorthand_property_identifier_pattern) @assigned @key)) value: (_) @value)
(variable_declarator
  name: (object_pattern (pair_pattern key: (property_identifier) @key value: (identifier) @assigned))
  value: (_) @value)
(variable_declarator name: (array_pattern (identifier) @assigned))
((variable_declarator name: (array_pattern . (identifier) @first) @_all value: (_) @value)
  (#not-match? @_all "^\\[\\s*,"))
((variable_declarator name: (array_pattern . (identifier) @latter) @_all value: (_) @value)
  (#match? @_all "^\\[\\s*,\\s*\\w"))
((variable_declarator name: (array_pattern . (_) . (identifier) @latter) @_all value: (_) @value)
  (#not-match? @_all "^\\[\\s*,"))
(variable_declarator name: (object_pattern (rest_pattern (identifier) @assigned)) value: (_) @value)
(variable_declarator name: (array_pattern [
  (assignment_pattern left: (identifier) @assigned)
  (rest_pattern (identifier) @assigned)
  (array_pattern (identifier) @assigned)
  (object_pattern [
    (shorthand_property_identifier_pattern) @assigned
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @assigned)
    (pair_pattern value: (identifier) @assigned)
  ])
]))
(variable_declarator name: (object_pattern (pair_pattern value: [
  (array_pattern (identifier) @assigned)
  (object_pattern [
    (shorthand_property_identifier_pattern) @assigned
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @assigned)
    (pair_pattern value: (identifier) @assigned)
  ])
])))
(variable_declarator
  name: (object_pattern (pair_pattern
    key: (property_identifier) @key value: (assignment_pattern left: (identifier) @assigned)))
  value: (_) @value)
(variable_declarator !value name: (identifier) @assigned)
(variable_declarator
  name: (identifier) @assigned
  value: (_ left: (_) @value operator: ["||" "??"]))
(variable_declarator
  name: (identifier) @assigned
  value: (_ operator: ["||" "??"] right: (_) @value))
(variable_declarator name: (identifier) @assigned value: (_ consequence: (_) @value))
(variable_declarator name: (identifier) @assigned value: (_ alternative: (_) @value))
(assignment_expression left: (identifier) @reassigned right: (_) @value)
(assignment_expression left: (_ object: (this) property: (_)) @assigned right: (_) @value)
(assignment_expression
  left: (_ object: (this) property: (_)) @assigned
  right: (_ left: (_) @value operator: ["||" "??"]))
(assignment_expression
  left: (_ object: (this) property: (_)) @assigned
  right: (_ operator: ["||" "??"] right: (_) @value))
(assignment_expression
  left: (_ object: (identifier) property: (property_identifier)) @reassigned
  right: [(identifier) (member_expression) (new_expression) (call_expression)] @value)
(for_in_statement left: (identifier) @each operator: "of" right: (_) @of)
(for_in_statement left: (identifier) @assigned operator: "in")
(for_in_statement left: (array_pattern (identifier) @assigned))
(for_in_statement left: (array_pattern (object_pattern (shorthand_property_identifier_pattern) @assigned)))
(for_in_statement left: (object_pattern [
  (shorthand_property_identifier_pattern) @assigned
  (object_assignment_pattern left: (shorthand_property_identifier_pattern) @assigned)
  (pair_pattern value: (identifier) @assigned)
]))
(catch_clause parameter: (identifier) @assigned)

(return_statement
  [(identifier) (member_expression) (call_expression) (new_expression) (await_expression) (object) (this)
   (subscript_expression) (parenthesized_expression) (array)] @returned)
(return_statement (_ consequence: (_) @returned))
(return_statement (_ alternative: (_) @returned))
(return_statement (_ left: (_) @returned operator: ["||" "??"]))
(return_statement (_ operator: ["||" "??"] right: (_) @returned))
(arrow_function body:
  [(identifier) (member_expression) (call_expression) (new_expression) (await_expression) (this)
   (subscript_expression) (parenthesized_expression) (array)] @returned)

(class_declaration decorator: (decorator (_) @decorator))
(class decorator: (decorator (_) @decorator))
(export_statement decorator: (decorator (_) @decorator))

; What is offered to other files.
(export_statement declaration: [
  (function_declaration name: (_) @exported)
  (generator_function_declaration name: (_) @exported)
  (class_declaration name: (_) @exported)
  (lexical_declaration (variable_declarator name: (identifier) @exported))
  (lexical_declaration (variable_declarator name: (object_pattern (shorthand_property_identifier_pattern) @exported)))
  (lexical_declaration (variable_declarator name: (object_pattern (pair_pattern value: (identifier) @exported))))
  (variable_declaration (variable_declarator name: (identifier) @exported))
])
(export_statement !source (export_clause (export_specifier !alias name: (_) @offered)))
(export_statement !source (export_clause (export_specifier name: (_) @value alias: (_) @offered)))
(export_statement "default" @offered value: (_) @value)
(export_statement "default" @offered declaration: [
  (function_declaration name: (_) @value)
  (generator_function_declaration name: (_) @value)
  (class_declaration name: (_) @value)
])
(export_statement (export_clause (export_specifier alias: (_) @exported)) source: (_))
(export_statement (export_clause (export_specifier !alias name: (_) @exported)) source: (_))
(export_statement (namespace_export (_) @exported))
((assignment_expression left: (member_expression) @offered right: (_) @value)
  (#eq? @offered "module.exports"))
((variable_declarator name: (identifier) @value value: (assignment_expression left: (member_expression) @offered))
  (#eq? @offered "module.exports"))
((variable_declarator
  name: (identifier) @value
  value: (assignment_expression right: (assignment_expression left: (member_expression) @offered)))
  (#eq? @offered "module.exports"))
((assignment_expression
  left: (_ object: (_) @_exports property: (property_identifier) @offered) right: (_) @value)
  (#any-of? @_exports "exports" "module.exports"))
((assignment_expression
  left: (member_expression) @_exports right: (object (shorthand_property_identifier) @offered @value))
  (#eq? @_exports "module.exports"))
((assignment_expression
  left: (member_expression) @_exports
  right: (object (pair key: (property_identifier) @offered value: (_) @value)))
  (#eq? @_exports "module.exports"))

; Imports.
(import_statement "import" . source: (string) @import)
(import_statement (import_clause (identifier) @import.default) source: (string) @import)
(import_statement
  (import_clause (named_imports (import_specifier !alias name: (_) @import.name @import.alias)))
  source: (string) @import)
(import_statement
  (import_clause (named_imports (import_specifier name: (_) @import.name alias: (_) @import.alias)))
  source: (string) @import)
(import_statement (import_clause (namespace_import (identifier) @import.alias)) source: (string) @import)
(export_statement
  (export_clause (export_specifier !alias name: (_) @import.name @import.alias)) source: (string) @import)
(export_statement
  (export_clause (export_specifier name: (_) @import.name alias: (_) @import.alias)) source: (string) @import)
(export_statement (namespace_export (_) @import.alias) source: (string) @import)
(export_statement "*" @import.star source: (string) @import)
(call_expression function: (import) arguments: (arguments . (string) @import))
((call_expression function: (identifier) @_require arguments: (arguments . (string) @import))
  (#eq? @_require "require"))

(call_expression
  function: [
    (identifier) (member_expression) (super) (subscript_expression) (call_expression) (parenthesized_expression)] @call
  arguments: (_) @call.args)
(new_expression
  constructor: [(identifier) (member_expression) (subscript_expression) (parenthesized_expression)] @call
  arguments: (_)? @call.args)
(decorator [(identifier) (member_expression)] @call)

; What an expression is found to be: @within is where that holds, from behind @after if that is given.
(if_statement
  condition: (_
    (_
      left: [(identifier) (member_expression)] @narrowed operator: "instanceof" right: [(identifier) (member_expression)] @type))
  consequence: (_) @within)
(if_statement
  condition: (_ (_ operator: "&&" right:
    (_
      left: [(identifier) (member_expression)] @narrowed operator: "instanceof" right: [(identifier) (member_expression)] @type)))
  consequence: (_) @within)
(if_statement
  condition: (_ (_ left:
    (_
      left: [(identifier) (member_expression)] @narrowed operator: "instanceof" right: [(identifier) (member_expression)] @type) operator: "&&"))
  consequence: (_) @within)
(binary_expression
  left: (_
      left: [(identifier) (member_expression)] @narrowed operator: "instanceof" right: [(identifier) (member_expression)] @type)
  operator: "&&" right: (_) @within)
(ternary_expression
  condition: (_
      left: [(identifier) (member_expression)] @narrowed operator: "instanceof" right: [(identifier) (member_expression)] @type)
  consequence: (_) @within)
(statement_block
  (if_statement
    condition: (_ (unary_expression operator: "!" argument: (parenthesized_expression
      (_
      left: [(identifier) (member_expression)] @narrowed operator: "instanceof" right: [(identifier) (member_expression)] @type))))
    consequence: [
      (return_statement) (throw_statement) (continue_statement)
      (statement_block [(return_statement) (throw_statement) (continue_statement) (break_statement)] .)
    ]) @after) @within

[(ERROR) (MISSING)] @error
