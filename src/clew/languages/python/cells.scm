; Beside query.scm, for cells of a notebook, which have no tree of their own to read.

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
