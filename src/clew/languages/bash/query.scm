; Captures as in python/query.scm. Every command is a call; which of them are functions is known where all files are.

(function_definition name: (word) @name body: (_) @body) @function
(program (variable_assignment name: (variable_name) @name) @variable)
(program (declaration_command (variable_assignment name: (variable_name) @name)) @variable)

((command name: (command_name (word) @import.star) argument: [(word) (string) (raw_string) (concatenation)] @import)
  (#match? @import.star "^(source|\\.)$"))

((command name: (command_name (word) @call))
  (#not-match? @call "^(source|[].:{}[]|do|done|then|else|fi|esac|@test|echo|cd|printf|set|shift|exit|return|test|true|false|read|eval|exec|pwd|trap|wait|kill|break|continue|let|getopts|type|command|builtin|umask|ulimit|pushd|popd|shopt|alias|mapfile|dirname|basename)$"))
((command name: (command_name (word) @_trap) . argument: (word) @call) (#eq? @_trap "trap"))

[(ERROR) (MISSING)] @error
