; Captures as in python/query.scm. A stage goes on to the next one.

(from_instruction !as (image_spec) @name) @heading
(from_instruction as: (image_alias) @name) @heading
(source_file [
  (run_instruction) (cmd_instruction) (label_instruction) (expose_instruction) (env_instruction) (add_instruction)
  (copy_instruction) (entrypoint_instruction) (volume_instruction) (user_instruction) (workdir_instruction)
  (arg_instruction) (onbuild_instruction) (stopsignal_instruction) (healthcheck_instruction) (shell_instruction)
  (maintainer_instruction)
] @statement)

(from_instruction (image_spec) @import)
((copy_instruction (param) @import) (#match? @import "^--from="))

[(ERROR) (MISSING)] @error
