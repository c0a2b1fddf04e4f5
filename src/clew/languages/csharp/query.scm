; Captures as in python/query.scm. A namespace is no definition: it is the file's package.

(class_declaration name: (_) @name) @class
(class_declaration name: (_) @name body: (_) @body) @class
(struct_declaration name: (_) @name) @class
(struct_declaration name: (_) @name body: (_) @body) @class
(record_declaration name: (_) @name) @class
(record_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @interface
(delegate_declaration name: (_) @name) @interface
(method_declaration name: (_) @name body: (_) @body) @method
(method_declaration name: (_) @name !body ";" @body) @method
((method_declaration
  name: (_) @name parameters: (_ . (parameter (modifier) @_this type: (_) @receiver)) body: (_) @body) @method
  (#eq? @_this "this"))
(local_function_statement name: (_) @name body: (_) @body) @function
; `extension(Card card) { … }`, which this grammar takes for a constructor.
((constructor_declaration
  name: (_) @_extension parameters: (_ . [(parameter type: (_) @receiver) (parameter !type name: (_) @receiver)])
  body: (_ (local_function_statement name: (_) @name body: (_) @body) @method))
  (#eq? @_extension "extension"))
((constructor_declaration
  name: (_) @_extension parameters: (_ . (parameter type: (_) @type name: (_) @typed))
  body: (_ (local_function_statement body: (_) @at)))
  (#eq? @_extension "extension"))
(constructor_declaration name: (_) @name body: (_) @body) @method
(destructor_declaration "~" @name body: (_) @body) @method
(operator_declaration operator: _ @name body: (_) @body) @method
(conversion_operator_declaration ["implicit" "explicit"] @name body: (_) @body) @method
(indexer_declaration parameters: (_) @name accessors: (_) @body) @method
(indexer_declaration parameters: (_) @name value: (_) @body) @method

; A property with code of its own is a method that is read like a field.
(property_declaration name: (_) @name accessors: (accessor_list (accessor_declaration body: (_))) @body) @method
(property_declaration name: (_) @name value: (arrow_expression_clause) @body) @method
(property_declaration accessors: (accessor_list . (accessor_declaration body: (_)) @property))
(property_declaration value: (arrow_expression_clause) @property)
(property_declaration name: (_) @name accessors: (_) @body) @variable
(event_declaration name: (_) @name accessors: (_) @body) @method
(event_field_declaration (variable_declaration (variable_declarator name: (identifier) @name))) @variable
((field_declaration (modifier) @_modifier (variable_declaration (variable_declarator name: (identifier) @name))) @variable
  (#any-of? @_modifier "public" "protected" "internal" "const" "static"))
(enum_member_declaration name: (_) @name) @variable
(record_declaration (_ (parameter name: (identifier) @name) @variable))

; A class stands before the interfaces, whose names begin with an I.
(class_declaration (base_list . [(identifier) (qualified_name) (generic_name)] @base)
  (#not-match? @base "^([A-Za-z0-9_]+[.])*I[A-Z]"))
(class_declaration (base_list [(identifier) (qualified_name) (generic_name)] @implements))
(base_list (primary_constructor_base_type type: (_) @base))
(record_declaration (base_list [(identifier) (qualified_name) (generic_name)] @implements))
(struct_declaration (base_list [(identifier) (qualified_name) (generic_name)] @implements))
(interface_declaration (base_list [(identifier) (qualified_name) (generic_name)] @base))

(class_declaration (attribute_list (attribute) @decorator))
(struct_declaration (attribute_list (attribute) @decorator))
(record_declaration (attribute_list (attribute) @decorator))
(enum_declaration (attribute_list (attribute) @decorator))
(interface_declaration (attribute_list (attribute) @decorator))
(method_declaration (attribute_list (attribute) @decorator))
(constructor_declaration (attribute_list (attribute) @decorator))
(destructor_declaration (attribute_list (attribute) @decorator))
(operator_declaration (attribute_list (attribute) @decorator))
(conversion_operator_declaration (attribute_list (attribute) @decorator))
(indexer_declaration (attribute_list (attribute) @decorator))
(local_function_statement (attribute_list (attribute) @decorator))
(property_declaration (attribute_list (attribute) @decorator))
(event_declaration (attribute_list (attribute) @decorator))
(event_field_declaration (attribute_list (attribute) @decorator))
(field_declaration (attribute_list (attribute) @decorator))
(delegate_declaration (attribute_list (attribute) @decorator))
(enum_member_declaration (attribute_list (attribute) @decorator))
(record_declaration (_ (parameter (attribute_list (attribute) @decorator))))

(parameter_list "params" @rest)
((method_declaration parameters: (_ (parameter name: (identifier) @param) @_parameter))
  (#not-match? @_parameter "^(\\[.*\\]\\s*)?this\\s"))
([(method_declaration parameters: (_ name: (identifier) @param))
  (constructor_declaration parameters: (_ [(parameter name: (identifier) @param) name: (identifier) @param]))
  (operator_declaration parameters: (_ (parameter name: (identifier) @param)))
  (conversion_operator_declaration parameters: (_ (parameter name: (identifier) @param)))
  (indexer_declaration parameters: (_ (parameter name: (identifier) @param)))
  (local_function_statement parameters: (_ (parameter name: (identifier) @param)))
  (record_declaration (_ (parameter name: (identifier) @param)))
  (struct_declaration (_ (parameter name: (identifier) @param)))
  (class_declaration (_ (parameter name: (identifier) @param)))])
(parameter
  type: [(identifier) (qualified_name) (generic_name) (nullable_type) (array_type) (predefined_type)] @type
  name: (identifier) @typed)
(variable_declaration
  type: [(identifier) (qualified_name) (generic_name) (nullable_type) (array_type) (predefined_type)] @type
  (variable_declarator name: (identifier) @typed))
(property_declaration
  type: [(identifier) (qualified_name) (generic_name) (nullable_type) (array_type) (predefined_type)] @type
  name: (identifier) @typed)
(foreach_statement type: [(identifier) (qualified_name) (generic_name) (predefined_type)] @type left: (identifier) @typed)
(declaration_pattern type: [(identifier) (qualified_name) (generic_name) (predefined_type)] @type name: (identifier) @typed)
(declaration_expression
  type: [(identifier) (qualified_name) (generic_name) (predefined_type)] @type name: (identifier) @typed)
(catch_declaration type: (_) @type name: (identifier) @typed)
(enum_declaration
  name: (identifier) @type body: (enum_member_declaration_list (enum_member_declaration name: (identifier) @typed)))
(variable_declaration type: (implicit_type) (variable_declarator name: (identifier) @local))
(tuple_pattern name: (identifier) @local)
(foreach_statement type: (implicit_type) left: (identifier) @local)
(foreach_statement type: (implicit_type) left: (identifier) @each right: (_) @of)
(declaration_expression type: (implicit_type) name: (identifier) @local)
((invocation_expression
  function: (_ expression: (_) @of name: (identifier) @_tries)
  arguments: (_ (_ (declaration_expression type: (implicit_type) name: (identifier) @each))))
  (#any-of? @_tries "TryGetValue" "TryPeek" "TryPop" "TryDequeue" "TryTake" "TryRemove"))
(implicit_parameter) @local
(lambda_expression parameters: (_ (parameter name: (identifier) @local)))
(from_clause name: (identifier) @local)
(from_clause name: (identifier) @each "in" . (_) @of)
(lambda_expression) @binding
[(lambda_expression) (block) (foreach_statement) (for_statement) (using_statement) (catch_clause) (switch_section)
 (switch_expression_arm)] @part
(parameter type: (generic_name) @callback)
(parameter name: (identifier) @optional "=" @default)
(type_parameter name: (identifier) @generic)
(type_parameter_constraints_clause . (identifier) @generic . (type_parameter_constraint type: (_) @bound))

(variable_declarator
  name: (identifier) @assigned
  [(identifier) (invocation_expression) (member_access_expression) (object_creation_expression) (await_expression)
   (element_access_expression) (cast_expression) (conditional_access_expression)] @value .)
(property_declaration name: (identifier) @assigned value: [(identifier) (object_creation_expression)] @value)
(assignment_expression left: (_ expression: "this" name: (_)) @assigned right: (_) @value)

((method_declaration returns: [(identifier) (qualified_name) (generic_name) (nullable_type) (predefined_type)] @result)
  (#not-eq? @result "void"))
((method_declaration returns: (generic_name (identifier) @_task (type_argument_list . (_) @result .)))
  (#any-of? @_task "Task" "ValueTask"))
((local_function_statement
  type: [(identifier) (qualified_name) (generic_name) (nullable_type) (predefined_type)] @result)
  (#not-eq? @result "void"))
(property_declaration
  type: [(identifier) (qualified_name) (generic_name) (nullable_type) (predefined_type)] @result
  [accessors: (accessor_list . (accessor_declaration body: (_))) value: (arrow_expression_clause)])
(indexer_declaration type: [(identifier) (qualified_name) (generic_name) (nullable_type) (predefined_type)] @result)
(operator_declaration type: [(identifier) (qualified_name) (generic_name) (nullable_type) (predefined_type)] @result)

(compilation_unit (namespace_declaration name: (_) @package))
(compilation_unit (preproc_if (namespace_declaration name: (_) @package)))
(file_scoped_namespace_declaration name: (_) @package)
(using_directive "using" @import.star !name [(identifier) (qualified_name) (alias_qualified_name)] @import .)
(using_directive "global" !name [(identifier) (qualified_name) (alias_qualified_name)] @everywhere .)
(namespace_declaration body: (declaration_list
  (using_directive !name [(identifier) (qualified_name) (alias_qualified_name)] @relative .)))
(compilation_unit (file_scoped_namespace_declaration)
  (using_directive !name [(identifier) (qualified_name) (alias_qualified_name)] @relative .))
(using_directive name: (identifier) @import.alias "=" . [(identifier) (qualified_name (_) name: (identifier))] @import .)
(using_directive
  name: (identifier) @import.alias (qualified_name qualifier: (_) @import name: (generic_name (identifier) @import.name)) .)

(invocation_expression
  function: [(identifier) (generic_name) (member_access_expression) (conditional_access_expression)] @call
  arguments: (_) @call.count)
(object_creation_expression type: (_) @call.new arguments: (_)? @call.count)
(variable_declaration
  type: [(identifier) (qualified_name) (generic_name)] @call.new (variable_declarator (implicit_object_creation_expression)))
(constructor_initializer ["base" "this"] @call (argument_list) @call.count)
(primary_constructor_base_type type: (_) @call.new)
(base_list . (_) @call.new . (argument_list))

[(ERROR) (MISSING)] @error
