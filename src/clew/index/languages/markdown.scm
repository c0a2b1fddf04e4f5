; Captures as in python.scm.

(section (atx_heading heading_content: (inline) @name)) @section
(setext_heading heading_content: (paragraph) @name) @heading
(fenced_code_block (info_string (language) @name)? (code_fence_content)? @body) @block
