; Captures as in python/query.scm. A module is no definition: its files see each other, whichever of them includes which.

(source_file (module_definition name: (identifier) @package))
(function_definition (signature (call_expression . (identifier) @name))) @function
(function_definition (signature (call_expression . (field_expression value: (identifier) @receiver (identifier) @name .)))) @method
(function_definition (signature (_ . (call_expression . (identifier) @name)))) @function
(function_definition (signature (_ . (call_expression . (field_expression value: (identifier) @receiver (identifier) @name .))))) @method
(function_definition (signature (_ . (_ . (call_expression . (identifier) @name))))) @function
(function_definition (signature (_ . (_ . (call_expression . (field_expression value: (identifier) @receiver (identifier) @name .)))))) @method
(function_definition (signature (identifier) @name)) @function
(assignment . (call_expression . (identifier) @name)) @function
(assignment . (call_expression . (field_expression value: (identifier) @receiver (identifier) @name .))) @method
(assignment . (_ . (call_expression . (identifier) @name))) @function
(assignment . (_ . (call_expression . (field_expression value: (identifier) @receiver (identifier) @name .)))) @method
(macro_definition (signature (call_expression . (identifier) @name))) @function
(struct_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (identifier) @name)
  (binary_expression . (parametrized_type_expression . (identifier) @name))])) @class
(abstract_definition (type_head [
  (identifier) @name
  (parametrized_type_expression . (identifier) @name)
  (binary_expression . (identifier) @name)])) @interface
(const_statement (assignment . (identifier) @name)) @variable

(type_head (binary_expression (_) (operator) (identifier) @base))
(struct_definition (typed_expression . (identifier) @field (identifier) @type))
(signature (call_expression (argument_list (identifier) @param)))
(signature (call_expression (argument_list (typed_expression . (identifier) @param))))
(typed_expression . (identifier) @typed (identifier) @type)
(assignment . (identifier) @assigned (operator) [(call_expression) (identifier) (field_expression)] @value)
(return_statement [(call_expression) (identifier) (field_expression)] @returned)
(do_clause) @lambda
(arrow_function_expression) @lambda

(using_statement [(identifier) (scoped_identifier) (import_path)] @import @import.star)
(using_statement (selected_import . (_) @import (identifier) @import.name))
(import_statement [(identifier) (scoped_identifier) (import_path)] @import)
(import_statement (selected_import . (_) @import (identifier) @import.name))
((call_expression . (identifier) @_includes (argument_list (string_literal (content) @import @import.star @import.beside)))
  (#eq? @_includes "include"))

((call_expression . [(identifier) (field_expression) (parametrized_type_expression . (identifier))] @call (argument_list) @call.args)
  (#not-eq? @call "include"))
(broadcast_call_expression . [(identifier) (field_expression)] @call (argument_list) @call.args)
(macrocall_expression (macro_identifier (identifier) @call))

[(ERROR) (MISSING)] @error
