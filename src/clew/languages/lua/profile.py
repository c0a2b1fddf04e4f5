"""The profile of Lua."""

from clew.languages.profile import Language, lazy

LUA = Language(
    "lua",
    (".lua", ".rockspec"),
    "tree_sitter_lua",
    interpreters=("luajit", "lua"),
    queries=("lua",),
    doc_before=frozenset({"comment"}),
    wrappers=frozenset({"variable_declaration"}),
    loads=frozenset({"require"}),
    this_words=frozenset({"self"}),
    super_words=frozenset(),
    members_in_scope=False,
    spelled=lazy("clew.languages.lua.expressions:normalise_expression"),
    module_files=lazy("clew.languages.lua.imports:files_of"),
    rules="clew.languages.lua.rules:LuaRules",
)
