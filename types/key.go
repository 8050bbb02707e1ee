package types

import (
	"bytes"
	"strings"
	"unsafe"
)

// Key bytes.
//
// A key orders and identifies a tuple of values by bytes alone: memcmp of two keys gives the order that the comparators of
// the parts give, and keys are equal exactly when all values are. Each value is one tag byte and what the tag calls for. It
// is prefix-free, so keys may be concatenated, and a key of the first parts is a prefix of every key that agrees on them.
//
//	0x01        NULL; never inverted, so that it is first under DESC too (docs/reference/types.md)
//	0x08        a stray value before those of a type with its own order, then its ordinary form
//	0x0A..0x0C  null, false, true inside a JSON document
//	0x10..0x25  numbers: one space for BOOLEAN, INTEGER and REAL, by exact value (key_number.go)
//	0x30        TEXT: the collation's normal form, escaped
//	0x38        BLOB: the bytes, escaped
//	0x40        a JSON container in an ANY column: its canonical text, escaped
//	0x41, 0x42  array, object of a JSON column (key_json.go)
//	0x50        a stray value behind those of a type with its own order, then its ordinary form
//
// DESC inverts every bit of a value's bytes. All tags are below 0x80, so the top bit of a value tells its direction.
// This layout is on disk: it never changes.
const (
	tagNull      = 0x01
	tagBefore    = 0x08
	tagJSONNull  = 0x0A
	tagJSONFalse = 0x0B
	tagJSONTrue  = 0x0C
	tagText      = 0x30
	tagBlob      = 0x38
	tagJSONText  = 0x40
	tagArray     = 0x41
	tagObject    = 0x42
	tagBehind    = 0x50
	tagInverted  = 0x80 // a tag at or above this belongs to a DESC value
)

// Escaped bytes: 0x00 is written 0x00 0xFF, and 0x00 0x01 ends the run.
const (
	escape     = 0x00
	escapedNul = 0xFF
	escapedEnd = 0x01
)

// KeyPart encodes the values of one column of a key. It is resolved once, immutable, and safe for concurrent use.
type KeyPart struct {
	form      keyFormat
	fold      bool                // NOCASE: folded while it is written
	desc      bool                // inverted
	normalize func(string) string // nil: text as it is
	declared  *Type               // for formatDeclared: the type that tells its values and their key forms
	ordered   bool
}

type keyFormat uint8

const (
	formatPlain      keyFormat = iota // by storage class
	formatStructural                  // JSON documents by structure
	formatDeclared                    // by the type's key form, strays apart
)

// NewKeyPart resolves the key of a column declared as t and collated by c. A nil t is ANY, a nil c Binary; only
// collation-aware types heed c. It fails with ERROR "collation <name> has no key normalizer" when c cannot key text.
func NewKeyPart(t *Type, c *Collation, desc bool) (KeyPart, error) {
	p := KeyPart{desc: desc, ordered: true}
	switch {
	case t == nil || !t.SemanticOrder:
	case isStructural(t):
		p.form = formatStructural
	default:
		p.form, p.declared = formatDeclared, t
		p.ordered = t.KeyForm != nil // else the type's Compare alone knows the order, and the value itself identifies
	}
	if t != nil && !t.CollationAware || c == nil || c == Binary {
		return p, nil
	}
	if c.Normalize == nil {
		return KeyPart{}, Errorf(ERROR, "collation %s has no key normalizer", c.Name)
	}
	p.fold, p.normalize, p.ordered = c == NoCase, c.Normalize, p.ordered && c.OrderPreserving
	return p, nil
}

// isStructural reports whether t is JSON, whose order the key bytes spell out.
func isStructural(t *Type) bool { return t == TypeJSON }

// Ordered reports whether key bytes come in the order of the part's comparator, so that a range of values is a range of
// keys. It is false for text under a collation that is not OrderPreserving and for a type whose order only its Compare knows;
// such keys serve equality alone.
func (p KeyPart) Ordered() bool { return p.ordered }

// Holds reports whether v is a value the part's own order is defined for. It is true but for values outside a type with its
// own order, such as a number or unreadable text against TIMESPAN: a comparison may judge those otherwise than their keys lie,
// so a seek must not narrow by them.
func (p KeyPart) Holds(v Value) bool {
	switch p.form {
	case formatStructural:
		return v.Kind() != KindBlob
	case formatDeclared:
		_, ok := keyForm(p.declared, v)
		return ok || v.IsNull()
	}
	return true
}

