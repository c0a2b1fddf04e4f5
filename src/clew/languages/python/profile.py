"""The profile of Python."""

from clew.languages.profile import Language, lazy

# Names that a language brings along. Written down, so that the result does not depend on the Python that runs.

_PYTHON = """
ArithmeticError AssertionError AttributeError BaseException BaseExceptionGroup BlockingIOError BrokenPipeError
BufferError BytesWarning ChildProcessError ConnectionAbortedError ConnectionError ConnectionRefusedError
ConnectionResetError DeprecationWarning EOFError Ellipsis EncodingWarning EnvironmentError Exception ExceptionGroup
False FileExistsError FileNotFoundError FloatingPointError FutureWarning GeneratorExit IOError ImportError
ImportWarning IndentationError IndexError InterruptedError IsADirectoryError KeyError KeyboardInterrupt LookupError
MemoryError ModuleNotFoundError NameError None NotADirectoryError NotImplemented NotImplementedError OSError
OverflowError PendingDeprecationWarning PermissionError ProcessLookupError RecursionError ReferenceError
ResourceWarning RuntimeError RuntimeWarning StopAsyncIteration StopIteration SyntaxError SyntaxWarning SystemError
SystemExit TabError TimeoutError True TypeError UnboundLocalError UnicodeDecodeError UnicodeEncodeError UnicodeError
UnicodeTranslateError UnicodeWarning UserWarning ValueError Warning ZeroDivisionError __build_class__ __debug__
__doc__ __import__ __loader__ __name__ __package__ __spec__ __file__ __path__ abs aiter all anext any ascii bin bool
breakpoint bytearray bytes callable chr classmethod compile complex copyright credits delattr dict dir divmod
enumerate eval exec exit filter float format frozenset getattr globals hasattr hash help hex id input int isinstance
issubclass iter len license list locals map max memoryview min next object oct open ord pow print property quit range
repr reversed round set setattr slice sorted staticmethod str sum super tuple type vars zip
basestring unicode long unichr xrange raw_input reduce cmp file execfile reload
"""

BUILTINS = frozenset(_PYTHON.split())

PYTHON = Language(
    "python",
    (".py", ".pyi"),
    "tree_sitter_python",
    queries=("python",),
    readable=lazy("clew.languages.python.shims:readable"),
    walker="clew.languages.python.extract.outline",
    wrappers=frozenset({"decorated_definition"}),
    private_prefix="_",
    lists_formatting=False,  # indentation is syntax; the rest is mostly a formatter's, in all files at once
    builtins=BUILTINS,
    submodules=".",
    module_files=lazy("clew.languages.python.imports:files_of"),
    rules="clew.languages.python.rules:PythonRules",
    services="clew.languages.python.services:FORMS",
    varying_attributes=True,
    sees_all_names=True,
    class_bodies_run=True,
    part_queries=("clew.languages.python:cells",),
    manifests=("pyproject.toml", "requirements.txt", "setup.py", "Pipfile"),
    facts_of=lazy("clew.languages.python.extract:python_facts"),
    unchecked_types=True,
    own_calls=r"__\w+__",
    side="py",
)
