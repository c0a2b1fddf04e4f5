; What TypeScript spells otherwise.

(field_definition
  property: (_) @name
  value: [(_ "=>" body: (_) @body) (function_expression body: (_) @body)]) @method
(field_definition
  property: (_) @name
  value: (object [(method_definition) (pair value: [(arrow_function) (function_expression)])]) @body) @object

(formal_parameters [
  (identifier) @param
  (object_pattern) @param
  (array_pattern) @param
  (rest_pattern (identifier) @param)
  (assignment_pattern left: (_) @param)
])
(arrow_function parameter: (identifier) @param)
(formal_parameters [
  (object_pattern (shorthand_property_identifier_pattern) @taken @key)
  (object_pattern (object_assignment_pattern left: (shorthand_property_identifier_pattern) @taken @key))
  (object_pattern (pair_pattern key: (property_identifier) @key value: (identifier) @taken))
  (object_pattern (rest_pattern (identifier) @taken) @key)
  (array_pattern (identifier) @taken)
  (assignment_pattern left: (object_pattern (shorthand_property_identifier_pattern) @taken @key))
  (assignment_pattern left: (object_pattern
    (pair_pattern key: (property_identifier) @key value: (identifier) @taken)))
  (assignment_pattern left: (object_pattern
    (object_assignment_pattern left: (shorthand_property_identifier_pattern) @taken @key)))
])

(field_definition "static" @static)
(field_definition property: (_) @assigned value: (_) @value)
(class_heritage (_) @base)
(method_definition decorator: (decorator (_) @decorator))
(field_definition decorator: (decorator (_) @decorator))
