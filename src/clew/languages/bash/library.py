"""The commands of shells and of POSIX, and those that are installed nearly everywhere."""

from clew.languages.library import Library

COMMANDS = frozenset(
    """
    alias ar at awk basename batch bc bg bind break builtin caller cal cat cd chgrp chmod chown cksum clear cmp comm
    command compgen complete compopt compress continue cp crontab csplit curl cut date dd declare df diff dirname dirs
    disown docker du echo ed egrep enable env eval ex exec exit expand export expr false fc fg fgrep file find fold gawk
    getconf getopts git grep gunzip gzip hash head help history hostname iconv id install jobs join jq kill less let
    ln local locale logger login logout logname lp ls lsof mail make man mapfile md5sum mkdir mkfifo mktemp more mount
    mv nano nc newgrp nice nl node nohup npm od openssl passwd paste patch pathchk pax perl pgrep php ping pip pkill
    popd pr printf ps pushd pwd python python3 read readarray readlink readonly realpath reboot renice return rm rmdir
    rsync ruby scp sed select seq service set sftp sh sha1sum sha256sum shift shopt shred shuf shutdown sleep sort
    source split ssh stat stdbuf strings strip stty su sudo suspend sync systemctl tac tail tar tee test time timeout
    times top touch tput tr trap true truncate tsort tty type typeset ulimit umask umount unalias uname unexpand uniq
    unlink unset unzip uptime users vi vim wait watch wc wget whereis which who whoami write xargs xxd xz yes zcat zip
    """.split()
)
LIBRARY = Library(methods=COMMANDS)
