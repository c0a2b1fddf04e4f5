"""Names that a language brings along. Written down, so that the result does not depend on the Python that runs."""

from collections.abc import Mapping

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

BUILTINS: Mapping[str, frozenset[str]] = {"python": frozenset(_PYTHON.split())}

# Methods that plain containers, texts and files have: by such a name alone, nothing is known of the receiver.
COMMON = frozenset(
    """
    add all any append as_view capitalize clear close copy count create decode delete discard encode endswith exists
    extend filter find first flush format get group index insert intersection is_valid isdigit items join keys last
    list load loads log lower lstrip match next open order_by pop popitem read readline remove replace reset reverse
    rfind rsplit rstrip run save search seek send set setdefault sort split splitlines start startswith stop strip sub
    test title union update upper values wait warning write error debug info warn exception call groups groupdict span
    end cursor execute fetchone fetchall commit rollback add_argument parse_args
    """.split()
)
