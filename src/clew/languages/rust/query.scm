; Captures as in python/query.scm. Trees of `use` are read by rust.py; inside of a macro's call there are only tokens.

(source_file (line_comment (inner_doc_comment_marker))+ @doc)

(struct_item name: (type_identifier) @name body: (field_declaration_list)? @body) @class
(enum_item name: (type_identifier) @name body: (_) @body) @class
(union_item name: (type_identifier) @name body: (_) @body) @class
(source_file (type_item name: (type_identifier) @name) @class)
(mod_item (declaration_list (type_item name: (type_identifier) @name) @class))
(impl_item body: (declaration_list (type_item name: (type_identifier) @name) @variable))
(trait_item body: (declaration_list (associated_type name: (type_identifier) @name) @variable))
(trait_item name: (type_identifier) @name body: (_) @body) @interface
(impl_item type: (_) @name body: (declaration_list) @body) @impl
(mod_item name: (identifier) @name body: (declaration_list) @body) @namespace
(function_item name: (identifier) @name body: (block) @body) @function
(function_signature_item name: (identifier) @name) @function
(macro_definition name: (identifier) @name . [(line_comment) (block_comment)]* . (macro_rule) @body) @function @macro
(let_declaration pattern: (identifier) @name value: (closure_expression body: (_) @body)) @function
((source_file [(const_item name: (identifier) @name) (static_item name: (identifier) @name)] @variable)
  (#not-eq? @name "_"))
((mod_item (declaration_list [(const_item name: (identifier) @name) (static_item name: (identifier) @name)] @variable))
  (#not-eq? @name "_"))

(source_file (attribute_item (attribute) @decorator))
(declaration_list (attribute_item (attribute) @decorator))
(block (attribute_item (attribute) @decorator))

; What a type can be dereferenced to gives its members, and so does what an alias names.
(trait_item bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @base))
(impl_item trait: (_) @implements)
; What is implemented for every type with some bounds has what these have.
((impl_item
  type_parameters: (type_parameters (type_parameter
    name: (type_identifier) @_generic
    bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @base)))
  type: (type_identifier) @_type)
  (#eq? @_generic @_type))
((impl_item
  type: (type_identifier) @_type
  (where_clause (where_predicate
    left: (type_identifier) @_generic
    bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @base))))
  (#eq? @_generic @_type))
(source_file (type_item type: (_) @base))
(mod_item (declaration_list (type_item type: (_) @base)))
((impl_item body: (declaration_list (type_item name: (type_identifier) @_name type: (_) @base)))
  (#eq? @_name "Target"))
((impl_item body: (declaration_list (type_item name: (type_identifier) @_name type: (_) @element)))
  (#eq? @_name "Item"))
((impl_item
  trait: (_) @_trait
  body: (declaration_list (type_item name: (type_identifier) @_name type: (_) @awaited)))
  (#match? @_trait "(^|::)(Into)?Future$")
  (#eq? @_name "Output"))
(impl_item body: (declaration_list (type_item
  name: (type_identifier) @assigned
  type: [(type_identifier) (scoped_type_identifier) (generic_type)] @value)))
(enum_item name: (type_identifier) @value body: (enum_variant_list (enum_variant name: (identifier) @assigned)))
(type_parameter name: (type_identifier) @generic)
(type_parameter
  name: (type_identifier) @generic
  bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @bound))
(where_predicate
  left: (type_identifier) @generic
  bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @bound))
(trait_item body: (declaration_list (associated_type
  name: (type_identifier) @assigned
  bounds: (trait_bounds [(type_identifier) (scoped_type_identifier) (generic_type)] @value))))

(function_item parameters: (parameters [(self_parameter (self) @param) (parameter pattern: (_) @param)]))
(function_signature_item parameters: (parameters [(self_parameter (self) @param) (parameter pattern: (_) @param)]))
(let_declaration
  pattern: (identifier)
  value: (closure_expression parameters: (closure_parameters [
    (parameter pattern: (_) @param) (identifier) @param (reference_pattern (identifier) @param) (tuple_pattern) @param])))
(parameter pattern: (identifier) @typed type: (_) @type)
(field_declaration name: (field_identifier) @typed type: (_) @type)
(let_declaration pattern: (identifier) @typed type: (_) @type)
(let_declaration pattern: (identifier) @typed value: (struct_expression name: (_) @type))
(const_item name: (identifier) @typed type: (_) @type)
(static_item name: (identifier) @typed type: (_) @type)

(function_item return_type: (_) @result)
(function_signature_item return_type: (_) @result)
(let_declaration value: (closure_expression return_type: (_) @result))
; Of a tuple, the first is what a function gives.
(_ return_type: (tuple_type . (_) @result))
(_ return_type: (tuple_type) @results)
(_ return_type: (generic_type type_arguments: (type_arguments . (tuple_type . (_) @result))))
(_ return_type: (generic_type type_arguments: (type_arguments . (tuple_type) @results)))
(let_declaration value: (closure_expression
  body: [(identifier) (call_expression) (field_expression) (struct_expression)] @returned))

; What patterns bind is read by rust_patterns.py; names are bound in blocks, and often anew.
[(let_declaration) (let_condition) (match_arm) (for_expression) (closure_parameters)] @binding
(parameters (parameter) @binding)
[(struct_item body: (ordered_field_declaration_list)) (enum_variant body: (_))] @fields
(function_type) @callback
[(block) (match_arm) (closure_expression) (if_expression) (while_expression) (for_expression)] @part

; What a closure is given by a method: an element of what the method is called on, or (of an Option) that itself.
((call_expression
  function: (field_expression value: (_) @of field: (field_identifier) @_each)
  arguments: (arguments . (closure_expression parameters: (closure_parameters
    . [(identifier) @each (reference_pattern (identifier) @each)] .))))
  (#any-of? @_each
    "map" "for_each" "filter" "filter_map" "flat_map" "any" "all" "find" "find_map" "position" "take_while"
    "skip_while" "map_while" "inspect" "retain" "partition" "max_by_key" "min_by_key" "sort_by_key"))
((call_expression
  function: (field_expression value: (_) @value field: (field_identifier) @_each)
  arguments: (arguments . (closure_expression parameters: (closure_parameters . (identifier) @assigned .))))
  (#any-of? @_each "map" "and_then" "is_some_and" "is_ok_and" "then" "filter"))

; A macro gives what its last expression is, where that is one.
(macro_rule right: (token_tree) @returned)

[(use_declaration) (extern_crate_declaration)] @import
(source_file (use_declaration (visibility_modifier)) @handed)
(mod_item !body) @import

((call_expression function: (identifier) @call arguments: (_) @call.args) (#not-match? @call "^(Some|Ok|Err)$")) ; not-any-of? is always true
(call_expression
  function: [
    (field_expression) (scoped_identifier) (parenthesized_expression) (call_expression) (index_expression)] @call
  arguments: (_) @call.args)
(call_expression function: (generic_function function: (_) @call) arguments: (_) @call.args)
(struct_expression name: (_) @call)
(macro_invocation macro: (_) @call.on "!" @call)
((token_tree [(identifier) (primitive_type)] @call.tokens . (token_tree))
  (#not-match? @call.tokens "^(Some|Ok|Err)$"))
(token_tree (identifier) @call.tokens . "::" . "<" . (_) . ">" . (token_tree))

[(ERROR) (MISSING)] @error
