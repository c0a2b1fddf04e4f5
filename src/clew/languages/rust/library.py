"""The library of Rust, by its documentation (1.95)."""

import re

from clew.languages.library import Library, full_members

_RUST = """
AsMut AsRef Box Clone Copy Default DoubleEndedIterator Drop Eq Err ExactSizeIterator Extend Fn FnMut FnOnce From
FromIterator Into IntoIterator Iterator None Ok Option Ord PartialEq PartialOrd Result Send Sized Some String Sync
ToOwned ToString TryFrom TryInto Unpin Vec drop std core alloc proc_macro test
bool char f32 f64 i8 i16 i32 i64 i128 isize str u8 u16 u32 u64 u128 usize
assert! assert_eq! assert_ne! cfg! column! compile_error! concat! dbg! debug_assert! debug_assert_eq! debug_assert_ne!
env! eprint! eprintln! file! format! format_args! include! include_bytes! include_str! line! matches! module_path!
option_env! panic! print! println! stringify! thread_local! todo! unimplemented! unreachable! vec! write! writeln!
is_x86_feature_detected! addr_of! addr_of_mut!
"""
_ROOTS = ("std", "core", "alloc")
_GIVING = frozenset(
    "get get_mut first first_mut last last_mut pop pop_front pop_back front back next next_back nth peek "
    "remove find min max min_by_key max_by_key swap_remove get_unchecked or_insert or_insert_with "
    "or_default entry unwrap expect".split()
)
_SAME = frozenset(
    "iter iter_mut into_iter values values_mut drain filter rev skip take chain peekable collect as_slice "
    "as_mut_slice to_vec step_by skip_while take_while cycle as_ref as_mut by_ref inspect split_off".split()
)
# Other members of containers, where another name may be one of their elements'.
_OTHERS = frozenset(
    "len is_empty push push_back push_front insert contains contains_key extend map iter_all keys clear "
    "sort sort_by sort_by_key sort_unstable dedup retain append truncate capacity reserve join concat "
    "to_owned clone enumerate zip fold any all for_each count position flat_map filter_map map_while sum "
    "last_mut windows chunks split_at starts_with ends_with binary_search extend_from_slice swap reverse "
    "resize fill cloned copied is_some is_none range get_or_insert_with unwrap_or_default into_keys "
    "into_values partition find_map rposition max_by min_by product reduce try_for_each try_fold scan "
    "flatten fuse unzip eq ne cmp as_ptr first_key_value".split()
)
# These give something of whatever type is wanted.
_MAKING_ANYTHING = frozenset(
    "into try_into parse collect from try_from default deref deref_mut borrow borrow_mut as_ref as_mut "
    "get get_mut next unwrap expect unwrap_or unwrap_or_else unwrap_or_default clone to_owned sum product "
    "fold map and_then take replace lock read write load join recv await iter into_iter new pop "
    "downcast_ref downcast read_dir".split()
)
GIVING_ITSELF = frozenset({"default", "from", "try_from", "from_str", "from_iter"})
# Methods that a derive gives a type, by the trait.
DERIVED = {
    "Clone": ("clone", "clone_from"),
    "Default": ("default",),
    "Debug": ("fmt",),
    "PartialEq": ("eq", "ne"),
    "PartialOrd": ("partial_cmp", "lt", "le", "gt", "ge"),
    "Ord": ("cmp", "max", "min", "clamp"),
    "Hash": ("hash",),
}
# The methods of traits that have no more: a type that implements one has nothing else from it.
CLOSED = {
    **{trait: frozenset(methods) for trait, methods in DERIVED.items()},
    **dict.fromkeys("Sized Send Sync Copy Eq Unpin UnwindSafe RefUnwindSafe Termination".split(), frozenset[str]()),
    "From": frozenset({"from"}),
    "Into": frozenset({"into"}),
    "TryFrom": frozenset({"try_from"}),
    "TryInto": frozenset({"try_into"}),
    "AsRef": frozenset({"as_ref"}),
    "AsMut": frozenset({"as_mut"}),
    "Borrow": frozenset({"borrow"}),
    "Deref": frozenset({"deref"}),
    "DerefMut": frozenset({"deref_mut"}),
    "Drop": frozenset({"drop"}),
    "Display": frozenset({"fmt", "to_string"}),
    "FromStr": frozenset({"from_str"}),
    "FromIterator": frozenset({"from_iter"}),
    "IntoIterator": frozenset({"into_iter"}),
    "Any": frozenset({"type_id"}),
}
# A call of such a name on an unknown receiver is more likely one of these than a method of the tree.
_METHOD_FAMILIES = re.compile(
    r"(?:borrowing|carrying|checked|compare|fetch|is_ascii|overflowing|saturating|strict|unchecked|widening|wrapping"
    r"|(?:from|to)_[bln]e)_"
)
_METHODS = frozenset(
    """
abs abs_diff abs_sub accept access_mode accessed acos acosh add add_assign add_extension addr adjust_alignment_to
advance advance_back_by advance_by advance_slices advance_unchecked algebraic_add algebraic_div algebraic_mul
algebraic_rem algebraic_sub align align_of align_offset align_to align_to_mut align_to_uninit_mut alignment all alloc
alloc_zeroed allocate allocate_zeroed allocator alternate ancestors and and_modify and_then any append arg arg0 args
array array_chunks array_windows as_array as_array_of_cells as_ascii as_ascii_unchecked as_byte_str as_bytes
as_bytes_mut as_bytes_with_nul as_c_str as_chunks as_chunks_mut as_chunks_unchecked as_chunks_unchecked_mut as_cursor
as_deref as_deref_mut as_encoded_bytes as_fd as_flattened as_flattened_mut as_handle as_list as_micros as_millis
as_millis_f32 as_millis_f64 as_mut as_mut_array as_mut_byte_str as_mut_os_str as_mut_os_string as_mut_ptr
as_mut_ptr_range as_mut_slice as_mut_slices as_mut_str as_mut_unchecked as_mut_vec as_nanos as_non_null
as_non_null_ptr as_nonzero as_octets as_os_str as_path as_pin_mut as_pin_ref as_pthread_t as_ptr as_ptr_range
as_raw_fd as_raw_handle as_raw_socket as_raw_stat as_rchunks as_rchunks_mut as_ref as_ref_unchecked as_secs
as_secs_f32 as_secs_f64 as_simd as_simd_mut as_slice as_slice_of_cells as_slices as_socket as_str as_u64 as_uninit_mut
as_uninit_ref as_uninit_slice as_uninit_slice_mut as_usize as_utf8_pattern asin asinh assume_init assume_init_drop
assume_init_mut assume_init_ref async_call async_call_mut async_call_once async_pipes atan atan2 atanh atime
atime_nsec attributes back back_mut backward backward_checked backward_unchecked before_exec binary_search
binary_search_by binary_search_by_key bind bit_width bitand bitand_assign bitor bitor_assign bitxor bitxor_assign
blksize blocks borrow borrow_mut bound branch break_ok break_value broadcast buffer build build_hasher but_not by_ref
byte_add byte_offset byte_offset_from byte_offset_from_unsigned byte_sub bytes call call_mut call_once call_once_force
caller can_unwind canonicalize capacity capture carryless_mul cast cast_array cast_const cast_init cast_mut
cast_signed cast_slice cast_uninit cast_unsigned cause cbrt ceil ceil_char_boundary chain change_time char_indices
chars chroot chunk_by chunk_by_mut chunks chunks_exact chunks_exact_mut chunks_mut clamp clamp_magnitude classify
clear clear_poison clone clone_from clone_from_ref clone_from_ref_in clone_from_slice clone_into clone_to_uninit
cloned cmp cmp_by code code_nonzero collect collect_into column components concat connect connect_timeout
const_make_global consume contains contains_key continue_ok continue_value continued copied copy_from
copy_from_nonoverlapping copy_from_slice copy_to copy_to_nonoverlapping copy_within copysign core_dumped cos cosh
count count_bytes count_ones count_zeros create create_buffered create_formatter create_new create_pidfd created
creation_flags creation_time ctime ctime_nsec current current_dir cursor_back cursor_back_mut cursor_front
cursor_front_mut custom_flags cycle dangling dangling_ptr data data_ptr dealloc deallocate debug_as_hex debug_list
debug_map debug_set debug_struct debug_tuple decode_utf16 decrement_strong_count decrement_strong_count_in dedup
dedup_by dedup_by_key default deferaccept deposit_bits deref deref_mut description dev difference digit
digit_unchecked disabled disjoint_bitor dismiss display div div_assign div_ceil div_duration_ceil div_duration_f32
div_duration_f64 div_duration_floor div_euclid div_exact div_f32 div_f64 div_floor downcast downcast_mut downcast_ref
downcast_unchecked downcast_unchecked_mut downcast_unchecked_ref downgrade drain drain_sorted drop drop_in_place
duration duration_since each_mut each_ref elapsed element_offset empty encode_utf16 encode_utf8 encode_wide end
end_bound ends_with ensure_init entries entry entry_with enumerate env env_clear env_remove envs eq eq_by
eq_ignore_ascii_case eq_ignore_case erf erfc err error error_len escape_ascii escape_debug escape_default
escape_unicode exec exists exit_ok exit_process exp exp2 exp_m1 expect expect_err expose_provenance ext extend
extend_from_slice extend_from_within extend_front extend_one extend_packed extend_reserve extension extract_bits
extract_if field field_with file file_as_c_str file_attributes file_index file_name file_name_ref file_prefix
file_size file_stem file_type fill fill_buf fill_bytes fill_with filled filled_mut filter filter_map find find_map
finish finish_non_exhaustive first first_chunk first_chunk_mut first_entry first_key_value first_mut flags flat_map
flatten flatten_mut flatten_ref floor floor_char_boundary flowinfo flush fmt fold for_each for_value for_value_raw
force force_capture force_mut force_quotes format_into forward forward_checked forward_unchecked fract frames
freeze_last_access_time freeze_last_write_time from from_ascii from_ascii_radix from_be from_bits from_bytes
from_bytes_until_nul from_bytes_with_nul from_bytes_with_nul_unchecked from_days from_digit
from_encoded_bytes_unchecked from_fn from_fn_ptr from_hours from_iter from_le from_micros from_millis from_mins
from_mode from_mut from_mut_slice from_mut_unchecked from_nanos from_nanos_u128 from_non_null from_non_null_in
from_octets from_output from_parts from_parts_in from_pin_mut from_ptr from_raw from_raw_fd from_raw_handle
from_raw_in from_raw_os_error from_raw_parts from_raw_parts_in from_raw_socket from_raw_vec from_ref from_residual
from_secs from_secs_f32 from_secs_f64 from_segments from_size_align from_size_align_unchecked from_size_alignment
from_size_alignment_unchecked from_str from_str_radix from_u32 from_u32_unchecked from_u8 from_u8_unchecked from_utf16
from_utf16_lossy from_utf16be from_utf16be_lossy from_utf16le from_utf16le_lossy from_utf8 from_utf8_lossy
from_utf8_lossy_owned from_utf8_mut from_utf8_unchecked from_utf8_unchecked_mut from_vec from_vec_unchecked
from_vec_with_nul from_vec_with_nul_unchecked from_waker from_weeks from_wide front front_mut funnel_shl funnel_shr
fuse gamma ge get get_align get_alternate get_args get_cloned get_current_dir get_debug_as_hex get_disjoint_mut
get_disjoint_unchecked_mut get_env_clear get_envs get_fill get_key_value get_mut get_mut_or_init get_mut_or_try_init
get_mut_pinned get_mut_slice get_mut_unchecked get_or_init get_or_insert get_or_insert_default get_or_insert_with
get_or_try_init get_or_try_insert_with get_pin_mut get_precision get_program get_ref get_sign get_sign_aware_zero_pad
get_unchecked get_unchecked_mut get_vtable get_width gid groups grow grow_zeroed gt guaranteed_eq guaranteed_ne
has_data_left has_root has_trailing_sep hash hash_one hash_slice hasher haystack highest_one hypot id ilog ilog10
ilog2 incoming increment_strong_count increment_strong_count_in index index_mut info inherit inherit_handles init_len
init_mut ino insert insert_after insert_after_unchecked insert_before insert_before_unchecked insert_entry insert_mut
insert_str inspect inspect_err intersect intersection intersperse intersperse_with into into_arc into_array
into_async_iter into_bounds into_boxed_bytes into_boxed_c_str into_boxed_os_str into_boxed_path into_boxed_slice
into_boxed_str into_bytes into_bytes_with_nul into_c_string into_chars into_chunks into_cstring into_encoded_bytes
into_err into_error into_filled into_filled_mut into_flat_iter into_flattened into_future into_incoming into_inner
into_inner_unchecked into_iter into_iter_sorted into_key into_keys into_mut into_non_null into_non_null_with_allocator
into_ok into_os_string into_owned into_parts into_parts_with_alloc into_path_buf into_pidfd into_pin into_pthread_t
into_raw into_raw_fd into_raw_handle into_raw_parts into_raw_parts_with_alloc into_raw_socket into_raw_with_allocator
into_rc into_ref into_remainder into_searcher into_slice into_slices into_sorted_vec into_status into_string
into_utf8_lossy into_value into_values into_vec invalid ip is is_absolute is_aligned is_aligned_to is_alphabetic
is_alphanumeric is_ascii is_benchmarking is_block_device is_borrowed is_break is_broadcast is_char_boundary
is_char_device is_completed is_contained_in is_continue is_control is_digit is_dir is_disjoint is_documentation
is_empty is_eq is_err is_err_and is_fifo is_file is_finished is_finite is_full is_ge is_global is_graphic is_gt
is_hexdigit is_in_bounds is_infinite is_ipv4 is_ipv4_mapped is_ipv6 is_le is_leader is_link_local is_loopback
is_lowercase is_lt is_multicast is_multiple_of is_nan is_ne is_negative is_none is_none_or is_normal is_null
is_numeric is_octdigit is_ok is_ok_and is_overlapping is_owned is_partitioned is_pending is_poisoned is_positive
is_power_of_two is_prefix_of is_private is_punctuation is_read_vectored is_ready is_relative is_reserved is_shared
is_sign_negative is_sign_positive is_socket is_some is_some_and is_sorted is_sorted_by is_sorted_by_key is_subnormal
is_subset is_suffix_of is_superset is_symlink is_symlink_dir is_symlink_file is_terminal is_unicast is_unicast_global
is_unicast_link_local is_unique is_unique_local is_unspecified is_uppercase is_utf16_surrogate is_verbatim
is_whitespace is_write_vectored is_zero isolate_highest_one isolate_lowest_one isqrt iter iter_mut join
join_multicast_v4 join_multicast_v6 keep_rest key key_with keys kill kind last last_access_time last_chunk
last_chunk_mut last_entry last_key_value last_mut last_os_error last_write_time layout le leading_ones leading_zeros
leak leave_multicast_v4 leave_multicast_v6 len len_utf16 len_utf8 limit line lines lines_any linger ln ln_1p ln_gamma
load local_addr local_waker location lock lock_shared log log10 log2 lower_bound lower_bound_mut lowest_one lt
main_thread_handle make_ascii_lowercase make_ascii_uppercase make_contiguous make_lowercase make_mut make_uppercase
makes_pipe map map_addr map_break map_continue map_err map_ok map_or map_or_default map_or_else map_split
map_unchecked map_unchecked_mut map_while map_windows mask match_indices matches max max_by max_by_key max_value
maximum merge metadata midpoint min min_by min_by_key min_value minimum mode modified move_next move_prev mtime
mtime_nsec mul mul_add mul_assign mul_f32 mul_f64 multicast_loop_v4 multicast_loop_v6 multicast_scope multicast_ttl_v4
name ne neg new new_cyclic new_cyclic_in new_in new_unchecked new_uninit new_uninit_in new_uninit_slice
new_uninit_slice_in new_unsize new_with_keys new_zeroed new_zeroed_in new_zeroed_slice new_zeroed_slice_in next
next_back next_chunk next_down next_if next_if_eq next_if_map next_if_map_mut next_index next_match next_match_back
next_multiple_of next_power_of_two next_reject next_reject_back next_up nlink no_hooks nodelay noop
normalize_lexically not notify_all notify_one now nth nth_back nul_position null number_of_links octets of of_val
of_val_raw offset offset_from offset_from_unsigned ok ok_or ok_or_else only_v6 open open_buffered open_file options or
or_default or_else or_insert or_insert_with or_insert_with_key other output pad pad_integral pad_to_align
padding_needed_for parent parse parse_ascii partial_cmp partial_cmp_by partial_sort_unstable partial_sort_unstable_by
partial_sort_unstable_by_key partition partition_dedup partition_dedup_by partition_dedup_by_key partition_in_place
partition_point path payload payload_as_str peek peek_from peek_mut peek_next peek_prev peekable peer_addr permissions
pidfd pin pin_in piped poll poll_next pop pop_back pop_back_if pop_first pop_front pop_front_if pop_if pop_last
pop_trailing_sep port position pow powf powi pre_exec precision prepend prepend_from_within pretty prev process_group
product provide provide_ref provide_ref_with provide_value provide_value_with ptr_eq push push_back push_back_mut
push_front push_front_mut push_mut push_str push_trailing_sep push_within_capacity quickack range range_mut raw_arg
raw_get raw_get_mut raw_os_error rchunks rchunks_exact rchunks_exact_mut rchunks_mut rdev read read_array read_at
read_buf read_buf_at read_buf_exact read_buf_exact_at read_dir read_exact read_exact_at read_line read_link
read_timeout read_to_end read_to_string read_unaligned read_until read_vectored read_vectored_at read_volatile
readonly realloc reborrow recip recursive recv recv_deadline recv_from recv_timeout recycle reduce refresh rem
rem_assign rem_euclid remainder remove remove_current remove_current_as_list remove_entry remove_matches remove_next
remove_prev repeat repeat_packed replace replace_fd replace_first replace_last replace_range replace_with replacen
report reserve reserve_exact resize resize_with resume retain retain_mut rev reverse reverse_bits rewind rfind rfold
rmatch_indices rmatches rotate_left rotate_right round round_ties_even rposition rsplit rsplit_array_mut
rsplit_array_ref rsplit_mut rsplit_once rsplit_terminator rsplitn rsplitn_mut same_channel sample scan scope_id
security_qos_flags seek seek_read seek_read_buf seek_relative seek_write segments select select_nth_unstable
select_nth_unstable_by select_nth_unstable_by_key send send_deadline send_signal send_timeout send_to set set_accessed
set_broadcast set_created set_deferaccept set_extension set_fd set_file_name set_flowinfo set_init set_ip set_len
set_limit set_linger set_mode set_modified set_multicast_loop_v4 set_multicast_loop_v6 set_multicast_ttl_v4
set_nodelay set_nonblocking set_only_v6 set_permissions set_port set_position set_quickack set_read_timeout
set_readonly set_scope_id set_times set_trailing_sep set_ttl set_write_timeout setsid share_mode shift_left
shift_right shl shl_assign shl_exact show_backtrace show_window shr shr_assign shr_exact shrink shrink_to
shrink_to_fit shutdown sign sign_aware_zero_pad sign_minus sign_plus signal signum sin sin_cos sinh size size_hint
size_of skip skip_until skip_while slice_encoded_bytes slice_from_raw_parts slice_mut_unchecked slice_unchecked sort
sort_by sort_by_cached_key sort_by_key sort_floats sort_unstable sort_unstable_by sort_unstable_by_key source sources
spare_capacity_mut spawn spawn_scoped spawn_unchecked spawn_with_attributes splice splice_after splice_before split
split_after split_array_mut split_array_ref split_ascii_whitespace split_at split_at_checked split_at_mut
split_at_mut_checked split_at_mut_unchecked split_at_spare_mut split_at_unchecked split_before split_first
split_first_chunk split_first_chunk_mut split_first_mut split_inclusive split_inclusive_mut split_last
split_last_chunk split_last_chunk_mut split_last_mut split_mut split_off split_off_first split_off_first_mut
split_off_last split_off_last_mut split_off_mut split_once split_terminator split_whitespace splitn splitn_mut sqrt
st_atime st_atime_nsec st_birthtime st_birthtime_nsec st_blksize st_blocks st_ctime st_ctime_nsec st_dev st_flags
st_gen st_gid st_ino st_lspare st_mode st_mtime st_mtime_nsec st_nlink st_rdev st_size st_uid stack_size start
start_bound starts_with startupinfo_force_feedback startupinfo_fullscreen startupinfo_untrusted_source static_mut
static_ref status stderr stdin stdout step_by steps_between stopped_signal store stream_len stream_position
strip_circumfix strip_prefix strip_prefix_of strip_suffix strip_suffix_of strong_count sub sub_assign sub_one
subsec_micros subsec_millis subsec_nanos subslice_range substr_range success sum swap swap_bytes swap_remove
swap_remove_back swap_remove_front swap_unchecked swap_with_slice symlink_metadata symmetric_difference sync_all
sync_data take take_error take_fd take_if take_while tan tanh then then_some then_with thread timed_out
to_ascii_lowercase to_ascii_uppercase to_be to_bits to_bytes to_bytes_with_nul to_canonical to_char to_degrees
to_digit to_int_unchecked to_ipv4 to_ipv4_mapped to_ipv6_compatible to_ipv6_mapped to_le to_lowercase to_mut
to_os_string to_owned to_path_buf to_radians to_raw_parts to_socket_addrs to_str to_string to_string_lossy to_u8
to_uppercase to_vec to_vec_in total_cmp trailing_ones trailing_zeros trait_info_of trait_info_of_trait_type_id
transmute transpose trim trim_ascii trim_ascii_end trim_ascii_start trim_end trim_end_matches trim_left
trim_left_matches trim_matches trim_prefix trim_right trim_right_matches trim_start trim_start_matches trim_suffix
trim_trailing_sep trunc truncate truncate_front try_borrow try_borrow_mut try_borrow_unguarded try_cast_aligned
try_clone try_clone_from_ref try_clone_from_ref_in try_collect try_exists try_find try_fold try_for_each try_from
try_from_secs_f32 try_from_secs_f64 try_insert try_into try_iter try_lock try_lock_shared try_map try_new try_new_in
try_new_uninit try_new_uninit_in try_new_uninit_slice try_new_uninit_slice_in try_new_zeroed try_new_zeroed_in
try_new_zeroed_slice try_new_zeroed_slice_in try_pin try_pin_in try_read try_recv try_reduce try_remove try_reserve
try_reserve_exact try_rfold try_send try_shrink_to try_shrink_to_fit try_unwrap try_update try_wait try_with
try_with_capacity try_with_capacity_in try_write ttl type_id uid unbounded_shl unbounded_shr undo_leak unfilled union
unlock unpaired_surrogate unpark unsigned_abs unwrap unwrap_err unwrap_err_unchecked unwrap_or unwrap_or_clone
unwrap_or_default unwrap_or_else unwrap_unchecked unzip update upgrade upper_bound upper_bound_mut utf8_chunks
utf8_error valid valid_up_to value value_with values values_mut volume_serial_number vtable wait wait_force
wait_timeout wait_timeout_ms wait_timeout_while wait_while wait_with_output wake wake_by_ref waker weak_count width
will_wake windows with with_added_extension with_addr with_borrow with_borrow_mut with_capacity
with_capacity_and_hasher with_capacity_and_hasher_in with_capacity_in with_exposed_provenance with_extension
with_file_name with_hasher with_hasher_in with_metadata_of with_mut with_mutable_key with_options with_trailing_sep
with_unfilled_buf without_provenance would_be_satisfied_by_ref_of would_be_satisfied_by_value_of write write_all
write_all_at write_all_vectored write_at write_bytes write_char write_clone_of_slice write_copy_of_slice write_filled
write_fmt write_i128 write_i16 write_i32 write_i64 write_i8 write_isize write_iter write_length_prefix write_str
write_timeout write_u128 write_u16 write_u32 write_u64 write_u8 write_unaligned write_usize write_vectored
write_vectored_at write_volatile write_with written xor zip zip_with
""".split()
)
DEREFERENCED = {
    "std::String": "std::str",
    "std::string::String": "std::str",
    "std::path::PathBuf": "std::path::Path",
    "std::ffi::OsString": "std::ffi::OsStr",
    "std::ffi::CString": "std::ffi::CStr",
}  # what can be taken for what
_OWN = ("std::", "core::", "alloc::")
LIBRARY = Library(
    names={name: name if name in _ROOTS else f"std::{name}" for name in _RUST.split()},
    members=full_members(
        {
            "std::any": "into try_into to_string to_owned type_id borrow borrow_mut from try_from clone",
            "std::Option": (
                "unwrap expect unwrap_or unwrap_or_else unwrap_or_default unwrap_err expect_err is_some is_none "
                "is_ok is_err ok err map map_err and_then or_else or and as_ref as_mut as_deref as_deref_mut "
                "ok_or ok_or_else cloned copied lock try_lock take replace iter is_some_and is_ok_and map_or "
                "map_or_else unwrap_unchecked downgrade upgrade get_or_insert_with get_mut into_inner deref "
                "deref_mut context with_context zip flatten filter xor insert get_or_init transpose as_ptr"
            ),
        }
    ),
    methods=_METHODS,
    method_families=_METHOD_FAMILIES,
    giving=_GIVING,
    same=_SAME,
    container_members=_OTHERS | _GIVING | _SAME,
    vague_results=((("std::",), _MAKING_ANYTHING),),
)


def lacks(trait: str, name: str) -> bool:
    """Whether a trait of the library is known not to have a method."""
    return trait.startswith(_OWN) and name not in CLOSED.get(trait.rpartition("::")[2], (name,))
