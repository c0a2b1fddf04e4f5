; Captures as in python/query.scm.

(class_definition name: (_) @name) @class
(class_definition name: (_) @name body: (_) @body) @class
(object_definition name: (_) @name) @class
(object_definition name: (_) @name body: (_) @body) @class
(package_object name: (_) @name body: (_) @body) @class
(enum_definition name: (_) @name body: (_) @body) @class
(full_enum_case name: (_) @name) @class
(trait_definition name: (_) @name) @interface
(trait_definition name: (_) @name body: (_) @body) @interface
(type_definition name: (_) @name) @interface
(_ "given" name: (_) @name body: [(with_template_body) (template_body)] @body) @class
(given_definition !name return_type: (_) @name.after body: [(with_template_body) (template_body)] @class @body)
(_ "given" name: (_) @name) @variable
(instance_expression [(type_identifier) (stable_type_identifier) (generic_type)] @name.after (template_body) @class @body)
(instance_expression (compound_type base: (_) @name.after) (template_body) @class @body)
(extension_definition parameters: (_ . (_ type: (_) @name))) @impl
(function_definition name: (_) @name body: (_) @body) @function
(function_declaration name: (_) @name) @function

([(template_body [
    (_ ["val" "var"] [pattern: (identifier) @name name: (identifier) @name])
    (_ "val" pattern: (identifiers (identifier) @name))] @variable)
  (enum_body (_ "val" pattern: (identifier) @name) @variable)
  (compilation_unit (_ ["val" "var"] pattern: (identifier) @name) @variable)])
(simple_enum_case name: (_) @name) @variable
(class_parameter ["val" "var"] name: (identifier) @name) @variable
(class_definition "case" class_parameters: (_ (_ name: (identifier) @name) @variable))

(class_definition extend: (_ . type: (_) @base))
(object_definition extend: (_ . type: (_) @base))
(trait_definition extend: (_ . type: (_) @base))
(enum_definition extend: (_ . type: (_) @base))
(package_object extend: (_ . type: (_) @base))
([(class_definition extend: (_ [(type_identifier) (stable_type_identifier) (generic_type)] @implements))
  (object_definition extend: (_ [(type_identifier) (stable_type_identifier) (generic_type)] @implements))
  (trait_definition extend: (_ [(type_identifier) (stable_type_identifier) (generic_type)] @implements))
  (enum_definition extend: (_ [(type_identifier) (stable_type_identifier) (generic_type)] @implements))])
(_ "given" return_type: (_) @base body: [(with_template_body) (template_body)] @at)
(instance_expression [(type_identifier) (stable_type_identifier) (generic_type)] @base (template_body) @at)
(instance_expression (compound_type base: (_) @base) (template_body) @at)
(instance_expression (compound_type extra: (_) @implements) (template_body) @at)
(type_definition type: [(type_identifier) (stable_type_identifier) (generic_type)] @base)

(class_definition (annotation) @decorator)
(object_definition (annotation) @decorator)
(trait_definition (annotation) @decorator)
(function_definition (annotation) @decorator)
(function_declaration (annotation) @decorator)
(enum_definition (annotation) @decorator)
(type_definition (annotation) @decorator)
(given_definition (annotation) @decorator)
(val_definition (annotation) @decorator)
(var_definition (annotation) @decorator)
(val_declaration (annotation) @decorator)
(var_declaration (annotation) @decorator)
(class_parameter (annotation) @decorator ["val" "var"])
(class_definition "case" class_parameters: (_ (_ (annotation) @decorator)))

