package catalog

import (
	"encoding/binary"
	"math"
	"math/big"
	"unsafe"

	"github.com/quereus/quereus-migrate/types"
)

// The value codec: how one value lies in a stored row and in the header of a record. A value is a tag byte and a payload that
// the tag tells the length of:
//
//	0x00       NULL
//	0x01 0x02  false, true
//	0x03       INTEGER within int64: zigzag varint
//	0x04       REAL: 8 bytes, little-endian
//	0x05 0x06  TEXT, BLOB: length (uvarint), bytes
//	0x07 0x08  positive, negative INTEGER beyond int64: length (uvarint), magnitude, most significant byte first
//	0x09       JSON container: length (uvarint), compact text
//	0x40–0x7f  INTEGER 0 to 63, no payload
//	0x80–0xbf  TEXT of 0 to 63 bytes
//
// All other tags are unused. This is on disk: it only ever grows by new tags. The bytes do not sort; keys have a form of
// their own (types.KeyEncoder).
const (
	tagNull = iota
	tagFalse
	tagTrue
	tagInt
	tagReal
	tagText
	tagBlob
	tagBigPositive
	tagBigNegative
	tagJSON

	tagSmallInt  = 0x40
	tagShortText = 0x80
	// small bounds the integers and the lengths of text that fit into a tag.
	small = 64
)

// Payload lengths that the tag alone does not tell.
const (
	varintPayload = -1 - iota
	sizedPayload
	noTag
)

// payloads gives the payload of every tag: its length, or one of the constants above.
var payloads = func() (p [256]int8) {
	for i := range p {
		switch {
		case i <= tagTrue, tagSmallInt <= i && i < tagSmallInt+small:
			p[i] = 0
		case i == tagInt:
			p[i] = varintPayload
		case i == tagReal:
			p[i] = 8
		case i <= tagJSON:
			p[i] = sizedPayload
		case tagShortText <= i && i < tagShortText+small:
			p[i] = int8(i - tagShortText)
		default:
			p[i] = noTag
		}
	}
	return p
}()

// errBadValue is what every damaged value gives; whoever holds the row adds which one it is.
var errBadValue = types.Errorf(types.CORRUPT, "a stored value is damaged")

// AppendValue appends the stored form of v to dst. It allocates nothing but the growth of dst, except for integers beyond int64.
func AppendValue(dst []byte, v types.Value) []byte {
	switch v.Kind() {
	case types.KindNull:
		return append(dst, tagNull)
	case types.KindBoolean:
		if v.Bool() {
			return append(dst, tagTrue)
		}
		return append(dst, tagFalse)
	case types.KindInteger:
		return appendInteger(dst, v)
	case types.KindReal:
		return binary.LittleEndian.AppendUint64(append(dst, tagReal), math.Float64bits(v.Float()))
	case types.KindText:
		if s := v.Str(); len(s) < small {
			return append(append(dst, tagShortText+byte(len(s))), s...)
		} else {
			return append(binary.AppendUvarint(append(dst, tagText), uint64(len(s))), s...)
		}
	case types.KindBlob:
		b := v.Bytes()
		return append(binary.AppendUvarint(append(dst, tagBlob), uint64(len(b))), b...)
	}
	return appendDocument(dst, v)
}

func appendInteger(dst []byte, v types.Value) []byte {
	if i, ok := v.Int64(); ok {
		if 0 <= i && i < small {
			return append(dst, tagSmallInt+byte(i))
		}
		return binary.AppendVarint(append(dst, tagInt), i)
	}
	b, tag := v.Big(), byte(tagBigPositive)
	if b.Sign() < 0 {
		tag = tagBigNegative
	}
	magnitude := b.Bytes()
	return append(binary.AppendUvarint(append(dst, tag), uint64(len(magnitude))), magnitude...)
}

// appendDocument appends a JSON container. Its text is written in place behind room for the longest length, then moved up.
func appendDocument(dst []byte, v types.Value) []byte {
	at := len(dst) + 1
	dst = append(dst, make([]byte, 1+binary.MaxVarintLen32)...)
	dst[at-1] = tagJSON
	from := len(dst)
	dst = types.AppendJSON(dst, v)
	text := dst[from:]
	n := binary.PutUvarint(dst[at:from], uint64(len(text)))
	copy(dst[at+n:], text)
	return dst[:at+n+len(text)]
}

// DecodeValue reads the value at the start of b and gives what stands behind it. Texts and blobs are views of b: the value
// lives as long as b is not written to. That a text is valid UTF-8 is believed. Only integers beyond int64 and JSON allocate.
//
// The error is CORRUPT, always the same one.
func DecodeValue(b []byte) (v types.Value, rest []byte, err error) {
	tag, payload, rest, err := splitValue(b)
	if err != nil {
		return types.Null, nil, err
	}
	switch {
	case tag >= tagShortText || tag == tagText:
		return types.Text(viewString(payload)), rest, nil
	case tag == tagBlob:
		return types.Blob(payload), rest, nil
	}
	v, err = decodeScalar(tag, payload)
	return v, rest, err
}

