package types

import (
	"math/big"
	"strings"
	"unsafe"
)

// Kind is the storage class of a value, in the order in which classes sort (docs/reference/types.md). Boolean, Integer and Real
// are one class for comparison: numbers compare by exact mathematical value.
type Kind uint8

// The kinds of Value.
const (
	KindNull Kind = iota
	KindBoolean
	KindInteger // any size; see Value.IsBig
	KindReal
	KindText
	KindBlob
	KindJSON // a JSON object or array; JSON scalars are values of the other kinds
)

func (k Kind) String() string {
	return [...]string{"null", "boolean", "integer", "real", "text", "blob", "json"}[k]
}

// Value is one SQL value: 24 bytes, copied by value. The zero Value is NULL. NULL, BOOLEAN, INTEGER within int64,
// REAL, and text or blobs made from existing memory allocate nothing.
//
// Text is valid UTF-8. Bytes given to Blob and the tree given to FromJSON are shared, not copied, and must not change
// afterwards.
type Value struct {
	_ [0]func() // not comparable with ==: equality of values is Compare
	// num holds the boolean (0, 1), the int64, the bits of the float64, or the length of text and blob.
	num uint64
	// ref is nil (NULL), a Kind (boolean, int64, real), textPtr, blobPtr, *big.Int or *JSON.
	ref any
}

type (
	textPtr *byte
	blobPtr *byte
)

// Null is the NULL value.
var Null = Value{}

// The two truth values.
var (
	True  = Bool(true)
	False = Bool(false)
)

// Bool makes a BOOLEAN.
func Bool(b bool) Value {
	v := Value{ref: KindBoolean}
	if b {
		v.num = 1
	}
	return v
}

// Int makes an INTEGER.
func Int(i int64) Value { return Value{num: uint64(i), ref: KindInteger} }

// BigInt makes an INTEGER of any size. The result is in int64 form when it fits; otherwise it keeps b, which must not
// change afterwards.
func BigInt(b *big.Int) Value {
	if b.IsInt64() {
		return Int(b.Int64())
	}
	return Value{ref: b}
}

// Real makes a REAL. NaN becomes NULL: it is never a value.
func Real(f float64) Value {
	if f != f {
		return Null
	}
	return Value{num: floatBits(f), ref: KindReal}
}

// Text makes a TEXT of valid UTF-8; TextFromBytes repairs what may not be.
func Text(s string) Value {
	return Value{num: uint64(len(s)), ref: textPtr(unsafe.StringData(s))}
}

// Blob makes a BLOB that shares b.
func Blob(b []byte) Value {
	return Value{num: uint64(len(b)), ref: blobPtr(unsafe.SliceData(b))}
}

// Kind gives the storage class.
func (v Value) Kind() Kind {
	switch r := v.ref.(type) {
	case nil:
		return KindNull
	case Kind:
		return r
	case textPtr:
		return KindText
	case blobPtr:
		return KindBlob
	case *JSON:
		return KindJSON
	default:
		return KindInteger
	}
}

// IsNull reports whether v is NULL.
func (v Value) IsNull() bool { return v.ref == nil }

// IsBig reports whether v is an INTEGER outside int64.
func (v Value) IsBig() bool { _, ok := v.ref.(*big.Int); return ok }

// IsNumber reports whether v is BOOLEAN, INTEGER or REAL: the one numeric class.
func (v Value) IsNumber() bool {
	k := v.Kind()
	return k == KindBoolean || k == KindInteger || k == KindReal
}

// Bool gives the truth value of a BOOLEAN; false for other kinds.
func (v Value) Bool() bool { k, ok := v.ref.(Kind); return ok && k == KindBoolean && v.num != 0 }

// Int64 gives an INTEGER within int64 (or a BOOLEAN as 0 or 1); ok is false for anything else.
func (v Value) Int64() (i int64, ok bool) {
	k, isKind := v.ref.(Kind)
	if !isKind || k == KindReal {
		return 0, false
	}
	return int64(v.num), true
}

// Big gives an INTEGER or BOOLEAN of any size as a big.Int that the caller must not change; nil for other kinds.
func (v Value) Big() *big.Int {
	switch r := v.ref.(type) {
	case *big.Int:
		return r
	case Kind:
		if r != KindReal {
			return big.NewInt(int64(v.num))
		}
	}
	return nil
}

// Float gives the float64 of a REAL; 0 for other kinds.
func (v Value) Float() float64 {
	if k, ok := v.ref.(Kind); ok && k == KindReal {
		return floatFrom(v.num)
	}
	return 0
}

// Str gives the string of a TEXT without copying; "" for other kinds.
func (v Value) Str() string {
	if p, ok := v.ref.(textPtr); ok {
		return unsafe.String((*byte)(p), v.num)
	}
	return ""
}

// Bytes gives the bytes of a BLOB, shared; nil for other kinds.
func (v Value) Bytes() []byte {
	if p, ok := v.ref.(blobPtr); ok {
		return unsafe.Slice((*byte)(p), v.num)
	}
	return nil
}

// JSON gives the tree of a JSON object or array, shared; nil for other kinds.
func (v Value) JSON() *JSON { j, _ := v.ref.(*JSON); return j }

// FromJSON makes the value of a JSON object or array, sharing j. Trees grow from the leaves: what j nests has been through
// FromJSON. NewArray and NewObject also bound the depth, and serve wherever a query decides how deep to nest.
func FromJSON(j *JSON) Value {
	if j.depth == 0 {
		j.measure()
	}
	return Value{ref: j}
}

// Row is one tuple. Rows handed out by cursors are valid until the next call on the cursor unless cloned.
type Row []Value

// Clone copies the row and the memory its texts and blobs point to.
func (r Row) Clone() Row {
	out := make(Row, len(r))
	for i, v := range r {
		out[i] = v.Clone()
	}
	return out
}

// Clone copies the memory of text and blobs, so that the value outlives the buffer it was read from.
func (v Value) Clone() Value {
	switch v.ref.(type) {
	case textPtr:
		return Text(strings.Clone(v.Str()))
	case blobPtr:
		return Blob(append(make([]byte, 0, v.num), v.Bytes()...))
	}
	return v
}
