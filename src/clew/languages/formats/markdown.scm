; Captures as in python/query.scm.

(section (atx_heading
  [(atx_h1_marker) (atx_h2_marker) (atx_h3_marker) (atx_h4_marker) (atx_h5_marker) (atx_h6_marker)] @level
  heading_content: (inline) @name)) @section
(setext_heading heading_content: (paragraph) @name [(setext_h1_underline) (setext_h2_underline)] @level) @heading
(fenced_code_block (info_string (language) @name)? (code_fence_content)? @body) @fence
