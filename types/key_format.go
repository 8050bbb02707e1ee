package types

import (
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math/big"
	"strconv"
)

// FormatKey spells a key for people: /1/"abc"/17 for a tuple, "desc" behind a member of a descending part, /<5 and />"x" for
// values before and behind those of a type with its own order, and /?hex for what is no key. Text shows in its normal form.
// It serves logs and tests and has no inverse.
func FormatKey(b []byte) string {
	var out []byte
	for len(b) > 0 {
		r := keyReader{rest: b}
		if b[0] >= tagInverted {
			r.mask = 0xFF
		}
		text, ok := r.value()
		if !ok {
			return fmt.Sprintf("%s/?%x", out, b)
		}
		out = append(append(out, '/'), text...)
		if r.mask != 0 {
			out = append(out, " desc"...)
		}
		b = r.rest
	}
	return string(out)
}

// keyReader reads one value of a key.
type keyReader struct {
	rest  []byte
	mask  byte // 0xFF for an inverted value
	depth int
}

// take gives the next n bytes, not inverted; ok is false when the key is shorter.
func (r *keyReader) take(n int) (b []byte, ok bool) {
	if n > len(r.rest) {
		return nil, false
	}
	b = make([]byte, n)
	for i := range b {
		b[i] = r.rest[i] ^ r.mask
	}
	r.rest = r.rest[n:]
	return b, true
}

// peek gives the next byte, not inverted; endOfList where the key ends.
func (r *keyReader) peek() byte {
	if len(r.rest) == 0 {
		return endOfList
	}
	return r.rest[0] ^ r.mask
}

// value reads one value and spells it.
func (r *keyReader) value() (text string, ok bool) {
	b, ok := r.take(1)
	if !ok {
		return "", false
	}
	switch tag := b[0]; tag {
	case tagNull, tagJSONNull:
		return "null", true
	case tagJSONFalse:
		return "false", true
	case tagJSONTrue:
		return "true", true
	case tagText:
		s, ok := r.escaped()
		return strconv.Quote(s), ok
	case tagBlob:
		s, ok := r.escaped()
		return "x'" + hex.EncodeToString([]byte(s)) + "'", ok
	case tagJSONText:
		return r.escaped()
	case tagBefore, tagBehind:
		return r.stray(tag)
	case tagArray, tagObject:
		return r.container(tag)
	default:
		return r.number(tag)
	}
}

func (r *keyReader) stray(tag byte) (string, bool) {
	if next := r.peek(); next == tagBefore || next == tagBehind {
		return "", false
	}
	text, ok := r.value()
	if tag == tagBefore {
		return "<" + text, ok
	}
	return ">" + text, ok
}

// escaped reads what appendEscaped wrote.
func (r *keyReader) escaped() (string, bool) {
	var out []byte
	for i := 0; i < len(r.rest); i++ {
		c := r.rest[i] ^ r.mask
		if c != escape {
			out = append(out, c)
			continue
		}
		if i++; i == len(r.rest) {
			break
		}
		switch r.rest[i] ^ r.mask {
		case escapedNul:
			out = append(out, 0)
		case escapedEnd:
			r.rest = r.rest[i+1:]
			return string(out), true
		default:
			return "", false
		}
	}
	return "", false
}

func (r *keyReader) container(tag byte) (text string, ok bool) {
	if r.depth++; r.depth > MaxJSONDepth {
		return "", false
	}
	if tag == tagArray {
		text, ok = r.array()
	} else {
		text, ok = r.object()
	}
	r.depth--
	return text, ok
}

func (r *keyReader) array() (string, bool) {
	elems, ok := r.list()
	out := []byte{'['}
	for i, e := range elems {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, e...)
	}
	return string(append(out, ']')), ok
}

func (r *keyReader) object() (string, bool) {
	keys, ok := r.list()
	if !ok {
		return "", false
	}
	out := []byte{'{'}
	for i, key := range keys {
		v, ok := r.value()
		if !ok {
			return "", false
		}
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, key...), ':'), v...)
	}
	return string(append(out, '}')), true
}

// list reads values up to the end of the list.
func (r *keyReader) list() (texts []string, ok bool) {
	for r.peek() != endOfList {
		text, ok := r.value()
		if !ok {
			return nil, false
		}
		texts = append(texts, text)
	}
	_, ok = r.take(1)
	return texts, ok
}

// number reads what follows the tag of a number.
func (r *keyReader) number(tag byte) (string, bool) {
	switch {
	case tag == tagNegativeInfinity:
		return "-Infinity", true
	case tag == tagPositiveInfinity:
		return "Infinity", true
	case tag < tagNegativeInfinity || tag > tagPositiveInfinity:
		return "", false
	}
	negative := tag <= tagNegative
	if negative {
		r.mask = ^r.mask
		defer func() { r.mask = ^r.mask }()
	}
	n, ok := r.magnitudeLen(tag, negative)
	if !ok {
		return "", false
	}
	magnitude, ok := r.take(n)
	if !ok {
		return "", false
	}
	return r.numberEnd(new(big.Int).SetBytes(magnitude), negative)
}

// magnitudeLen gives how many bytes of magnitude follow.
func (r *keyReader) magnitudeLen(tag byte, negative bool) (n int, ok bool) {
	switch {
	case tag != tagNegativeLong && tag != tagPositiveLong && negative:
		return tagNegative - int(tag), true
	case tag != tagNegativeLong && tag != tagPositiveLong:
		return int(tag) - tagPositive, true
	}
	b, ok := r.take(1)
	if !ok {
		return 0, false
	}
	if b[0] != longLength {
		return int(b[0]), true
	}
	if b, ok = r.take(8); !ok {
		return 0, false
	}
	long := binary.BigEndian.Uint64(b)
	return int(long), long <= uint64(len(r.rest))
}

// numberEnd reads the end of a number and spells it.
func (r *keyReader) numberEnd(whole *big.Int, negative bool) (string, bool) {
	end, ok := r.take(1)
	if !ok {
		return "", false
	}
	if end[0] == endWhole {
		if negative {
			whole.Neg(whole)
		}
		return whole.String(), true
	}
	fraction, ok := r.take(8)
	if !ok || end[0] != endFraction {
		return "", false
	}
	f := NearestReal(BigInt(whole)) + floatFrom(binary.BigEndian.Uint64(fraction))
	if negative {
		f = -f
	}
	return FormatReal(f), true
}
