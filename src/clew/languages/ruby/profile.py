"""The profile of Ruby."""

from clew.languages.profile import Language, lazy

RUBY = Language(
    "ruby",
    (".rb", ".rake", ".gemspec", ".podspec", ".ru", ".jbuilder"),
    "tree_sitter_ruby",
    filenames=("rakefile", "gemfile", "guardfile", "capfile", "vagrantfile", "podfile", "fastfile"),
    queries=("ruby",),
    doc_before=frozenset({"comment"}),
    separator="",
    members_in_scope=True,
    this_words=frozenset({"self"}),
    super_words=frozenset({"super"}),
    constructor="initialize",
    maker="new",
    module_files=lazy("clew.languages.ruby.imports:files_of"),
    spelled=lazy("clew.languages.ruby.expressions:normalise_expression"),
    either=lazy("clew.languages.ruby.expressions:branch_expressions"),
    string="String",
    bodiless=True,
    super_calls=True,
    literals=frozenset("{["),
    rules="clew.languages.ruby.rules:RubyRules",
    services="clew.languages.ruby.services:FORMS",
    marks_methods=True,
    opens_classes=True,
    docs_by_part=True,
    manifests=("Gemfile",),
    named_callables=(rb"(?<![\w.@$:])(?:(?P<of>self)\.)?(?:method|send|__send__|public_send)[ (]:(?P<name>\w++[?!]?)"),
    large_names=True,
    class_bodies_of_self=True,
    shares_names=True,
    reopens_classes=True,
    unchecked_types=True,
    own_calls=(
        r"to_s|to_str|inspect|hash|eql\?|coerce|method_missing|respond_to_missing\?|inherited|included|extended|prepended"
    ),
)
