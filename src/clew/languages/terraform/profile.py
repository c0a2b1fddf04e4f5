"""The profile of Terraform and other HCL."""

from clew.languages.profile import Language, lazy

TERRAFORM = Language(
    "terraform",
    (".tf", ".hcl", ".tfvars", ".nomad"),
    "tree_sitter_hcl",
    queries=("terraform",),
    walker="clew.languages.terraform.blocks",
    doc_before=frozenset({"comment"}),
    this_words=frozenset(),
    super_words=frozenset(),
    facts_of=lazy("clew.languages.terraform.blocks:facts_of"),
    module_files=lazy("clew.languages.terraform.imports:files_of"),
    rules="clew.languages.terraform.rules:TerraformRules",
)
