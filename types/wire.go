package types

import (
	"encoding/hex"
	"math"
)

// AppendWire appends the JSON that stands for a value in answers (conformance/README.md): integers of any size and reals as
// numbers, text as strings, JSON documents as JSON, a blob as {"$blob":"hex"}, a real that JSON cannot say as
// {"$real":"Infinity"}.
func AppendWire(dst []byte, v Value) []byte {
	switch v.Kind() {
	case KindBlob:
		dst = append(dst, `{"$blob":"`...)
		dst = hex.AppendEncode(dst, v.Bytes())
		return append(dst, `"}`...)
	case KindReal:
		if f := v.Float(); math.IsInf(f, 0) {
			dst = append(dst, `{"$real":"`...)
			dst = AppendReal(dst, f)
			return append(dst, `"}`...)
		}
	}
	return AppendJSON(dst, v)
}

// AppendWireRow appends a row as the JSON array of what stands for its values, without spaces.
func AppendWireRow(dst []byte, row Row) []byte {
	dst = append(dst, '[')
	for i, v := range row {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendWire(dst, v)
	}
	return append(dst, ']')
}
