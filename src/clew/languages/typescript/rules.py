"""Resolution of names in TypeScript."""

from clew.languages.javascript.rules import JavaScriptRules


class TypeScriptRules(JavaScriptRules):
    language = "typescript"
    untyped = False
    casts = True


class TsxRules(TypeScriptRules):
    language = "tsx"
