package exec

import (
	"sort"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// span is a stretch of rows of a partition: from <= i < to.
type span struct{ from, to int }

func (s span) len() int { return max(0, s.to-s.from) }

// frameSpans is a frame as stretches of rows, in order and apart; what EXCLUDE takes out leaves up to three.
type frameSpans struct {
	list [3]span
	n    int
}

func (f *frameSpans) add(s span) {
	if s.len() > 0 {
		f.list[f.n] = s
		f.n++
	}
}

// rows is the number of rows in the frame.
func (f *frameSpans) rows() int {
	n := 0
	for _, s := range f.list[:f.n] {
		n += s.len()
	}
	return n
}

// nth gives row k of the frame, from 0, -1 beyond it.
func (f *frameSpans) nth(k int) int {
	for _, s := range f.list[:f.n] {
		if k < s.len() {
			return s.from + k
		}
		k -= s.len()
	}
	return -1
}

// peersOf gives the group of peers that the row being given is in.
func (o *windowOp) peersOf() span { return o.groupSpan(o.group) }

// groupSpan gives a group of peers; one before the first or after the last is empty.
func (o *windowOp) groupSpan(g int) span {
	starts, n := o.rows.starts, o.rows.len()
	switch {
	case g < 0:
		return span{0, 0}
	case g >= len(starts):
		return span{n, n}
	case g+1 == len(starts):
		return span{starts[g], n}
	}
	return span{starts[g], starts[g+1]}
}

// frame computes the frame of a call for row i, the one being given.
func (o *windowOp) frame(f *frameRecipe, i int) (out frameSpans, err error) {
	var row types.Row
	if f.start.offset >= 0 || f.end.offset >= 0 {
		if row, err = o.rows.at(i); err != nil {
			return out, err
		}
	}
	s, err := o.startOf(f, row, i)
	if err != nil {
		return out, f.at(err)
	}
	e, err := o.endOf(f, row, i)
	if err != nil {
		return out, f.at(err)
	}
	o.exclude(f.exclude, span{s, e}, i, &out)
	return out, nil
}

// exclude adds what EXCLUDE leaves of a frame.
func (o *windowOp) exclude(e ast.FrameExclude, s span, i int, out *frameSpans) {
	gone := span{i, i + 1}
	switch e {
	case ast.ExcludeCurrentRow:
	case ast.ExcludeGroup, ast.ExcludeTies:
		gone = o.peersOf()
	default:
		out.add(s)
		return
	}
	out.add(span{s.from, min(s.to, gone.from)})
	if e == ast.ExcludeTies && s.from <= i && i < s.to {
		out.add(span{i, i + 1})
	}
	out.add(span{max(s.from, gone.to), s.to})
}

// startOf gives the first row of a frame.
func (o *windowOp) startOf(f *frameRecipe, row types.Row, i int) (int, error) {
	switch {
	case f.start.kind == ast.UnboundedPreceding:
		return 0, nil
	case f.start.kind == ast.CurrentRow && f.unit == ast.FrameRows:
		return i, nil
	case f.start.kind == ast.CurrentRow:
		return o.peersOf().from, nil
	}
	return o.offsetBound(f, &f.start, row, i, false)
}

// endOf gives the row after the last of a frame.
func (o *windowOp) endOf(f *frameRecipe, row types.Row, i int) (int, error) {
	switch {
	case f.end.kind == ast.UnboundedFollowing:
		return o.rows.len(), nil
	case f.end.kind == ast.CurrentRow && f.unit == ast.FrameRows:
		return i + 1, nil
	case f.end.kind == ast.CurrentRow:
		return o.peersOf().to, nil
	}
	return o.offsetBound(f, &f.end, row, i, true)
}

// offsetBound gives a bound that an offset tells: the first row of the frame, or the one after its last.
func (o *windowOp) offsetBound(f *frameRecipe, e *frameEnd, row types.Row, i int, isEnd bool) (int, error) {
	offset := row[e.offset]
	if f.unit == ast.FrameRange {
		return o.rangeBound(e, row, offset, isEnd)
	}
	n, err := wholeOffset(offset)
	if err != nil {
		return 0, err
	}
	if e.kind == ast.Preceding {
		n = -n
	}
	if f.unit == ast.FrameGroups {
		s := o.groupSpan(clamp(o.group+n, -1, len(o.rows.starts)))
		if isEnd {
			return s.to, nil
		}
		return s.from, nil
	}
	if isEnd {
		n++
	}
	return clamp(i+n, 0, o.rows.len()), nil
}

func clamp(n, lo, hi int) int { return max(lo, min(n, hi)) }

// wholeOffset reads the offset of ROWS and GROUPS. One that is larger than any partition counts as that.
func wholeOffset(v types.Value) (int, error) {
	if v.IsNumber() && types.IsWhole(v) && types.CompareNumbers(v, types.Int(0)) >= 0 {
		const beyond = 1 << 40
		if types.CompareNumbers(v, types.Int(beyond)) >= 0 {
			return beyond, nil
		}
		whole, _ := types.Truncate(v)
		n, _ := whole.Int64()
		return int(n), nil
	}
	return 0, offsetError(v, "integer")
}

func offsetError(v types.Value, want string) error {
	text := "null"
	if !v.IsNull() {
		text = types.ToText(v)
	}
	return types.Errorf(types.ERROR, "Invalid window frame offset: %s. Must be a non-negative %s", text, want)
}

// rangeBound gives a bound of RANGE that lies an offset from the row's first key. A row whose key is NULL, or cannot be moved by the offset, sees
// its peers in that key.
func (o *windowOp) rangeBound(e *frameEnd, row types.Row, offset types.Value, isEnd bool) (int, error) {
	if o.rangeKey == nil {
		if isEnd {
			return o.rows.len(), nil
		}
		return 0, nil
	}
	if err := checkRangeOffset(offset); err != nil {
		return 0, err
	}
	target := row[o.rangeKey.Column]
	if movable(target, offset) {
		along := e.kind == ast.Following
		if o.rangeKey.Desc {
			along = !along
		}
		move := 0
		if along {
			move = 1
		}
		if moved, err := e.shift[move](target, offset); err == nil && !moved.IsNull() {
			target = moved
		}
	}
	return o.search(target, isEnd)
}

// movable reports whether a key can be moved by an offset: numbers by numbers, dates and times by spans.
func movable(key, offset types.Value) bool {
	if key.IsNumber() {
		return offset.IsNumber()
	}
	return key.Kind() == types.KindText && offset.Kind() == types.KindText
}

func checkRangeOffset(v types.Value) error {
	switch {
	case v.IsNumber() && types.CompareNumbers(v, types.Int(0)) >= 0:
		return nil
	case v.Kind() == types.KindText:
		if d, ok := types.ParseDuration(v.Str()); ok && !d.Negative {
			return nil
		}
	}
	return offsetError(v, "number or timespan")
}

// search gives the first row whose first key does not come before target, or, for an end, the first that comes after it. It looks at
// the first rows of groups of peers, which agree in the key.
func (o *windowOp) search(target types.Value, isEnd bool) (int, error) {
	starts := o.rows.starts
	var failed error
	key := o.rangeKey
	g := sort.Search(len(starts), func(g int) bool {
		row, err := o.rows.at(starts[g])
		if err != nil {
			failed = err
			return true
		}
		c := key.Compare(row[key.Column], target)
		return c > 0 || c == 0 && !isEnd
	})
	if failed != nil {
		return 0, failed
	}
	return o.groupSpan(g).from, nil
}
