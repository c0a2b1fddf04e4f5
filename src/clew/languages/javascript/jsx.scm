; An element is a call of its component, which is passed its attributes.

((jsx_self_closing_element name: (identifier) @call) @call.args (#match? @call "^[A-Z]"))
((jsx_opening_element name: (identifier) @call) @call.args (#match? @call "^[A-Z]"))
(jsx_self_closing_element name: (member_expression) @call) @call.args
(jsx_opening_element name: (member_expression) @call) @call.args
