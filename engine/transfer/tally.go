package transfer

import (
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// tally counts rows and sums up what is in them, whatever their order.
type tally struct {
	rows int64
	sum  uint64
	// computed has a sum for each generated column.
	computed []uint64
}

// counter adds rows to a tally.
type counter struct {
	tally
	filled, all int // columns, the generated ones behind the filled
	numbered    bool
	// at are the positions of the columns in a row of the table.
	at []int
	// store makes of a value what its column holds, where that is spelled otherwise; nil where it is not.
	store []func(types.Value) (types.Value, error)
}

func newTally(into *engine.LoadTable, t *Table) *counter {
	c := &counter{filled: len(t.Columns), all: len(t.Columns) + len(t.computed), numbered: t.Numbered}
	c.computed = make([]uint64, len(t.computed))
	columns := into.Columns()
	c.store = make([]func(types.Value) (types.Value, error), c.all)
	for i, name := range append(append([]string{}, t.Columns...), t.computed...) {
		at := locate(columns, name)
		c.at = append(c.at, at)
		if isRespelled(columns[at].Type) {
			c.store[i] = types.Converter(columns[at].Type)
		}
	}
	return c
}

// isRespelled reports whether a type has a spelling of its own for what it takes.
func isRespelled(t *types.Type) bool {
	return t == types.TypeDate || t == types.TypeDatetime || t == types.TypeTime
}

// add counts a row of the source: the filled columns without the number, the generated ones, and the number. It gives the values to insert.
func (c *counter) add(row []types.Value) []types.Value {
	if c.numbered { // the number goes before the generated columns
		number := row[len(row)-1]
		copy(row[c.filled:], row[c.filled-1:len(row)-1])
		row[c.filled-1] = number
	}
	h := uint64(0)
	for i, v := range row[:c.filled] {
		h = mix(h, c.hash(i, v))
	}
	c.count(h)
	for i, v := range row[c.filled:] {
		c.computed[i] += c.hash(c.filled+i, v)
	}
	return row[:c.filled:c.filled]
}

// row counts a row of the table.
func (c *counter) row(row types.Row) {
	h := uint64(0)
	for _, at := range c.at[:c.filled] {
		h = mix(h, hash(row[at]))
	}
	c.count(h)
	for i, at := range c.at[c.filled:] {
		c.computed[i] += hash(row[at])
	}
}

func (c *counter) count(h uint64) {
	c.rows++
	c.sum += mix(h, 1)
}

// hash is that of what the column makes of a value. One that it does not take refuses the row.
func (c *counter) hash(column int, v types.Value) uint64 {
	if f := c.store[column]; f != nil && !v.IsNull() {
		if stored, err := f(v); err == nil {
			v = stored
		}
	}
	return hash(v)
}

// mix is a step of a hash over several values.
func mix(h, x uint64) uint64 {
	h ^= x + 0x9e3779b97f4a7c15 + h<<6 + h>>2
	h *= 0xff51afd7ed558ccd
	return h ^ h>>33
}

// hash gives equal values equal numbers: a number is its mathematical value, whatever it is kept as.
func hash(v types.Value) uint64 {
	switch v.Kind() {
	case types.KindNull:
		return 0x7fb5d329728ea185
	case types.KindText:
		return xxhash.Sum64String(v.Str())
	case types.KindBlob:
		return ^xxhash.Sum64(v.Bytes())
	case types.KindBoolean:
		if v.Bool() {
			return mix(1, 1)
		}
		return mix(1, 0)
	case types.KindInteger:
		if i, ok := v.Int64(); ok {
			return mix(1, uint64(i))
		}
	case types.KindReal:
		f := v.Float()
		if f == math.Trunc(f) && math.Abs(f) < 1<<62 {
			return mix(1, uint64(int64(f)))
		}
		return mix(2, math.Float64bits(f))
	}
	return mix(3, xxhash.Sum64String(types.ToText(v)))
}

// HashRow gives rows that are equal in all their values equal numbers.
func HashRow(row []types.Value) uint64 {
	h := uint64(len(row))
	for _, v := range row {
		h = mix(h, hash(v))
	}
	return h
}
