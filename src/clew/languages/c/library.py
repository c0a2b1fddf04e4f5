"""The library of C and C++."""

from dataclasses import replace

from clew.languages.library import Library, full_names

_C = """
abort abs accept access acos asin assert atan atan2 atexit atof atoi atol atoll bind bsearch calloc ceil chmod
clearerr clock close closedir connect cos cosh ctime difftime dup dup2 execl execv execve execvp exit exp fabs fclose
fcntl fdopen feof ferror fflush fgetc fgetpos fgets fileno floor fmod fopen fork fprintf fputc fputs fread free
freopen frexp fscanf fseek fseeko fsetpos fstat fsync ftell ftello ftruncate fwrite getc getchar getcwd getenv getpid
gettimeofday gmtime gmtime_r htonl htons ioctl isalnum isalpha isatty iscntrl isdigit isgraph islower isprint ispunct
isspace isupper isxdigit kill labs ldexp listen localtime localtime_r log log10 log2 longjmp lseek lstat malloc memchr
memcmp memcpy memmove memset mkdir mkstemp mktime mmap modf munmap nanosleep ntohl ntohs offsetof open opendir pause
perror pipe poll pow printf pthread_cond_signal pthread_cond_wait pthread_create pthread_join pthread_mutex_destroy
pthread_mutex_init pthread_mutex_lock pthread_mutex_unlock pthread_self putc putchar puts qsort raise rand read
readdir readlink realloc recv remove rename rewind rmdir round scanf select send setbuf setenv setjmp setsockopt
setvbuf shutdown sigaction signal sin sinh sizeof sleep snprintf socket sprintf sqrt srand sscanf stat strcasecmp
strcat strchr strcmp strcoll strcpy strcspn strdup strerror strftime strlen strncasecmp strncat strncmp strncpy
strndup strnlen strpbrk strrchr strspn strstr strtod strtof strtok strtok_r strtol strtold strtoll strtoul strtoull
strxfrm symlink sysconf system tan tanh time tmpfile tolower toupper trunc uname ungetc unlink unsetenv usleep va_arg
va_copy va_end va_start vfprintf vprintf vsnprintf vsprintf wait waitpid write
"""
_GIVING = frozenset("at back begin cbegin crbegin extract find front lower_bound rbegin top upper_bound".split())
# Common methods of the containers, texts, pointers and atoms of C++: they say nothing of an unknown receiver.
_COMMON = frozenset(
    """
    assign back begin c_str capacity cbegin cend data emplace emplace_back emplace_front erase exchange fetch_add
    fetch_sub fill front notify_all notify_one pop_back pop_front push_back push_front rbegin rend reserve resize store
    str substr unlock use_count what
    """.split()
)
LIBRARY = Library(names=full_names("libc.", _C), giving=_GIVING, container_prefix="std::")
CPP_LIBRARY = replace(LIBRARY, common_members=_COMMON)
