"""The profile of Bash and other shells."""

from clew.languages.profile import Language, lazy

BASH = Language(
    "bash",
    (".sh", ".bash", ".zsh", ".bats"),
    "tree_sitter_bash",
    filenames=(".bashrc", ".bash_profile", ".bash_aliases", ".profile", ".zshrc", ".zprofile", ".zshenv"),
    queries=("bash",),
    doc_before=frozenset({"comment"}),
    separator="",
    whole_names=True,
    module_files=lazy("clew.languages.bash.imports:files_of"),
    functions_in_lines=lazy("clew.languages.bash.functions:functions_in_lines"),
    interpreters=("sh", "dash", "ash", "ksh", "zsh", "bats"),
    rules="clew.languages.bash.rules:BashRules",
    shares_names=True,
)
