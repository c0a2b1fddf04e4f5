"""The library of Ruby."""

from clew.languages.library import Library, full_members, full_names

_RUBY = """
Array Complex Float Hash Integer Rational String __callee__ __dir__ __method__ abort at_exit autoload binding
block_given? caller caller_locations catch eval exec exit exit! fail fork format freeze frozen? gets global_variables
instance_variable_get instance_variable_set is_a? kind_of? lambda load local_variables loop nil? object_id open p pp
print printf proc public_send putc puts raise rand readline readlines require require_relative respond_to? select send
set_trace_func sleep spawn sprintf srand syscall system tap test then throw trap warn yield_self instance_of? dup clone
class method methods hash inspect to_s instance_variables define_singleton_method singleton_class extend itself
Comparable Enumerable Kernel Math Mutex Object Proc Process Queue Random Range Regexp Set Struct Symbol Thread Time
StandardError RuntimeError ArgumentError NoMethodError NotImplementedError IOError KeyError TypeError IndexError
Exception NameError Dir File FileUtils ENV ARGV GC IO Module Class Method BasicObject Enumerator Fiber Marshal
ObjectSpace Signal Data Date DateTime URI JSON YAML ERB Logger StringIO Pathname Tempfile OpenStruct
"""
# Methods of literals, input and output, and errors, as Ruby 3.1 lists them: a call of such a name on an unknown
# receiver is more likely one of them than a method of the tree.
_METHODS = frozenset(
    """
abs abs2 add add? advise all? allbits? angle any? anybits? append arg arity ascii_only? asctime assoc at atime
autoclose? b backtrace backtrace_locations begin beginning_of_line? between? binding binmode binmode? birthtime
bit_length bol? bsearch bsearch_index bytes bytesize byteslice call capitalize capitalize! captures casecmp casecmp?
casefold? cause ceil center chain charpos chars check check_until chmod chomp chomp! chop chop! chown chr chunk
chunk_while clamp class classify clear clone close close_on_exec? close_read close_write closed? closed_read?
closed_write? codepoints coerce collect collect! collect_concat combination compact compact! compare_by_identity
compare_by_identity? concat conj conjugate count cover? crypt ctime curry cycle day deconstruct deconstruct_keys
default default_proc define_singleton_method delete delete! delete? delete_at delete_if delete_prefix delete_prefix!
delete_suffix delete_suffix! denominator deq detect difference dig digits disjoint? display div divide divmod downcase
downcase! downto drop drop_while dst? dump dup each each_byte each_char each_codepoint each_cons each_entry
each_grapheme_cluster each_index each_key each_line each_pair each_slice each_value each_with_index each_with_object
empty? encode encode! encoding end end_with? enq entries enum_for eof eof? eos? eql? equal? even? except exception
exclude_end? exist? extend external_encoding fcntl fdatasync fdiv feed fetch fetch_values fileno fill filter filter!
filter_map find find_all find_index finite? first fixed_anchor? fixed_encoding? flat_map flatten flatten! flock floor
flush force_encoding freeze friday? frozen? fsync full_message gcd gcdlcm get_byte getbyte getc getch getgm getlocal
gets getutc gmt? gmt_offset gmtime gmtoff grapheme_clusters grep grep_v group_by gsub gsub! has_key? has_value? hash
hex hour httpdate i id2name imag imaginary include? index infinite? inject insert inspect instance_eval instance_exec
instance_of? instance_variable_defined? instance_variable_get instance_variable_set instance_variables integer? intern
internal_encoding intersect? intersection invert ioctl is_a? isatty isdst iso8601 itself join keep_if key key? keys
kind_of? lambda? last lazy lcm length lineno lines ljust localtime lock locked? lstat lstrip lstrip! magnitude map
map! marshal_dump match match? match_length matched matched? matched_size max max_by mday member? members merge merge!
message method methods min min_by minmax minmax_by modulo mon monday? month mtime name named_captures names nan?
negative? next next! next_float next_values nil? nobits? none? nonzero? nsec num_waiting numerator object_id oct odd?
offset one? options ord owned? pack parameters partition path peek peek_values peep permutation phase pid pointer
polar pop pos positive? post_match pow pre_match pread pred prepend pretty_print pretty_print_cycle prev_float print
printf private_methods product proper_subset? proper_superset? protected_methods public_method public_methods
public_send push putc puts pwrite quo rassoc rationalize read read_nonblock readbyte readchar readline readlines
readpartial real real? rect rectangular reduce regexp rehash reject reject! remainder remove_instance_variable reopen
repeated_combination repeated_permutation replace reset respond_to? rest rest? rest_size restsize reverse reverse!
reverse_each rewind rfc2822 rfc822 rindex rjust rotate rotate! round rpartition rstrip rstrip! ruby2_keywords sample
saturday? scan scan_full scan_until scrub scrub! search_full sec seek select select! send set_backtrace set_encoding
set_encoding_by_bom setbyte shift shuffle shuffle! singleton_class singleton_method singleton_method_added
singleton_methods size skip skip_until sleep slice slice! slice_after slice_before slice_when sort sort! sort_by
sort_by! source source_location split squeeze squeeze! start_with? stat step store strftime string strip strip! sub
sub! subsec subset? subtract succ succ! sum sunday? superset? swapcase swapcase! sync synchronize sysread sysseek
syswrite taint tainted? take take_while tally tap tell terminate then thursday? times to_a to_ary to_c to_date
to_datetime to_enum to_f to_h to_hash to_i to_int to_io to_path to_proc to_r to_s to_set to_str to_sym to_time tr tr!
tr_s tr_s! transform_keys transform_keys! transform_values transform_values! transpose truncate trust try_lock tty?
tuesday? tv_nsec tv_sec tv_usec undump ungetbyte ungetc unicode_normalize unicode_normalize! unicode_normalized? union
uniq uniq! unlock unpack unpack1 unscan unshift untaint untrust untrusted? upcase upcase! update upto usec utc utc?
utc_offset valid_encoding? value? values values_at wday wednesday? with_index with_object write write_nonblock
xmlschema yday year yield yield_self zero? zip zone
""".split()
)
# Functions of Kernel that are often names of members, too.
ALSO_MEMBERS = frozenset("display fail format load open print select system test trap".split())
# Classes of which the objects, and what they give, have no other methods.
_CLOSED = frozenset(
    "Array Class Comparable Enumerable Enumerator Float Hash Integer Module Object Proc Queue Range Regexp "
    "Set String StringIO Struct Symbol Time lambda proc".split()
)
LIBRARY = Library(
    names=full_names("Kernel.", _RUBY),
    members=full_members(
        {
            "Object": (
                "new class send public_send respond_to? is_a? kind_of? instance_of? nil? tap then freeze frozen? "
                "dup clone inspect to_s hash object_id method methods instance_variable_get instance_variable_set "
                "name define_method instance_eval class_eval instance_exec extend ancestors superclass allocate "
                "itself instance_methods const_get const_set instance_method module_eval"
            )
        }
    ),
    methods=_METHODS,
    giving=frozenset("first last pop shift find detect sample fetch dig min_by max_by min max delete_at".split()),
    same=frozenset("select reject sort sort_by reverse compact uniq to_a filter take drop shuffle values".split()),
)


def lacks(path: str, name: str) -> bool:
    """Whether an object of the library is known not to have a method, so that something else has it."""
    root, _, rest = path.partition(".")
    is_closed = root == "Object" or (root == "Kernel" and rest.partition(".")[0] in _CLOSED)
    return is_closed and name not in _METHODS
