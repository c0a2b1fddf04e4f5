"""The library of Lua: its global functions."""

from clew.languages.library import Library, full_names

LIBRARY = Library(
    names=full_names(
        "Lua.",
        "assert collectgarbage dofile error getfenv getmetatable ipairs load loadfile loadstring module next pairs "
        "pcall print rawequal rawget rawlen rawset require select setfenv setmetatable tonumber tostring type unpack "
        "warn xpcall coroutine debug io math os package string table utf8",
    )
)
