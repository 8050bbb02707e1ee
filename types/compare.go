package types

import (
	"bytes"
	"cmp"
	"strings"
	"unsafe"
)

// Compare orders two values by storage class (docs/reference/types.md): NULL, then numbers and booleans by exact value, then text under
// c, then blobs by their bytes, then JSON containers by their canonical text. A nil c is Binary. It is the order of ANY and
// of every type without an order of its own; the order of a declared type is NewComparator's.
func Compare(a, b Value, c *Collation) int {
	ka, kb := a.Kind(), b.Kind()
	if ra, rb := storageClass(ka), storageClass(kb); ra != rb {
		return int(ra) - int(rb)
	}
	switch ka {
	case KindNull:
		return 0
	case KindText:
		return compareText(a.Str(), b.Str(), c)
	case KindBlob:
		return bytes.Compare(a.Bytes(), b.Bytes())
	case KindJSON:
		return compareCanonicalJSON(a, b)
	}
	return CompareNumbers(a, b)
}

// Equal reports whether Compare finds a and b equal; two NULLs are.
func Equal(a, b Value, c *Collation) bool { return Compare(a, b, c) == 0 }

// storageClass maps the kinds of number to one, so that the results sort as the classes do.
func storageClass(k Kind) Kind {
	if k == KindBoolean || k == KindInteger {
		return KindReal
	}
	return k
}

func compareText(a, b string, c *Collation) int {
	if c == nil || c == Binary {
		return strings.Compare(a, b)
	}
	return c.Compare(a, b)
}

func compareCanonicalJSON(a, b Value) int {
	if a.JSON() == b.JSON() {
		return 0
	}
	var x, y [256]byte
	return bytes.Compare(AppendCanonicalJSON(x[:0], a), AppendCanonicalJSON(y[:0], b))
}

// Comparator orders two values of a column or expression, NULL first. It is a total order over all values, so a stray value
// of another kind never breaks a sort or a tree. Comparators are safe for concurrent use.
type Comparator func(a, b Value) int

// NewComparator resolves the order of values declared as t and collated by c, once, so that comparing asks for neither. A nil
// t stands for an expression of unknown type and orders as ANY; a nil c is Binary. Types that are not collation-aware
// ignore c.
//
// A type with an order of its own (TIMESPAN, JSON, a custom type) orders its values by that. A value outside such a type
// has its place by storage class, after the type's own values where it is of their class, and equals none of them.
func NewComparator(t *Type, c *Collation) Comparator {
	if t == nil {
		return storageComparator(KindNull, c)
	}
	if t.SemanticOrder {
		return semanticComparator(t, c)
	}
	if !t.CollationAware {
		c = Binary
	}
	return storageComparator(t.Class, c)
}

// storageComparator gives Compare under c with a short cut for values of one class.
func storageComparator(class Kind, c *Collation) Comparator {
	switch class {
	case KindBoolean, KindInteger, KindReal:
		return compareNumbersFirst
	case KindBlob:
		return compareBlobsFirst
	case KindText:
		if c == nil || c == Binary {
			return compareBinaryTextFirst
		}
		compare := c.Compare
		return func(a, b Value) int {
			if x, ok := a.text(); ok {
				if y, ok := b.text(); ok {
					return compare(x, y)
				}
			}
			return Compare(a, b, c)
		}
	}
	return func(a, b Value) int { return Compare(a, b, c) }
}

// text is Str for callers that do not know yet whether v is a TEXT.
func (v Value) text() (s string, ok bool) {
	p, ok := v.ref.(textPtr)
	if !ok {
		return "", false
	}
	return unsafe.String((*byte)(p), v.num), true
}

func compareNumbersFirst(a, b Value) int {
	ka, aSmall := a.ref.(Kind)
	kb, bSmall := b.ref.(Kind)
	if !aSmall || !bSmall {
		return Compare(a, b, Binary)
	}
	if ka == KindInteger && kb == KindInteger {
		return cmp.Compare(int64(a.num), int64(b.num))
	}
	return compareSmallNumbers(a, b, ka == KindReal, kb == KindReal)
}

func compareBinaryTextFirst(a, b Value) int {
	if x, ok := a.text(); ok {
		if y, ok := b.text(); ok {
			return strings.Compare(x, y)
		}
	}
	return Compare(a, b, Binary)
}

func compareBlobsFirst(a, b Value) int {
	if a.Kind() == KindBlob && b.Kind() == KindBlob {
		return bytes.Compare(a.Bytes(), b.Bytes())
	}
	return Compare(a, b, Binary)
}

// semanticComparator orders by the type's own order; see NewComparator for values outside the type.
func semanticComparator(t *Type, c *Collation) Comparator {
	if isStructural(t) {
		return CompareJSON
	}
	if !t.CollationAware {
		c = Binary
	}
	own := func(x, y Value) int { return t.Compare(x, y, c) }
	if t.KeyForm != nil { // the key forms are the order
		own = func(x, y Value) int { return Compare(x, y, Binary) }
	}
	return func(a, b Value) int {
		x, xok := keyForm(t, a)
		y, yok := keyForm(t, b)
		if xok && yok {
			return own(x, y)
		}
		if pa, pb := placeOf(t, a, xok), placeOf(t, b, yok); pa != pb {
			return int(pa) - int(pb)
		}
		return Compare(a, b, c)
	}
}

// keyForm gives the value that identifies v in a type with its own order; ok is false for NULL and outside the type.
func keyForm(t *Type, v Value) (key Value, ok bool) {
	switch {
	case v.IsNull():
		return Null, false
	case t.KeyForm != nil:
		return t.KeyForm(v)
	}
	return v, t.Valid == nil || t.Valid(v)
}

// place is where a value stands in the order of a type with its own order.
type place uint8

const (
	placeNull   place = iota
	placeBefore       // outside the type, of a class before the type's
	placeOwn          // a value of the type
	placeBehind       // outside the type, of the type's class or a later one
)

func placeOf(t *Type, v Value, own bool) place {
	switch {
	case v.IsNull():
		return placeNull
	case own:
		return placeOwn
	case storageClass(v.Kind()) < storageClass(t.Class):
		return placeBefore
	}
	return placeBehind
}

// OrderTerm is one term of an ORDER BY, resolved.
type OrderTerm struct {
	// Column is the position of the term's value in the row.
	Column int
	// Cmp orders the values ascending.
	Cmp Comparator
	// Desc turns the order of values other than NULL around.
	Desc bool
	// NullsLast puts NULLs at the end; they are first otherwise, in both directions.
	NullsLast bool
}

// Compare orders two values by the term.
func (o *OrderTerm) Compare(a, b Value) int {
	if a.IsNull() || b.IsNull() {
		return o.compareNulls(a.IsNull(), b.IsNull())
	}
	if o.Desc {
		return o.Cmp(b, a)
	}
	return o.Cmp(a, b)
}

func (o *OrderTerm) compareNulls(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a != o.NullsLast:
		return -1
	}
	return 1
}

// RowComparator orders two rows.
type RowComparator func(a, b Row) int

// NewRowComparator gives the order by terms, the first that differs deciding. Rows must have all the columns that the terms
// name.
func NewRowComparator(terms ...OrderTerm) RowComparator {
	if len(terms) == 1 {
		o := terms[0]
		return func(a, b Row) int { return o.Compare(a[o.Column], b[o.Column]) }
	}
	return func(a, b Row) int {
		for i := range terms {
			o := &terms[i]
			if c := o.Compare(a[o.Column], b[o.Column]); c != 0 {
				return c
			}
		}
		return 0
	}
}
