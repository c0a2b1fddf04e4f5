"""Methods that objects of Ruby's own classes have, and of the most used ones of its library, as Ruby 3.1 itself tells:
a call by such a name, on what nothing is known of, is more often of one of them than of a class of the tree.
"""

METHODS = frozenset(
    """
abort abort_on_exception abs abs2 absolute? absolute_path add add? add_trace_func advise ajd alias_method alive? all?
allbits? allocate amjd ancestors angle any? anybits? append append_features arg arity ascend ascii_compatible?
ascii_only? asctime assoc at at_exit atime attr attr_accessor attr_reader attr_writer autoclose? autoload autoload? b
backtrace backtrace_locations base_label basename begin beginning_of_line? between? bind bind_call binding binmode
binmode? binread binwrite birthtime bit_length blksize block_given? blockdev? blocking? blocks bol? broadcast bsearch
bsearch_index bytes bytesize byteslice call caller caller_locations capitalize capitalize! captures casecmp casecmp?
casefold? catch cause ceil center chain chardev? charpos chars check check_until children chmod chomp chomp! chop
chop! chown chr chunk chunk_while clamp class class_eval class_exec class_variable_defined? class_variable_get
class_variable_set class_variables classify cleanpath clear clone close close! close_on_exec? close_read close_write
closed? closed_read? closed_write? codepoints coerce collect collect! collect_concat combination compact compact!
compare_by_identity compare_by_identity? concat conj conjugate const_defined? const_get const_missing const_set
const_source_location constants convert convpath coredump? corrections count cover? crypt ctime curry cwday cweek
cwyear cycle day day_fraction deconstruct deconstruct_keys default default_proc define_method define_singleton_method
delete delete! delete? delete_at delete_if delete_prefix delete_prefix! delete_suffix delete_suffix! denominator
deprecate_constant deq descend destination_encoding detect dev dev_major dev_minor difference dig digits directory?
dirname disjoint? display div divide divmod downcase downcase! downto drop drop_while dst? dummy? dump dup each
each_byte each_char each_child each_codepoint each_cons each_entry each_filename each_grapheme_cluster each_index
each_key each_line each_pair each_slice each_value each_with_index each_with_object eager empty? encode encode!
encoding end end_with? england enq entries enum_for eof eof? eos? eql? equal? eval even? except exception exclude_end?
exec executable? executable_real? exist? exit exit! exited? exitstatus expand_path extend extend_object extended
external_encoding extname fail fcntl fdatasync fdiv feed fetch fetch_values file? fileno fill filter filter!
filter_map find find_all find_index finish finite? first fixed_anchor? fixed_encoding? flat_map flatten flatten!
flatten_merge flock floor flush fnmatch fnmatch? force force_encoding fork format freeze friday? frozen? fsync ftype
full_message gcd gcdlcm get_byte getbyte getc getch getgm getlocal gets getutc gid glob global_variables gmt?
gmt_offset gmtime gmtoff grapheme_clusters gregorian gregorian? grep grep_v group group_by grpowned? gsub gsub!
has_key? has_value? hash hex hour httpdate i id2name imag imaginary include include? included included_modules index
infinite? initialize initialize_clone initialize_copy initialize_dup inject ino insert insert_output inspect
instance_eval instance_exec instance_method instance_methods instance_of? instance_variable_defined?
instance_variable_get instance_variable_set instance_variables integer? intern internal_encoding intersect?
intersection invert ioctl irb is_a? isatty isdst iso8601 italy iterator? itself jd jisx0301 join julian julian?
keep_if key key? keys kill kind_of? label lambda lambda? last last_error lazy lchmod lchown lcm ld leap? length lineno
lines ljust load local_variable_defined? local_variable_get local_variable_set local_variables localtime lock locked?
loop lstat lstrip lstrip! magnitude make_link make_symlink map map! marshal_dump marshal_load match match?
match_length matched matched? matched_size max max_by mday member? members merge merge! message method method_added
method_defined? method_missing method_removed method_undefined methods min min_by minmax minmax_by minute mjd mkdir
mkpath mode module_eval module_exec module_function modulo mon monday? month mountpoint? mtime name named_captures
names nan? native_thread_id negative? new new_offset new_start next next! next_day next_float next_month next_values
next_year nil? nlink nobits? none? nonzero? nsec num_waiting numerator object_id oct odd? offset one? open opendir
options ord original_message original_name owned? owner p pack parameters parent partition path pathconf peek
peek_values peep pending_interrupt? permutation phase pid pipe? pointer polar pop pos positive? post_match pow pp
pre_match pread pred prepend prepend_features prepended pretty_print pretty_print_cycle prev_day prev_float prev_month
prev_year primitive_convert primitive_errinfo print printf priority private private? private_class_method
private_constant private_instance_methods private_method_defined? private_methods proc product proper_subset?
proper_superset? protected protected? protected_instance_methods protected_method_defined? protected_methods public
public? public_class_method public_constant public_instance_method public_instance_methods public_method
public_method_defined? public_methods public_send push putback putc puts pwrite quo raise rand random_number rassoc
rationalize rdev rdev_major rdev_minor read read_nonblock readable? readable_real? readbyte readchar readline
readlines readlink readpartial real real? realdirpath realpath receiver rect rectangular reduce refine regexp rehash
reject reject! relative? relative_path_from remainder remove_class_variable remove_const remove_instance_variable
remove_method rename reopen repeated_combination repeated_permutation replace replacement replicate
report_on_exception require require_relative reset respond_to? respond_to_missing? rest rest? rest_size restsize
resume reverse reverse! reverse_each rewind rfc2822 rfc3339 rfc822 rindex rjust rmdir rmtree root? rotate rotate!
round rpartition rstrip rstrip! ruby2_keywords run sample saturday? scan scan_full scan_until scrub scrub! search_full
sec sec_fraction second second_fraction seed seek select select! send set_backtrace set_encoding set_encoding_by_bom
set_trace_func setbyte setgid? setuid? shift shuffle shuffle! signal signaled? singleton_class singleton_class?
singleton_method singleton_method_added singleton_method_removed singleton_method_undefined singleton_methods size
size? skip skip_until sleep slice slice! slice_after slice_before slice_when socket? sort sort! sort_by sort_by!
source source_encoding source_location spawn spell_checker split sprintf squeeze squeeze! srand start start_with? stat
status step sticky? stop? stopped? stopsig store strftime string strip strip! sub sub! sub_ext subclasses subsec
subset? subtract succ succ! success? sum sunday? super_method superclass superset? swapcase swapcase! symlink? sync
synchronize syscall sysopen sysread sysseek system syswrite taint tainted? take take_while tally tap tell terminate
termsig test then thread_variable? thread_variable_get thread_variable_set thread_variables throw thursday? times to_a
to_ary to_c to_date to_datetime to_enum to_f to_h to_hash to_i to_int to_io to_path to_proc to_r to_s to_set to_str
to_sym to_time tr tr! tr_s tr_s! trace_var transfer transform_keys transform_keys! transform_values transform_values!
transpose trap truncate trust try_lock tty? tuesday? tv_nsec tv_sec tv_usec uid unbind undef_method undump ungetbyte
ungetc unicode_normalize unicode_normalize! unicode_normalized? union uniq uniq! unlink unlock unpack unpack1 unscan
unshift untaint untrace_var untrust untrusted? upcase upcase! update upto usec using utc utc? utc_offset utime
valid_encoding? value value? values values_at wait wakeup warn wday wednesday? with_index with_object world_readable?
world_writable? writable? writable_real? write write_nonblock xmlschema yday year yield yield_self zero? zip zone
""".split()
)
# Classes of which the objects, and what they give, have no other methods.
_CLOSED = frozenset(
    "Array Class Comparable Enumerable Enumerator Float Hash Integer Module Object Proc Queue Range Rational Regexp "
    "Set String StringIO Struct Symbol Thread Time lambda proc".split()
)


def lacks(path: str, name: str) -> bool:
    """Whether an object of Ruby's own is known not to have a method, so that something else has it."""
    root, _, rest = path.partition(".")
    is_closed = root == "Object" or (root == "Kernel" and rest.partition(".")[0] in _CLOSED)
    return is_closed and name not in METHODS
