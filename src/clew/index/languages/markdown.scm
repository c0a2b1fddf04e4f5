; Captures as in python.scm.

(section (atx_heading heading_content: (inline) @name)) @section
(setext_heading heading_content: (paragraph) @name [(setext_h1_underline) (setext_h2_underline)] @level) @heading
(fenced_code_block (info_string (language) @name)? (code_fence_content)? @body) @fence
