; Captures as in python/query.scm. A name that nothing binds is a call (@call.bare).
; What has children costs a walk through the grammar when this is compiled, and some kinds of nodes a long one, unless
; it is `_`: so are those that what stands in them tells (`method:`, `right:`, `elsif`).

(module name: (_) @name body: (body_statement)? @body) @class
(class name: (_) @name body: (body_statement)? @body) @class
(method name: (_) @name body: (_)? @body) @function
(singleton_method object: [(self) (constant)] @receiver name: (_) @name body: (_)? @body) @method
(singleton_method) @static
(singleton_class body: (_ [(method) (alias)] @static))
((singleton_class body: (_ (_
  method: (identifier) @_defines
  arguments: (_ (simple_symbol) @static))))
  (#match? @_defines "^(attr_(accessor|reader|writer)|alias_method)$"))
((_
  method: (identifier) @_defines
  arguments: (_ . [(simple_symbol) (string)] @name)
  block: (_ body: (_) @body)) @method
  (#eq? @_defines "define_method"))
((_ method: (identifier) @_defines arguments: (_ (simple_symbol) @name @method))
  (#match? @_defines "^(attr_(accessor|reader|writer)|delegate)$"))
((_ method: (identifier) @_reads arguments: (_ (simple_symbol) @attribute))
  (#match? @_reads "^attr_(accessor|reader)$"))
((_ method: (identifier) @_writes arguments: (_ (simple_symbol) @attribute.written))
  (#match? @_writes "^attr_(accessor|writer)$"))
(alias name: (_) @aliased alias: (identifier) @original)
((_
  method: (identifier) @_alias
  arguments: (_ . (simple_symbol) @aliased . (simple_symbol) @original))
  (#eq? @_alias "alias_method"))
(alias name: (_) @name) @method
((_ method: (identifier) @_alias arguments: (_ . (simple_symbol) @name @method))
  (#eq? @_alias "alias_method"))
(assignment
  left: (constant) @name
  right: (_ receiver: (constant) @_made method: (identifier) @_new block: (_) @body)
  (#match? @_made "^(Struct|Class|Module|Data)$")) @class
(program (_ left: (constant) @name "=") @variable)
(body_statement (_ left: (constant) @name "=") @variable)

[(lambda) (block) (do_block)] @lambda
(method_parameters [
  (identifier) @param
  (optional_parameter name: (_) @param)
  (keyword_parameter name: (_) @param)
  (splat_parameter name: (_) @param)
  (hash_splat_parameter name: (_) @param)
  (block_parameter name: (_) @param)
])
(block_parameters (identifier) @param)
(lambda_parameters (identifier) @param)

(superclass [(constant) (scope_resolution)] @base)
((assignment
  left: (constant)
  right: (_
    receiver: (constant) @_made
    arguments: (_ . [(constant) (scope_resolution)] @base)
    block: (_)))
  (#eq? @_made "Class"))
((call method: (identifier) @_mixes !receiver arguments: (_ [(constant) (scope_resolution)] @base))
  (#match? @_mixes "^(include|extend|prepend)$"))

(assignment left: [(identifier) (constant) (instance_variable) (class_variable)] @assigned right: (_) @value)
(operator_assignment
  left: [(identifier) (constant) (instance_variable) (class_variable)] @assigned
  operator: ["||=" "&&="]
  right: (_) @value)
(assignment
  left: [(identifier) (instance_variable)] @assigned
  right: [
    (_ ["if" "unless"] [
      consequence: (_ (_) @value .)
      alternative: (_ "else" (_) @value .)
      alternative: (_ "elsif" consequence: (_ (_) @value .))])
    (_ "case" (when body: (_ (_) @value .)))
    (_ "case" (when) (else (_) @value .))
  ])
(operator_assignment
  left: [(identifier) (instance_variable)] @assigned
  operator: "||="
  right: [
    (_ "if" [consequence: (_ (_) @value .) alternative: (_ "else" (_) @value .)])
    (_ "begin" (_) @value .)
  ])
((call
  !receiver
  method: (identifier) @_let
  arguments: (_ . (simple_symbol) @assigned)
  block: (_ body: (_ (_) @value .)))
  (#match? @_let "^(let|subject)!?$"))
((_ method: (identifier) @_describe arguments: (_ . [(constant) (scope_resolution)] @described))
  (#eq? @_describe "describe"))
([(optional_parameter name: (identifier) @assigned value: (_) @value)
  (keyword_parameter name: (identifier) @assigned value: (_) @value)]
  (#not-eq? @value "nil"))
(left_assignment_list (identifier) @assigned)
(for pattern: (identifier) @each value: (in (_) @of))
(exception_variable (identifier) @assigned)

(return (argument_list . (_) @returned .))
([(method body: [(call) (identifier) (instance_variable) (constant) (array) (hash)] @returned)
  (singleton_method body: [(call) (identifier) (instance_variable) (constant) (array) (hash)] @returned)])
(body_statement [(call) (identifier) (instance_variable) (constant) (scope_resolution) (self) (binary) (conditional) (string) (array) (hash)] @returned .)
(body_statement [(call) (identifier) (instance_variable) (constant) (scope_resolution) (self) (binary) (conditional) (string)] @returned . [(rescue) (ensure)])
(body_statement (_ "=" right: (_) @returned) .)
((body_statement (_ operator: _ @_operator right: (_) @returned) .)
  (#match? @_operator "^(\\|\\||&&|\\*\\*|<<|>>|[-+*/%|&^])=$"))
(body_statement
  (_ ["if" "unless"] [
    consequence: (_ [(call) (identifier) (instance_variable) (constant) (scope_resolution) (self) (binary) (conditional) (string)] @returned .)
    alternative: (_ "else" [(call) (identifier) (instance_variable) (constant) (scope_resolution) (self) (binary) (conditional) (string)] @returned .)
    alternative: (_ "elsif" [
      consequence: (_ [(call) (identifier) (instance_variable) (constant) (scope_resolution) (self) (binary) (conditional) (string)] @returned .)
      alternative: (_ "else" [(call) (identifier) (instance_variable) (constant) (scope_resolution) (self) (binary) (conditional) (string)] @returned .)])]) .)
(body_statement (_ "case" (when body: (_ [(call) (identifier) (instance_variable) (constant) (scope_resolution) (self) (binary) (conditional) (string)] @returned .))) .)
(body_statement (_ "case" (when) (else [(call) (identifier) (instance_variable) (constant) (scope_resolution) (self) (binary) (conditional) (string)] @returned .)) .)
(body_statement (_ "begin" [(call) (identifier) (instance_variable) (constant) (scope_resolution) (self) (binary) (conditional) (string)] @returned . [(rescue) (ensure)]) .)

(assignment left: (_ receiver: (_) @call.on method: (identifier) @call.set))
(left_assignment_list (_ receiver: (_) @call.on method: (identifier) @call.set))
(operator_assignment left: (_ receiver: (_) @call.on method: (identifier) @call.update))
((call
  !receiver
  method: [(identifier) @_loads (identifier) @import.beside]
  arguments: (_ . (string (string_content) @import)))
  (#match? @_loads "^(require|require_dependency|load)$")
  (#eq? @import.beside "require_relative"))
((_ method: (identifier) @_loads arguments: (_ . (simple_symbol) . (string (string_content) @import)))
  (#eq? @_loads "autoload"))

(call receiver: (_) @call.on method: [(identifier) (constant)] @call arguments: (_)? @call.args)
; `card.send(:pay)` is a call of pay.
((call receiver: (_)? @call.on method: (identifier) @_sends arguments: (_ . (simple_symbol) @call))
  (#any-of? @_sends "send" "public_send" "__send__"))
; `cards.map(&:pay)` is one on what cards give.
(call
  receiver: (_)? @call.on
  method: (identifier) @call.by
  arguments: (_ (block_argument (simple_symbol) @call)))
((call !receiver method: [(identifier) (constant) (super)] @call arguments: (_)? @call.args)
  (#not-match? @call "^(require|require_relative|require_dependency|load|autoload|include|extend|prepend|attr_(accessor|reader|writer)|private|protected|public|module_function|private_class_method|private_constant|define_method|alias_method)$"))
[
  (body_statement (super) @call)
  (block_body (super) @call)
  (then (super) @call)
  (else (super) @call)
  (_ [left: (super) @call right: (super) @call receiver: (super) @call])
  (argument_list (super) @call)
  (if_modifier body: (super) @call)
  (unless_modifier body: (super) @call)
]
(_ [receiver: (identifier) @call.bare right: (identifier) @call.bare])
((_ left: (identifier) @call.bare operator: _ @_operator)
  (#not-match? @_operator "^(\\|\\||&&|\\*\\*|<<|>>|[-+*/%|&^])=$"))
((body_statement (identifier) @call.bare)
  (#not-match? @call.bare "^(private|protected|public|module_function)$"))
(_ body: (identifier) @call.bare)
(optional_parameter value: (identifier) @call.bare)
(keyword_parameter value: (identifier) @call.bare)
(pair value: (identifier) @call.bare)
[
  (program (identifier) @call.bare)
  (block_body (identifier) @call.bare)
  (begin (identifier) @call.bare)
  (ensure (identifier) @call.bare)
  (do (identifier) @call.bare)
  (then (identifier) @call.bare)
  (else (identifier) @call.bare)
  (if condition: (identifier) @call.bare)
  (elsif condition: (identifier) @call.bare)
  (unless condition: (identifier) @call.bare)
  (while condition: (identifier) @call.bare)
  (until condition: (identifier) @call.bare)
  (if_modifier condition: (identifier) @call.bare)
  (unless_modifier condition: (identifier) @call.bare)
  (while_modifier condition: (identifier) @call.bare)
  (until_modifier condition: (identifier) @call.bare)
  (rescue_modifier handler: (identifier) @call.bare)
  (conditional (identifier) @call.bare)
  (case value: (identifier) @call.bare)
  (pattern (identifier) @call.bare)
  (in (identifier) @call.bare)
  (argument_list (identifier) @call.bare)
  (splat_argument (identifier) @call.bare)
  (hash_splat_argument (identifier) @call.bare)
  (block_argument (identifier) @call.bare)
  (right_assignment_list (identifier) @call.bare)
  (element_reference (identifier) @call.bare)
  (unary (identifier) @call.bare)
  (range (identifier) @call.bare)
  (array (identifier) @call.bare)
  (interpolation (identifier) @call.bare)
  (parenthesized_statements (identifier) @call.bare)
]

[(ERROR) (MISSING)] @error