// Append appends the key bytes of v to dst. Numbers, and texts under a built-in collation, allocate nothing beyond dst. It
// fails with TOOBIG for a JSON tree beyond MaxJSONDepth, and then gives dst as it was.
func (p KeyPart) Append(dst []byte, v Value) ([]byte, error) {
	if v.IsNull() {
		return append(dst, tagNull), nil
	}
	if j := v.JSON(); j != nil && j.depth > MaxJSONDepth {
		return dst, errTooDeep()
	}
	start := len(dst)
	switch p.form {
	case formatPlain:
		dst = p.appendPlain(dst, v)
	case formatStructural:
		dst = appendDocument(dst, v)
	case formatDeclared:
		dst = p.appendDeclared(dst, v)
	}
	if p.desc {
		invert(dst[start:])
	}
	return dst, nil
}

// appendPlain appends a value by storage class.
func (p *KeyPart) appendPlain(dst []byte, v Value) []byte {
	switch v.Kind() {
	case KindText:
		return p.appendText(append(dst, tagText), v.Str())
	case KindBlob:
		b := v.Bytes()
		return appendEscaped(append(dst, tagBlob), unsafe.String(unsafe.SliceData(b), len(b)))
	case KindJSON:
		dst = AppendCanonicalJSON(append(dst, tagJSONText), v) // JSON escapes zero bytes itself
		return append(dst, escape, escapedEnd)
	}
	return appendNumber(dst, v)
}

// appendDeclared appends a value of a type with its own order; one outside the type goes before or behind them all.
func (p *KeyPart) appendDeclared(dst []byte, v Value) []byte {
	key, ok := keyForm(p.declared, v)
	switch {
	case ok && p.declared.KeyForm == nil:
		return p.appendPlain(dst, v)
	case ok:
		plain := KeyPart{}
		return plain.appendPlain(dst, key)
	}
	tag := byte(tagBehind)
	if placeOf(p.declared, v, false) == placeBefore {
		tag = tagBefore
	}
	return p.appendPlain(append(dst, tag), v)
}

// appendText appends the normal form of s, escaped.
func (p *KeyPart) appendText(dst []byte, s string) []byte {
	switch {
	case p.fold && strings.IndexByte(s, 0) < 0:
		return append(appendFold(dst, s), escape, escapedEnd)
	case p.normalize != nil:
		s = p.normalize(s)
	}
	return appendEscaped(dst, s)
}

func appendEscaped(dst []byte, s string) []byte {
	for {
		i := strings.IndexByte(s, 0)
		if i < 0 {
			dst = append(dst, s...)
			return append(dst, escape, escapedEnd)
		}
		dst = append(dst, s[:i]...)
		dst = append(dst, escape, escapedNul)
		s = s[i+1:]
	}
}

func invert(b []byte) {
	for i := range b {
		b[i] = ^b[i]
	}
}

// KeyEncoder encodes tuples, one KeyPart a member. With ascending parts its keys are also what GROUP BY, DISTINCT and hash
// joins group by: equal bytes exactly for equal tuples. It is immutable and safe for concurrent use.
type KeyEncoder struct{ parts []KeyPart }

// NewKeyEncoder makes the encoder of the parts, in order.
func NewKeyEncoder(parts ...KeyPart) *KeyEncoder { return &KeyEncoder{parts: parts} }

// Append appends the key of values, one a part; fewer values than parts give a prefix of the keys of all tuples that begin
// with them. On an error (see KeyPart.Append) it gives dst as it was.
func (e *KeyEncoder) Append(dst []byte, values ...Value) ([]byte, error) {
	start := len(dst)
	for i := range values {
		var err error
		if dst, err = e.parts[i].Append(dst, values[i]); err != nil {
			return dst[:start], err
		}
	}
	return dst, nil
}

// PrefixEnd gives the smallest key above every key that begins with b, nil when there is none (b is empty or all 0xFF).
func PrefixEnd(b []byte) []byte {
	n := len(b)
	for n > 0 && b[n-1] == 0xFF {
		n--
	}
	if n == 0 {
		return nil
	}
	end := bytes.Clone(b[:n])
	end[n-1]++
	return end
}
