package exec

import (
	"slices"
	"sort"

	"github.com/quereus/quereus-migrate/types"
)

// valued lists, for IGNORE NULLS, the rows of a partition whose first argument is not NULL, in order: eight bytes a row.
type valued struct{ rows []int }

// find lists them anew.
func (v *valued) find(o *windowOp, c *windowCallRecipe) error {
	v.rows = v.rows[:0]
	if !c.IgnoreNulls {
		return nil
	}
	for i := range o.rows.len() {
		row, err := o.rows.at(i)
		if err != nil {
			return err
		}
		if !row[c.args[0]].IsNull() {
			v.rows = append(v.rows, i)
		}
	}
	return o.ec.canceled()
}

// neighbour is lag and lead.
type neighbour struct {
	o      *windowOp
	c      *windowCallRecipe
	sign   int
	valued valued
}

func newNeighbour(o *windowOp, c *windowCallRecipe) windowFunc {
	n := &neighbour{o: o, c: c, sign: 1}
	if c.Fn.Name == "lag" {
		n.sign = -1
	}
	return n
}

func (n *neighbour) begin() error { return n.valued.find(n.o, n.c) }

func (n *neighbour) value(i int) (types.Value, error) {
	own, err := n.o.rows.at(i)
	if err != nil {
		return types.Null, err
	}
	by := 1
	if len(n.c.args) > 1 {
		if by, err = n.distance(own[n.c.args[1]]); err != nil {
			return types.Null, err
		}
	}
	at := n.target(i, by*n.sign)
	if at < 0 || at >= n.o.rows.len() {
		if len(n.c.args) > 2 {
			return own[n.c.args[2]], nil
		}
		return types.Null, nil
	}
	row, err := n.o.rows.at(at)
	if err != nil {
		return types.Null, err
	}
	return row[n.c.args[0]], nil
}

// distance reads the second argument: NULL is 0, and what is larger than any partition counts as that.
func (n *neighbour) distance(v types.Value) (int, error) {
	if v.IsNull() {
		return 0, nil
	}
	sign := 1
	if v.IsNumber() && types.CompareNumbers(v, types.Int(0)) < 0 {
		v, sign = types.Neg(v), -1
	}
	by, err := wholeOffset(v)
	if err != nil {
		return 0, n.c.frame.at(types.Errorf(types.ERROR, "%s needs a whole number of rows, and got %s", n.c.Fn.Name, types.ToText(v)))
	}
	return by * sign, nil
}

// target gives the row at a distance; one outside the partition when there is none.
func (n *neighbour) target(i, by int) int {
	if !n.c.IgnoreNulls || by == 0 {
		return i + by
	}
	rows := n.valued.rows
	k := sort.SearchInts(rows, i) // the first one from i on
	switch {
	case by < 0:
		k += by
	case k < len(rows) && rows[k] == i:
		k += by
	default:
		k += by - 1
	}
	if k < 0 || k >= len(rows) {
		return -1
	}
	return rows[k]
}

// frameValue is first_value, last_value and nth_value.
type frameValue struct {
	o      *windowOp
	c      *windowCallRecipe
	valued valued
}

func newFrameValue(o *windowOp, c *windowCallRecipe) windowFunc { return &frameValue{o: o, c: c} }

func (f *frameValue) begin() error { return f.valued.find(f.o, f.c) }

func (f *frameValue) value(i int) (types.Value, error) {
	frame, err := f.o.frame(&f.c.frame, i)
	if err != nil {
		return types.Null, err
	}
	at, err := f.pick(i, &frame)
	if err != nil || at < 0 {
		return types.Null, err
	}
	row, err := f.o.rows.at(at)
	if err != nil {
		return types.Null, err
	}
	return row[f.c.args[0]], nil
}

// pick gives the row whose value is asked for, -1 for none.
func (f *frameValue) pick(i int, frame *frameSpans) (int, error) {
	switch f.c.Fn.Name {
	case "first_value":
		return f.nth(frame, 0), nil
	case "last_value":
		return f.nth(frame, f.size(frame)-1), nil
	}
	row, err := f.o.rows.at(i)
	if err != nil {
		return -1, err
	}
	n, err := f.c.positive(row[f.c.args[1]])
	if err != nil {
		return -1, err
	}
	return f.nth(frame, n-1), nil
}

// size is the number of rows of a frame that count.
func (f *frameValue) size(frame *frameSpans) int {
	if !f.c.IgnoreNulls {
		return frame.rows()
	}
	n := 0
	for _, s := range frame.list[:frame.n] {
		n += f.valued.within(s).len()
	}
	return n
}

// nth gives row k of those of a frame that count, -1 beyond them.
func (f *frameValue) nth(frame *frameSpans, k int) int {
	if k < 0 {
		return -1
	}
	if !f.c.IgnoreNulls {
		return frame.nth(k)
	}
	for _, s := range frame.list[:frame.n] {
		in := f.valued.within(s)
		if k < in.len() {
			return f.valued.rows[in.from+k]
		}
		k -= in.len()
	}
	return -1
}

// within gives the places in v.rows of those in a stretch.
func (v *valued) within(s span) span {
	from, _ := slices.BinarySearch(v.rows, s.from)
	to, _ := slices.BinarySearch(v.rows, s.to)
	return span{from, to}
}
