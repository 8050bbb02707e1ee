package types

import (
	"math"
)

// FormatJSON gives the compact JSON text of a container or scalar: no spaces, keys in document order, numbers as SQL shows
// them (docs/reference/types.md). What JSON cannot say it says as near as it can: ±Infinity is ±1e999, which reads back; a BLOB is the
// string of its text.
func FormatJSON(v Value) string { return string(AppendJSON(nil, v)) }

// AppendJSON appends FormatJSON(v) to dst.
func AppendJSON(dst []byte, v Value) []byte { return appendJSON(dst, v, false) }

// CanonicalJSON gives the text that identifies a value: as FormatJSON, but with the keys of every object sorted by code
// point and whole reals spelled exactly, so that two values have one text exactly when CompareJSON finds them equal.
func CanonicalJSON(v Value) string { return string(AppendCanonicalJSON(nil, v)) }

// AppendCanonicalJSON appends CanonicalJSON(v) to dst.
func AppendCanonicalJSON(dst []byte, v Value) []byte { return appendJSON(dst, v, true) }

func appendJSON(dst []byte, v Value, canonical bool) []byte {
	switch v.Kind() {
	case KindNull:
		return append(dst, "null"...)
	case KindReal:
		return appendJSONReal(dst, v.Float(), canonical)
	case KindText:
		return appendJSONString(dst, v.Str())
	case KindBlob:
		return appendJSONString(dst, repairUTF8(v.Bytes()))
	case KindJSON:
		if j := v.JSON(); j.Object {
			return appendJSONObject(dst, j, canonical)
		} else {
			return appendJSONArray(dst, j, canonical)
		}
	case KindBoolean:
		return append(dst, ToText(v)...)
	}
	return AppendInteger(dst, v)
}

func appendJSONReal(dst []byte, f float64, canonical bool) []byte {
	switch {
	case math.IsInf(f, 1):
		return append(dst, "1e999"...)
	case math.IsInf(f, -1):
		return append(dst, "-1e999"...)
	case canonical && math.Abs(f) >= two53: // always whole
		return realToBig(f).Append(dst, 10)
	}
	return AppendReal(dst, f)
}

func appendJSONArray(dst []byte, j *JSON, canonical bool) []byte {
	dst = append(dst, '[')
	for i, e := range j.Elems {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = appendJSON(dst, e, canonical)
	}
	return append(dst, ']')
}

func appendJSONObject(dst []byte, j *JSON, canonical bool) []byte {
	var order []int
	if canonical {
		order = j.sortedKeys()
	}
	dst = append(dst, '{')
	for i := range j.Keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		m := at(order, i)
		dst = appendJSONString(dst, j.Keys[m])
		dst = append(dst, ':')
		dst = appendJSON(dst, j.Elems[m], canonical)
	}
	return append(dst, '}')
}

// appendJSONString appends s quoted. Only what RFC 8259 requires is escaped.
func appendJSONString(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); i++ {
		c := s[i]
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i]...)
		start = i + 1
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&0xf])
		}
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}
