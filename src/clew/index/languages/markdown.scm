; Captures as in python.scm.

(section (atx_heading heading_content: (inline) @name)) @section
(fenced_code_block (info_string (language) @name)? (code_fence_content)? @body) @block
