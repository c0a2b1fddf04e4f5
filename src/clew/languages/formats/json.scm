; Captures as in python/query.scm. Keys down to the third level, if they hold others: what is inside of a short one is part of it.

(document (object (pair key: (string) @name value: [(object) (array)] @body) @block))
(document (object (pair key: (string) @name value: [(string) (number) (true) (false) (null)]) @variable))
(document (object (pair value: (object
  (pair key: (string) @name value: [(object) (array)] @body) @block))))
(document (object (pair value: (object (pair value: (object
  (pair key: (string) @name value: [(object) (array)] @body) @block))))))

(document (object (pair) @item))
(document (array (_) @item))

[(ERROR) (MISSING)] @error
