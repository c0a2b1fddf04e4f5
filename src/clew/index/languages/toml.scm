; Captures as in python.scm. A table takes in the comments above it.

(table [(bare_key) (quoted_key) (dotted_key)] @name) @block
(table_array_element [(bare_key) (quoted_key) (dotted_key)] @name) @block
(document (pair [(bare_key) (quoted_key) (dotted_key)] @name) @variable)

[(ERROR) (MISSING)] @error
