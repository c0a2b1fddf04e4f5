"""Methods that types of JavaScript and browsers have, of Java's library, and of Go's; as `standard.py` says."""

OF_ECMA = frozenset(
    """
abort add addEventListener addListener anchor append appendChild apply arrayBuffer asIndexedPairs asciiSlice
asciiWrite at attachShadow base64Slice base64Write base64urlSlice base64urlWrite big bind blink blob blur bold bytes
call cancel cancelAnimationFrame catch charAt charCodeAt checkValidity clear click clone cloneNode close closest
codePointAt compare compile compose composedPath concat contains copy copyWithin cork createElement createElementNS
createTextNode decode delete destroy dispatchEvent drop elementFromPoint emit encode encodeInto end endsWith entries
equals eventNames every exec fill filter finally find findIndex findLast findLastIndex fixed flat flatMap focus
fontcolor fontsize forEach formData get getAll getAttribute getBigInt64 getBigUint64 getBoundingClientRect
getClientRects getComputedStyle getContext getDate getDay getElementById getElementsByClassName getElementsByTagName
getFloat32 getFloat64 getFullYear getHours getInt16 getInt32 getInt8 getItem getMaxListeners getMilliseconds
getMinutes getMonth getReader getSeconds getSetCookie getTime getTimezoneOffset getUTCDate getUTCDay getUTCFullYear
getUTCHours getUTCMilliseconds getUTCMinutes getUTCMonth getUTCSeconds getUint16 getUint32 getUint8 getWriter getYear
has hasAttribute hasChildNodes hasOwnProperty hexSlice hexWrite importNode includes indexOf initEvent
insertAdjacentElement insertAdjacentHTML insertBefore inspect isEqualNode isPaused isPrototypeOf isWellFormed italics
iterator join json keys lastIndexOf latin1Slice latin1Write link listenerCount listeners localeCompare map match
matchAll matches normalize off on once padEnd padStart pause pipe pipeThrough pipeTo play pop postMessage
prependListener prependOnceListener preventDefault propertyIsEnumerable push pushState querySelector querySelectorAll
rawListeners read readBigInt64BE readBigInt64LE readBigUInt64BE readBigUInt64LE readBigUint64BE readBigUint64LE
readDoubleBE readDoubleLE readFloatBE readFloatLE readInt16BE readInt16LE readInt32BE readInt32LE readInt8 readIntBE
readIntLE readUInt16BE readUInt16LE readUInt32BE readUInt32LE readUInt8 readUIntBE readUIntLE readUint16BE
readUint16LE readUint32BE readUint32LE readUint8 readUintBE readUintLE reduce reduceRight releasePointerCapture
removeAllListeners removeAttribute removeChild removeEventListener removeItem removeListener repeat replace replaceAll
replaceChild replaceChildren replaceState replaceWith reportValidity requestAnimationFrame requestFullscreen resize
resume reverse scrollBy scrollIntoView scrollTo search set setAttribute setBigInt64 setBigUint64 setDate
setDefaultEncoding setEncoding setFloat32 setFloat64 setFullYear setHours setInt16 setInt32 setInt8 setItem
setMaxListeners setMilliseconds setMinutes setMonth setPointerCapture setSeconds setTime setUTCDate setUTCFullYear
setUTCHours setUTCMilliseconds setUTCMinutes setUTCMonth setUTCSeconds setUint16 setUint32 setUint8 setYear shift
slice small some sort splice split startsWith stopImmediatePropagation stopPropagation stream strike sub subarray
submit substr substring sup swap16 swap32 swap64 take tee test text then toArray toDataURL toDateString toExponential
toFixed toGMTString toISOString toJSON toLocaleDateString toLocaleLowerCase toLocaleString toLocaleTimeString
toLocaleUpperCase toLowerCase toPrecision toReversed toSorted toSpliced toString toTimeString toUTCString toUpperCase
toWellFormed toggle toggleAttribute trim trimEnd trimLeft trimRight trimStart ucs2Slice ucs2Write uncork unpipe
unshift utf8Slice utf8Write valueOf values with wrap write writeBigInt64BE writeBigInt64LE writeBigUInt64BE
writeBigUInt64LE writeBigUint64BE writeBigUint64LE writeDoubleBE writeDoubleLE writeFloatBE writeFloatLE writeInt16BE
writeInt16LE writeInt32BE writeInt32LE writeInt8 writeIntBE writeIntLE writeUInt16BE writeUInt16LE writeUInt32BE
writeUInt32LE writeUInt8 writeUIntBE writeUIntLE writeUint16BE writeUint16LE writeUint32BE writeUint32LE writeUint8
writeUintBE writeUintLE
    """.split()
)
OF_JAVA = frozenset(
    """
abs accept acceptEither acceptEitherAsync accumulateAndGet add addAll addAndGet addFirst addLast addRequestProperty
addSuppressed addTo adjustInto after aliases alignedSlice alignmentOffset allMatch and andNot andThen anyMatch append
appendCodePoint appendReplacement appendTail apply applyToEither applyToEitherAsync array arrayOffset arrayType
asCharBuffer asDoubleBuffer asDoubleStream asFloatBuffer asIntBuffer asLongBuffer asLongStream asMatchPredicate
asPredicate asReadOnlyBuffer asShortBuffer asSubclass atOffset atStartOfDay atTime atZone available average await
awaitTermination before bitCount bitLength boxed byteValue byteValueExact canAccess canEncode canExecute canRead
canWrite cancel capacity cast ceilingEntry ceilingKey charAt charValue chars checkAccess checkError clear clearBit
clockSequence clone close codePointAt codePointBefore codePointCount codePoints collect compact comparator
compareAndExchange compareAndExchangeAcquire compareAndExchangeRelease compareAndSet compareTo compareToIgnoreCase
complete completeAsync completeExceptionally completeOnTimeout componentType compose compute computeIfAbsent
computeIfPresent concat connect contains containsAll containsKey containsValue contentEquals copy count countDown
countStackFrames createNewFile datesUntil decode decrementAndGet defaultExecutor delete deleteCharAt deleteOnExit
delimiter descendingIterator descendingKeySet descendingMap describeConstable descriptorString desiredAssertionStatus
disconnect displayName distinct divide divideAndRemainder divideToIntegralValue dividedBy doubleValue dropWhile
duplicate element elements encode end endsWith ensureCapacity entrySet equals equalsIgnoreCase exceptionally
exceptionallyAsync exceptionallyCompose exceptionallyComposeAsync execute exists fillInStackTrace filter find findAll
findAny findFirst findInLine findWithinHorizon firstEntry firstKey flags flatMap flatMapToDouble flatMapToInt
flatMapToLong flip flipBit floatValue floorEntry floorKey flush forEach forEachOrdered forEachRemaining format
formatted gcd get getAbsoluteFile getAbsolutePath getAcquire getActualMaximum getActualMinimum getAllowUserInteraction
getAndAccumulate getAndAdd getAndDecrement getAndIncrement getAndSet getAndUpdate getAnnotatedExceptionTypes
getAnnotatedInterfaces getAnnotatedParameterTypes getAnnotatedReceiverType getAnnotatedReturnType
getAnnotatedSuperclass getAnnotatedType getAnnotation getAnnotations getAnnotationsByType getAuthority getBoolean
getByte getBytes getCalendarType getCanonicalFile getCanonicalName getCanonicalPath getCause getChar getChars
getChronology getClass getClassLoader getClasses getComponentType getConnectTimeout getConstructor getConstructors
getContent getContentEncoding getContentLength getContentLengthLong getContentType getContextClassLoader getCount
getCountry getDate getDay getDayOfMonth getDayOfWeek getDayOfYear getDeclaredAnnotation getDeclaredAnnotations
getDeclaredAnnotationsByType getDeclaredClasses getDeclaredConstructor getDeclaredConstructors getDeclaredField
getDeclaredFields getDeclaredMethod getDeclaredMethods getDeclaringClass getDefaultPort getDefaultUseCaches
getDefaultValue getDisplayCountry getDisplayLanguage getDisplayName getDisplayNames getDisplayScript getDisplayVariant
getDoInput getDoOutput getDouble getEnclosingClass getEnclosingConstructor getEnclosingMethod getEnumConstants
getEpochSecond getEra getErrorStream getExceptionTypes getExpiration getExtension getExtensionKeys getField getFields
getFile getFileName getFileSystem getFirst getFirstDayOfWeek getFloat getFragment getFreeSpace
getGenericExceptionTypes getGenericInterfaces getGenericParameterTypes getGenericReturnType getGenericSuperclass
getGenericType getGreatestMinimum getHeaderField getHeaderFieldDate getHeaderFieldInt getHeaderFieldKey
getHeaderFieldLong getHeaderFields getHost getHour getHours getISO3Country getISO3Language getId getIfModifiedSince
getInputStream getInstanceFollowRedirects getInt getInterfaces getKey getLanguage getLast getLastModified
getLeastMaximum getLeastSignificantBits getLocalizedMessage getLong getLowestSetBit getMaximum getMessage getMethod
getMethods getMinimalDaysInFirstWeek getMinimum getMinute getMinutes getModifiers getModule getMonth getMonthValue
getMostSignificantBits getName getNameCount getNano getNestHost getNestMembers getNow getNumberOfDependents getOffset
getOpaque getOrDefault getOutputStream getPackage getPackageName getParameterAnnotations getParameterCount
getParameterTypes getParameters getParent getParentFile getPath getPermission getPermittedSubclasses getPlain getPort
getPriority getProperty getProtectionDomain getProtocol getQuery getRawAuthority getRawFragment getRawPath getRawQuery
getRawSchemeSpecificPart getRawUserInfo getReadTimeout getRecordComponents getRef getRequestMethod
getRequestProperties getRequestProperty getResource getResourceAsStream getResponseCode getResponseMessage
getReturnType getRoot getScheme getSchemeSpecificPart getScript getSecond getSeconds getShort getSigners getSimpleName
getStackTrace getState getSuperclass getSuppressed getThreadGroup getTime getTimeInMillis getTimeZone
getTimezoneOffset getTotalSpace getType getTypeName getTypeParameters getURL getUncaughtExceptionHandler
getUnicodeLocaleAttributes getUnicodeLocaleKeys getUnicodeLocaleType getUnits getUsableSpace getUseCaches getUserInfo
getValue getVariant getWeekYear getWeeksInWeekYear getYear getZone group groupCount handle handleAsync
hasAnchoringBounds hasArray hasExtensions hasNext hasNextBigDecimal hasNextBigInteger hasNextBoolean hasNextByte
hasNextDouble hasNextFloat hasNextInt hasNextLine hasNextLong hasNextShort hasPrevious hasRemaining
hasTransparentBounds hashCode headMap higherEntry higherKey hitEnd ifPresent ifPresentOrElse incrementAndGet indent
indexOf initCause insert intValue intValueExact intern interrupt invoke invokeAll invokeAny ioException isAbsolute
isAccessible isAfter isAlive isAnnotation isAnnotationPresent isAnonymousClass isArray isAssignableFrom isBefore
isBlank isBridge isCancelled isCompletedExceptionally isDaemon isDefault isDirect isDirectory isDone isEmpty isEnum
isEnumConstant isEqual isFile isHidden isInfinite isInstance isInterface isInterrupted isLeapYear isLenient
isLocalClass isMemberClass isNaN isNegative isNestmateOf isOpaque isParallel isPresent isPrimitive isProbablePrime
isReadOnly isRecord isRegistered isSealed isSet isShutdown isSupported isSynthetic isTerminated isVarArgs
isWeekDateSupported isZero iterator join keySet keys lastEntry lastIndexOf lastKey lastModified lazySet length
lengthOfMonth lengthOfYear limit lines list listFiles listIterator load loadFromXML locale lock lockInterruptibly
longValue longValueExact lookingAt lowerEntry lowerKey map mapMulti mapMultiToDouble mapMultiToInt mapMultiToLong
mapToDouble mapToInt mapToLong mapToObj mark markSupported match matcher matches max merge min minimalCompletionStage
minus minusDays minusHours minusMillis minusMinutes minusMonths minusNanos minusSeconds minusWeeks minusYears mismatch
mkdir mkdirs mod modInverse modPow movePointLeft movePointRight multipliedBy multiply name navigableKeySet negate
negated newCondition newDecoder newEncoder newIncompleteFuture newInstance next nextBigDecimal nextBigInteger
nextBoolean nextByte nextDouble nextFloat nextIndex nextInt nextLine nextLong nextProbablePrime nextShort node
noneMatch normalize not notify notifyAll obtrudeException obtrudeValue offer offerFirst offerLast offsetByCodePoints
onClose openConnection openStream or orElse orElseGet orElseThrow orTimeout order ordinal parallel parallelStream
parseServerAuthority pattern peek peekFirst peekLast plus plusDays plusHours plusMillis plusMinutes plusMonths
plusNanos plusSeconds plusWeeks plusYears poll pollFirst pollFirstEntry pollLast pollLastEntry pop position pow
precision previous previousIndex print printStackTrace printf println propertyNames push put putAll putChar putDouble
putFloat putIfAbsent putInt putLong putShort query radix range read readAllBytes readLine readNBytes ready reduce
region regionEnd regionMatches regionStart register relativize remainder remaining remove removeAll removeFirst
removeFirstOccurrence removeIf removeLast removeLastOccurrence renameTo repeat replace replaceAll replaceFirst
requireEnd reset resolve resolveConstantDesc resolveSibling results resume retainAll reverse rewind roll round run
runAfterBoth runAfterBothAsync runAfterEither runAfterEitherAsync sameFile save scale scaleByPowerOfTen sequential set
setAccessible setAllowUserInteraction setAuthenticator setBit setBoolean setByte setChar setCharAt
setChunkedStreamingMode setConnectTimeout setContextClassLoader setDaemon setDate setDefaultUseCaches setDoInput
setDoOutput setDouble setEmptyValue setExecutable setFirstDayOfWeek setFixedLengthStreamingMode setFloat setHours
setIfModifiedSince setInstanceFollowRedirects setInt setLastModified setLength setLenient setLong
setMinimalDaysInFirstWeek setMinutes setMonth setName setOpaque setPlain setPriority setProperty setReadOnly
setReadTimeout setReadable setRelease setRequestMethod setRequestProperty setScale setSeconds setShort setStackTrace
setTime setTimeInMillis setTimeZone setUncaughtExceptionHandler setUseCaches setValue setWeekDate setWritable setYear
shiftLeft shiftRight shortValue shortValueExact shutdown shutdownNow signum size skip skipNBytes slice sort sorted
split splitAsStream spliterator sqrt sqrtAndRemainder start startsWith stop store storeToXML stream
stringPropertyNames strip stripExtensions stripIndent stripLeading stripTrailing stripTrailingZeros subList subMap
subSequence submit subpath substring subtract subtractFrom sum summaryStatistics suspend tailMap takeWhile test
testBit thenAccept thenAcceptAsync thenAcceptBoth thenAcceptBothAsync thenApply thenApplyAsync thenCombine
thenCombineAsync thenCompose thenComposeAsync thenRun thenRunAsync timestamp toASCIIString toAbsolutePath toArray
toBigInteger toBigIntegerExact toByteArray toCharArray toCompletableFuture toDays toDaysPart toEngineeringString
toEpochDay toEpochMilli toEpochSecond toExternalForm toFile toGMTString toGenericString toHours toHoursPart toInstant
toLanguageTag toList toLocalDate toLocalDateTime toLocalTime toLocaleString toLowerCase toMatchResult toMillis
toMillisPart toMinutes toMinutesPart toNanos toNanosPart toOffsetDateTime toPath toPlainString toRealPath toSeconds
toSecondsPart toString toURI toURL toUpperCase toUri tokens transferTo transform translateEscapes trim trimToSize
truncatedTo tryLock trySetAccessible ulp unlock unordered unscaledValue until updateAndGet useAnchoringBounds
useDelimiter useLocale usePattern useRadix useTransparentBounds usingProxy values variant version wait
weakCompareAndSet weakCompareAndSetAcquire weakCompareAndSetPlain weakCompareAndSetRelease weakCompareAndSetVolatile
whenComplete whenCompleteAsync with withDayOfMonth withDayOfYear withEarlierOffsetAtOverlap withFixedOffsetZone
withHour withLaterOffsetAtOverlap withMinute withMonth withNano withNanos withSecond withSeconds withYear
withZoneSameInstant withZoneSameLocal write writeBytes xor
    """.split()
)
OF_GO = frozenset(
    """
Abs AddDate Addr After Before Bytes CanInterface CanSet Cap Context Cookie Cookies Day Deadline Elem Err Field
FieldByName FindStringSubmatch FormValue Format Header Hostname Hour Index Interface IsNil IsValid IsZero Kind
LoadOrStore MapIndex MapKeys MatchString Method Microseconds Milliseconds Minute Minutes Month NumField NumMethod
ParseForm PathValue Port ReadByte ReadFrom ReadRune ReadString ReplaceAllString Round Scan Second Seconds Seek Since
Store Sub Swap Tag Text Truncate TryLock Type Unix UnixMilli UnixNano Unwrap UserAgent Weekday WriteByte WriteHeader
WriteRune WriteString WriteTo Year
    """.split()
)

# The commands of a shell and of POSIX, and what is installed nearly everywhere.
OF_BASH = frozenset(
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
