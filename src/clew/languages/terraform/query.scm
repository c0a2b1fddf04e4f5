; Captures as in python/query.scm. Blocks, and what they refer to, are read from the tree (clew.languages.terraform.blocks).

((block (identifier) @_module (body (attribute (identifier) @_source (expression (literal_value (string_lit (template_literal) @import))))))
  (#eq? @_module "module") (#eq? @_source "source"))

[(ERROR) (MISSING)] @error
