"""Names of methods that nearly every library type has."""

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
