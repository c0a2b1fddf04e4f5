"""The profiles of Vue and Svelte components: their scripts are TypeScript or JavaScript."""

from dataclasses import replace

from clew.languages.typescript.profile import TYPESCRIPT

_WALKER = "clew.languages.vue.components"

VUE = replace(
    TYPESCRIPT, name="vue", extensions=(".vue",), interpreters=(), by_content=None, walker=_WALKER, services=""
)
SVELTE = replace(VUE, name="svelte", extensions=(".svelte",))
