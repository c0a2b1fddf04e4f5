; Captures as in python/query.scm. Everything is a call; what defines something is told by its first word.

((call target: (identifier) @_word (arguments . (alias) @name) (do_block) @body) @class
  (#any-of? @_word "defmodule" "defimpl"))
((call target: (identifier) @_word (arguments . (alias) @name) (do_block
  . (unary_operator operand: (call target: (identifier) @_about (arguments . (string) @about)))) @body) @class
  (#any-of? @_word "defmodule" "defimpl") (#eq? @_about "moduledoc"))
((call target: (identifier) @_word (arguments . (alias) @name) (do_block) @body) @interface
  (#eq? @_word "defprotocol"))
((call target: (identifier) @_word (arguments . [
    (call target: (identifier) @name)
    (identifier) @name
    (binary_operator left: (call target: (identifier) @name) operator: "when")])
  (do_block)? @body) @function
  (#any-of? @_word "def" "defp" "defmacro" "defmacrop" "defdelegate" "defguard" "defguardp"))
((unary_operator operand: (call target: (identifier) @_about (arguments . (string) @about)))
  . [(unary_operator) (comment)]*
  . (call target: (identifier) @_word (arguments . [
      (call target: (identifier) @name)
      (identifier) @name
      (binary_operator left: (call target: (identifier) @name) operator: "when")])
    (do_block)? @body) @function
  (#any-of? @_word "def" "defp" "defmacro" "defmacrop" "defdelegate" "defguard" "defguardp") (#eq? @_about "doc"))

((call target: (identifier) @_word (arguments . (call (arguments (identifier) @param))))
  (#any-of? @_word "def" "defp" "defmacro" "defmacrop"))
(binary_operator left: (identifier) @assigned operator: "=" right: (call) @value)
(anonymous_function) @lambda

((call target: (identifier) @_word (arguments . [(alias) (dot)])) @import
  (#any-of? @_word "alias" "import" "use" "require"))

((call target: (identifier) @call (arguments)? @call.args)
  (#not-match? @call "^(def|defp|defmacro|defmacrop|defmodule|defprotocol|defimpl|defstruct|defdelegate|defguard|defguardp|defexception|defoverridable|alias|import|use|require|if|unless|case|cond|with|for|fn|quote|unquote|try|receive|moduledoc|doc|spec|type|typep|opaque|callback|behaviour|impl|test|describe|raise|super)$"))
(call target: (dot left: (alias) right: (identifier)) @call (arguments)? @call.args)
(call target: (dot left: (identifier) right: (identifier)) @call (arguments) @call.args)

((call target: (identifier) @_word (arguments . [
    (call target: (identifier) @uncalled)
    (binary_operator left: (call target: (identifier) @uncalled) operator: "when")]))
  (#any-of? @_word "def" "defp" "defmacro" "defmacrop" "defdelegate" "defguard" "defguardp"))
((unary_operator operand: (call target: (identifier) @_type)) @uncalled
  (#any-of? @_type "spec" "type" "typep" "opaque" "callback" "macrocallback"))

[(ERROR) (MISSING)] @error
