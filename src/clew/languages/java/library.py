"""The library of Java."""

from clew.languages.jvm.library import GIVING, LENDING, METHODS, SAME
from clew.languages.library import Library, full_members, full_names

_HOLDERS = ("java.util.", "java.lang.ThreadLocal.", "java.lang.ref.")  # what they give is of any type
_JAVA_LANG = """
AbstractMethodError Appendable ArithmeticException ArrayIndexOutOfBoundsException AssertionError AutoCloseable Boolean
Byte CharSequence Character Class ClassCastException ClassLoader ClassNotFoundException CloneNotSupportedException
Cloneable Comparable Deprecated Double Enum Error Exception ExceptionInInitializerError Float FunctionalInterface
IllegalAccessException IllegalArgumentException IllegalMonitorStateException IllegalStateException
IndexOutOfBoundsException InstantiationException Integer InterruptedException Iterable LinkageError Long Math Module
NegativeArraySizeException NoClassDefFoundError NoSuchFieldException NoSuchMethodError NoSuchMethodException
NullPointerException Number NumberFormatException Object OutOfMemoryError Override Package Process ProcessBuilder
ProcessHandle Record ReflectiveOperationException Runnable Runtime RuntimeException SafeVarargs SecurityException Short
StackOverflowError StackTraceElement StackWalker StrictMath String StringBuffer StringBuilder
StringIndexOutOfBoundsException SuppressWarnings System Thread ThreadGroup ThreadLocal Throwable
UnsupportedOperationException VirtualMachineError Void
"""
LIBRARY = Library(
    names=full_names("java.lang.", _JAVA_LANG),
    types_from="",
    members=full_members(
        {
            "java.lang.Object": "equals hashCode toString getClass notify notifyAll wait clone finalize",
            "java.lang.Enum": "name ordinal values valueOf compareTo getDeclaringClass",
        }
    ),
    universal=frozenset({"java.lang.Object"}),
    methods=METHODS,
    giving=GIVING,
    same=SAME,
    lending=LENDING,
    vague_results=((_HOLDERS, GIVING),),
)