// DecodeValueArena is DecodeValue with texts and blobs copied into the arena. Scans spend their time here, so the values that rows
// mostly hold have a way of their own.
func DecodeValueArena(b []byte, arena *types.Arena) (v types.Value, rest []byte, err error) {
	if len(b) > 0 {
		switch tag := b[0]; {
		case tagSmallInt <= tag && tag < tagSmallInt+small:
			return types.Int(int64(tag - tagSmallInt)), b[1:], nil
		case tagShortText <= tag && tag < tagShortText+small && int(tag-tagShortText) < len(b):
			end := 1 + int(tag-tagShortText)
			return arena.Text(b[1:end]), b[end:], nil
		case tag == tagInt:
			if i, n := binary.Varint(b[1:]); n > 0 {
				return types.Int(i), b[1+n:], nil
			}
		case tag == tagReal && len(b) > 8:
			return types.Real(math.Float64frombits(binary.LittleEndian.Uint64(b[1:]))), b[9:], nil
		}
	}
	tag, payload, rest, err := splitValue(b)
	if err != nil {
		return types.Null, nil, err
	}
	switch {
	case tag >= tagShortText || tag == tagText:
		return arena.Text(payload), rest, nil
	case tag == tagBlob:
		return arena.Blob(payload), rest, nil
	}
	v, err = decodeScalar(tag, payload)
	return v, rest, err
}

// SkipValue gives what stands behind the value at the start of b, without reading it.
func SkipValue(b []byte) (rest []byte, err error) {
	if len(b) == 0 {
		return nil, errBadValue
	}
	if n := int(payloads[b[0]]); n >= 0 {
		if len(b) <= n {
			return nil, errBadValue
		}
		return b[1+n:], nil
	}
	_, _, rest, err = splitValue(b)
	return rest, err
}

// SkipValues gives what stands behind the n values at the start of b, without reading them.
func SkipValues(b []byte, n int) (rest []byte, err error) {
	for ; n > 0; n-- {
		if len(b) == 0 {
			return nil, errBadValue
		}
		switch size := int(payloads[b[0]]); {
		case size >= 0 && size < len(b):
			b = b[1+size:]
		case size == varintPayload && len(b) > maxQuickVarint:
			end := 1
			for end < maxQuickVarint && b[end] >= 0x80 {
				end++
			}
			if b[end] < 0x80 {
				b = b[end+1:]
				continue
			}
			fallthrough
		default:
			if b, err = SkipValue(b); err != nil {
				return nil, err
			}
		}
	}
	return b, nil
}

// maxQuickVarint is how many bytes of a varint SkipValues looks at itself.
const maxQuickVarint = 4

// splitValue cuts b into a tag, its payload without a length, and the rest.
func splitValue(b []byte) (tag byte, payload, rest []byte, err error) {
	if len(b) == 0 {
		return 0, nil, nil, errBadValue
	}
	tag, b = b[0], b[1:]
	n := int(payloads[tag])
	switch n {
	case varintPayload:
		if _, n = binary.Varint(b); n <= 0 {
			return 0, nil, nil, errBadValue
		}
	case sizedPayload:
		size, w := binary.Uvarint(b)
		if w <= 0 || size > uint64(len(b)-w) {
			return 0, nil, nil, errBadValue
		}
		b, n = b[w:], int(size)
	case noTag:
		return 0, nil, nil, errBadValue
	}
	if len(b) < n {
		return 0, nil, nil, errBadValue
	}
	return tag, b[:n:n], b[n:], nil
}

// decodeScalar reads every value but texts and blobs.
func decodeScalar(tag byte, payload []byte) (types.Value, error) {
	switch tag {
	case tagNull:
		return types.Null, nil
	case tagFalse:
		return types.False, nil
	case tagTrue:
		return types.True, nil
	case tagInt:
		i, _ := binary.Varint(payload)
		return types.Int(i), nil
	case tagReal:
		return types.Real(math.Float64frombits(binary.LittleEndian.Uint64(payload))), nil
	case tagBigPositive:
		return types.BigInt(new(big.Int).SetBytes(payload)), nil
	case tagBigNegative:
		b := new(big.Int).SetBytes(payload)
		return types.BigInt(b.Neg(b)), nil
	case tagJSON:
		v, err := types.ParseJSON(viewString(payload))
		if err != nil || v.Kind() != types.KindJSON {
			return types.Null, errBadValue
		}
		return v, nil
	}
	return types.Int(int64(tag - tagSmallInt)), nil
}

// viewString gives the bytes as a string that shares them.
func viewString(b []byte) string { return unsafe.String(unsafe.SliceData(b), len(b)) }
