"""The library of Elixir: what each module has of `Kernel`."""

from clew.languages.library import Library, full_names

LIBRARY = Library(
    names=full_names(
        "Kernel.",
        "abs apply binary_part bit_size byte_size ceil dbg destructure div elem exit floor function_exported? "
        "get_and_update_in get_in hd inspect is_atom is_binary is_bitstring is_boolean is_exception is_float "
        "is_function is_integer is_list is_map is_map_key is_nil is_non_struct_map is_number is_pid is_port "
        "is_reference is_struct is_tuple length macro_exported? make_ref map_size match? max min node not pop_in "
        "put_elem put_in rem reraise round self send sigil_r sigil_s sigil_w spawn spawn_link spawn_monitor struct "
        "struct! tap then throw tl to_charlist to_string to_timeout trunc tuple_size update_in var!",
    )
)
