"""Languages without a parser here: their files are kept as paragraphs, and detected by their names' endings.

Templates of pages are among them; templates of settings stay text, ranked like settings.
"""

from collections.abc import Mapping

_TABLE = """
ada .adb .ads; asp .asp .aspx .ascx; assembly .asm .s; astro .astro; awk .awk; batch .bat .cmd; bicep .bicep
clojure .clj .cljc .cljs; cmake .cmake; coffeescript .coffee; coldfusion .cfc .cfm; crystal .cr; cuda .cu .cuh
cue .cue; d .d; ejs .ejs; elm .elm; erb .erb; erlang .erl .hrl; fish .fish
fortran .f90 .f95; freemarker .ftl; fsharp .fs .fsi .fsx; gdscript .gd; gleam .gleam; groovy .gradle .groovy
haml .haml; handlebars .handlebars .hbs; literate-haskell .lhs; haxe .hx; heex .eex .heex .leex
jsonnet .jsonnet .libsonnet; jsp .jsp .jspf .jspx .tag; liquid .liquid; lisp .cl .el .lisp
marko .marko; nim .nim; nix .nix; objective-c .m .mm; ocaml .ml .mli; pascal .dpr .pas
perl .pl .pm; powershell .ps1 .psm1; prisma .prisma; pug .jade .pug; puppet .pp; purescript .purs; qml .qml; r .r
razor .cshtml .razor; rego .rego; scheme .rkt .scm; shader .frag .glsl .hlsl .metal .vert .wgsl; slim .slim
solidity .sol; starlark .bzl .star; tcl .tcl; thrift .thrift
twig .twig; vala .vala; verilog .sv .svh .v; vhdl .vhd .vhdl; vim .vim; visual-basic .bas .vb
"""
_WORDS = [line.split() for line in _TABLE.replace("\n", ";").split(";")]
WRITTEN_AS: Mapping[str, str] = {ending: name for name, *endings in filter(None, _WORDS) for ending in endings}
WRITTEN = frozenset(WRITTEN_AS.values())