(class_parameter name: (identifier) @param)
; What a call passes in its first brackets; what is implicit, or comes in further ones, is not counted.
((_ "def" [name: (_) (type_parameters)] . (parameters (_ name: (identifier) @param)) @_list)
  (#not-match? @_list "^\\(\\s*(implicit|using)\\s"))
(_ "def" [name: (_) (type_parameters)] . (parameters (_ type: (repeated_parameter_type) @rest)))
((case_clause pattern: (identifier) @local) (#match? @local "^[a-z_]"))
(function_definition (parameters (_ name: (identifier) @local)))
(object_definition name: (_) @single)
(class_definition "case" name: (_) @case)
(parameter
  name: (identifier) @typed type: [(type_identifier) (stable_type_identifier) (generic_type) (lazy_parameter_type)] @type)
(class_parameter name: (identifier) @typed type: [(type_identifier) (stable_type_identifier) (generic_type)] @type)
(val_definition pattern: (identifier) @typed type: [(type_identifier) (stable_type_identifier) (generic_type)] @type)
(var_definition pattern: (identifier) @typed type: [(type_identifier) (stable_type_identifier) (generic_type)] @type)
(val_declaration name: (identifier) @typed type: [(type_identifier) (stable_type_identifier) (generic_type)] @type)
(var_declaration name: (identifier) @typed type: [(type_identifier) (stable_type_identifier) (generic_type)] @type)
(parameter name: (identifier) @typed type: (compound_type [base: (_) @type extra: (_) @type]))
(val_definition pattern: (identifier) @typed type: (compound_type [base: (_) @type extra: (_) @type]))
(typed_pattern pattern: (identifier) @typed type: (_) @type)
(binding name: (identifier) @typed type: [(type_identifier) (stable_type_identifier) (generic_type)] @type)
(self_type . (identifier) @self)
(self_type . (identifier) @typed . [(type_identifier) (stable_type_identifier) (generic_type)] @type)
(enum_definition
  name: (identifier) @type body: (_ (_ (simple_enum_case name: (identifier) @typed))))
(binding name: (identifier) @local)
(lambda_expression parameters: (identifier) @local)
(enumerator . (identifier) @local)
(tuple_pattern (identifier) @local)
(case_class_pattern (identifier) @local)
(val_definition pattern: (identifier) @local)
(var_definition pattern: (identifier) @local)
(type_parameters name: (identifier) @generic)
(type_parameters name: (identifier) @generic . bound: (_ "<:" type: (_) @bound))

(val_definition
  pattern: (identifier) @assigned
  value: [(identifier) (call_expression) (field_expression) (instance_expression)] @value)
(var_definition
  pattern: (identifier) @assigned
  value: [(identifier) (call_expression) (field_expression) (instance_expression)] @value)
(enumerator . (identifier) @assigned "=" . [(identifier) (call_expression) (field_expression)] @value)
(assignment_expression left: (field_expression value: (identifier) @_this) @assigned right: (_) @value
  (#eq? @_this "this"))

(_ "def" return_type: [(type_identifier) (stable_type_identifier) (generic_type)] @result)
(_ "def" return_type: (compound_type [base: (_) @result extra: (_) @result]))
(function_definition body: [(identifier) (call_expression) (field_expression) (instance_expression)] @returned)
(function_definition
  body: (block [(identifier) (call_expression) (field_expression) (instance_expression)] @returned .))

(package_clause name: (_) @package)
((package_clause) . (package_clause name: (_) @subpackage))
(import_declaration . ((identifier) @import ".")* (identifier) @import .)
(import_declaration . ((identifier) @import "."?)+ . (namespace_wildcard) @import.star)
(import_declaration . ((identifier) @import "."?)+ . (namespace_selectors (namespace_wildcard) @import.star))
(import_declaration . ((identifier) @import "."?)+ . (namespace_selectors (identifier) @import.name))
(import_declaration . ((identifier) @import "."?)+ . [
  (namespace_selectors
    [(arrow_renamed_identifier name: (_) @import.name alias: (identifier) @import.alias)
     (as_renamed_identifier name: (_) @import.name alias: (identifier) @import.alias)])
  (as_renamed_identifier name: (_) @import.name alias: (identifier) @import.alias)
])

(call_expression function: [(identifier) (field_expression)] @call arguments: (_) @call.count)
(call_expression
  function: (generic_function function: [(identifier) (field_expression)] @call) arguments: (_) @call.count)
(instance_expression
  [(type_identifier) (stable_type_identifier) (generic_type)] @call.new . arguments: (_)? @call.count)
(extends_clause [(type_identifier) (stable_type_identifier) (generic_type)] @call.new . arguments: (_))
(infix_expression left: (_) @call.on operator: (identifier) @call)
(field_expression field: (identifier)) @call.read
(generic_function function: (identifier) @call.read)

[(ERROR) (MISSING)] @error
