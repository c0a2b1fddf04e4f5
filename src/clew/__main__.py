"""The front door of `clew` and `python -m clew`: Ctrl-C is answered in one line, also while the program is loading."""

import gc
import sys

# Objects between two looks for garbage: by default there are a hundred of them before a question is answered.
SELDOM = 200_000


def main() -> None:
    gc.set_threshold(SELDOM)
    try:
        from clew.surfaces import cli  # takes a fifth of a second, in which a hand may find Ctrl-C

        cli.main()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
