"""The library of JavaScript, as browsers and Node have it."""

from clew.languages.library import BOTH, FIRST, SECOND, Library, full_members, full_names

_ECMA = """
AbortController AbortSignal AggregateError Array ArrayBuffer Atomics BigInt BigInt64Array BigUint64Array Blob Boolean
Buffer CustomEvent DOMException DataView Date Deno Bun Element Error Event EventTarget File FileReader
FinalizationRegistry
Float32Array Float64Array FormData Function HTMLElement Headers Infinity Int16Array Int32Array Int8Array Intl Iterator
JSON Map Math MessageChannel MutationObserver NaN Node Number Object Promise Proxy RangeError ReadableStream
ReferenceError Reflect RegExp Request Response Set SharedArrayBuffer String Symbol SyntaxError TextDecoder TextEncoder
TransformStream TypeError URIError URL URLSearchParams Uint16Array Uint32Array Uint8Array Uint8ClampedArray WeakMap
WeakRef WeakSet WebAssembly WebSocket Worker WritableStream XMLHttpRequest alert atob btoa cancelAnimationFrame
clearImmediate clearInterval clearTimeout confirm console crypto customElements decodeURI decodeURIComponent document
encodeURI encodeURIComponent escape eval fetch global globalThis history isFinite isNaN localStorage location navigator
parseFloat parseInt performance process prompt queueMicrotask requestAnimationFrame requestIdleCallback self
sessionStorage setImmediate setInterval setTimeout structuredClone undefined unescape window
ReadonlyArray ReadonlyMap ReadonlySet Record Partial Required Readonly Pick Omit Exclude Extract NonNullable Parameters
ReturnType InstanceType Awaited Iterable IterableIterator AsyncIterable AsyncIterator AsyncGenerator Generator
PromiseLike ArrayLike string number boolean bigint symbol void null never
"""
_GIVING = frozenset("get pop shift at find findLast".split())
_SAME = frozenset("filter slice concat reverse sort splice values toSorted toReversed flat".split())
_LENDING = {
    **dict.fromkeys("every filter find findIndex findLast findLastIndex flatMap forEach map some".split(), FIRST),
    **dict.fromkeys("sort toSorted".split(), BOTH),
    **dict.fromkeys("reduce reduceRight".split(), SECOND),
}
# All that its containers have.
_CONTAINER_MEMBERS = (
    frozenset(
        "add clear copyWithin delete difference entries fill forEach has includes indexOf intersection isDisjointFrom "
        "isSubsetOf isSupersetOf join keys lastIndexOf length next push return set size symmetricDifference throw "
        "toLocaleString toSpliced toString union unshift with constructor hasOwnProperty valueOf then catch finally "
        "Symbol".split()
    )
    | _GIVING
    | _SAME
    | _LENDING.keys()
)
_METHODS = frozenset(
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
LIBRARY = Library(
    names=full_names("builtins.", _ECMA),
    members=full_members(
        {
            "builtins.Object": "hasOwnProperty isPrototypeOf toString valueOf toLocaleString propertyIsEnumerable",
            "builtins.Function": "call apply bind",
        }
    ),
    methods=_METHODS,
    giving=_GIVING,
    same=_SAME,
    lending=_LENDING,
    container_members=_CONTAINER_MEMBERS,
)
