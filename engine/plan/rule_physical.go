package plan

import (
	"math"
	"slices"

	"github.com/quereus/quereus-migrate/types"
)

// chooseAccess chooses joins and access paths from the leaves up. An order that a Sort asks for is passed down to the scan that
// could provide it; the Sort goes when its input comes in that order.
func (o *optimizer) chooseAccess(root Node) Node { return o.physical(root, nil) }

// physical settles n. want is an order that somebody above would otherwise sort for.
func (o *optimizer) physical(n Node, want []orderTerm) Node {
	switch n := n.(type) {
	case *Scan:
		o.accessScan(n, want)
	case *Sort:
		return o.physicalSort(n)
	case *Join:
		return o.physicalJoin(n, want)
	case *Filter:
		n.Input = o.physical(n.Input, want)
		in := n.Input.Expected()
		n.Rows, n.Cost = in.Rows*selectivity(n.Conds), in.Cost+in.Rows
	case *Project:
		n.Input = o.physical(n.Input, throughItems(n.Items, want))
		n.Estimate = *n.Input.Expected()
	case *Limit:
		n.Input = o.physical(n.Input, want)
		n.Estimate = *n.Input.Expected()
		if limit := constantLimit(n); limit != nil {
			n.Rows = min(n.Rows, float64(*limit))
		}
	case *Distinct:
		n.Input = o.physical(n.Input, want)
		in := n.Input.Expected()
		n.Rows, n.Cost = in.Rows*0.5, in.Cost+in.Rows
	case *With:
		for _, c := range n.CTEs {
			c.Body = o.physical(c.Body, nil)
			n.Cost += c.Body.Expected().Cost
		}
		n.Body = o.physical(n.Body, want)
		n.Rows, n.Cost = n.Body.Expected().Rows, n.Cost+n.Body.Expected().Cost
	default:
		o.physicalRest(n)
	}
	return n
}

// physicalRest settles the nodes that pass no order on.
func (o *optimizer) physicalRest(n Node) {
	rows, cost := 0.0, 0.0
	eachInput(n, func(slot *Node) {
		*slot = o.physical(*slot, nil)
		rows += (*slot).Expected().Rows
		cost += (*slot).Expected().Cost
	})
	e := n.Expected()
	switch n := n.(type) {
	case *Values:
		rows = float64(len(n.Rows))
	case *TableFunc:
		rows = 100
	case *CTERead:
		rows = max(n.CTE.Body.Expected().Rows, 1)
	case *WorkRead:
		rows = 10
	case *Aggregate:
		cost += rows
		rows = math.Sqrt(rows)
		if len(n.Keys) == 0 {
			rows = 1
		}
	case *Window:
		cost += rows
	case *Recursive:
		rows *= 10
		cost *= 10
	}
	e.Rows, e.Cost = rows, cost+rows
}

// sortTerms gives a Sort's keys as an order over columns; ok is false when one is no plain column.
func sortTerms(keys []SortKey) (terms []orderTerm, ok bool) {
	for _, k := range keys {
		c, isCol := k.X.(*Col)
		if !isCol {
			return nil, false
		}
		terms = append(terms, orderTerm{id: c.ID, desc: k.Desc, nullsLast: k.NullsLast, collation: c.Collation.Effective()})
	}
	return terms, true
}

func (o *optimizer) physicalSort(n *Sort) Node {
	want, ok := sortTerms(n.Keys)
	if !ok {
		want = nil
	}
	noteTop(n.Input, n.Top)
	n.Input = o.physical(n.Input, want)
	if ok && covers(provided(n.Input), want) {
		return n.Input
	}
	in := n.Input.Expected()
	n.Rows, n.Cost = in.Rows, in.Cost+in.Rows*math.Log2(in.Rows+2)*0.2
	noteTop(n.Input, nil)
	return n
}

// noteTop tells the scan under a Sort of the limit above it, which cuts the scan too if the Sort goes.
func noteTop(n Node, top *Limit) {
	for {
		switch x := n.(type) {
		case *Project:
			n = x.Input
			continue
		case *Scan:
			x.Top = top
		}
		return
	}
}

// throughItems gives an order over a projection's columns as one over its input's; nil when one is computed.
func throughItems(items []Item, want []orderTerm) []orderTerm {
	out := slices.Clone(want)
	for i, w := range want {
		at := slices.IndexFunc(items, func(it Item) bool { return it.ID == w.id })
		if at < 0 {
			return nil
		}
		c, ok := items[at].X.(*Col)
		if !ok {
			return nil
		}
		out[i].id = c.ID
	}
	return out
}

// provided gives the order in which a node's rows come for certain.
func provided(n Node) []orderTerm {
	switch n := n.(type) {
	case *Scan:
		return scanProvides(n)
	case *Sort:
		terms, _ := sortTerms(n.Keys)
		return terms
	case *Filter:
		return provided(n.Input)
	case *Limit:
		return provided(n.Input)
	case *Distinct:
		return provided(n.Input)
	case *With:
		return provided(n.Body)
	case *Join:
		if n.Method != HashJoin && (n.Kind == InnerJoin || n.Kind == LeftJoin) { // one that spills loses the order
			return provided(n.L)
		}
	case *Project:
		return aboveItems(n.Items, provided(n.Input))
	}
	return nil
}

func scanProvides(s *Scan) []orderTerm {
	if s.Access == nil {
		return nil
	}
	out := make([]orderTerm, len(s.Access.Plan.Provides))
	for i, p := range s.Access.Plan.Provides {
		out[i] = orderTerm{id: s.Cols[p.Column].ID, desc: p.Desc, nullsLast: p.NullsLast, collation: p.Collation}
	}
	return out
}

// aboveItems gives an order of a projection's input as far as the projection passes its columns on.
func aboveItems(items []Item, have []orderTerm) []orderTerm {
	var out []orderTerm
	for _, h := range have {
		at := slices.IndexFunc(items, func(it Item) bool {
			c, ok := it.X.(*Col)
			return ok && c.ID == h.id
		})
		if at < 0 {
			break
		}
		h.id = items[at].ID
		out = append(out, h)
	}
	return out
}

// covers reports whether rows that come in one order are in the other.
func covers(have, want []orderTerm) bool {
	if len(have) < len(want) {
		return false
	}
	for i, w := range want {
		h := have[i]
		if h.id != w.id || h.desc != w.desc || h.nullsLast != w.nullsLast || h.collation != w.collation && w.collation != nil {
			return false
		}
	}
	return true
}

// physicalJoin settles a join: how it finds the matches of a left row.
func (o *optimizer) physicalJoin(j *Join, want []orderTerm) Node {
	left := ColSet{}
	left.AddColumns(j.L.Output())
	for _, w := range want {
		if !left.Has(w.id) {
			want = nil
			break
		}
	}
	j.L = o.physical(j.L, want)
	if j.Lateral {
		j.Method = ApplyJoin
		j.R = o.physical(j.R, nil)
		l, r := j.L.Expected(), j.R.Expected()
		j.Rows, j.Cost = l.Rows*r.Rows*selectivity(j.On), l.Cost+l.Rows*(r.Cost+1)
		return j
	}
	seek := o.seekJoin(j)
	j.R = o.physical(j.R, nil)
	o.hashOrLoop(j)
	if seek != nil && seek.Cost < j.Cost {
		return seek
	}
	return j
}

// hashOrLoop makes the join one by hash where equalities give keys, else one that tests all pairs.
func (o *optimizer) hashOrLoop(j *Join) {
	l, r := j.L.Expected(), j.R.Expected()
	keys, rest := joinKeys(j)
	if len(keys) == 0 {
		j.Method = LoopJoin
		j.Rows, j.Cost = l.Rows*r.Rows*selectivity(j.On), l.Cost+r.Cost+l.Rows*r.Rows
		return
	}
	j.Method, j.Keys, j.On = HashJoin, keys, rest
	if l.Rows*10 < r.Rows && r.Rows > worthSwapping && j.swap() {
		l, r = r, l
	}
	j.Rows, j.Cost = max(l.Rows, r.Rows)*selectivity(rest), l.Cost+r.Cost+1.2*l.Rows+2*r.Rows
}

// worthSwapping is the number of right rows from which on a hash join remembers the left ones if those are far fewer. Below, the
// order of the left side is kept for least surprise.
const worthSwapping = 10_000

// swap exchanges the sides of a hash join; it does nothing, and answers false, where that would give other rows.
func (j *Join) swap() bool {
	kinds := map[JoinKind]JoinKind{InnerJoin: InnerJoin, LeftJoin: RightJoin, RightJoin: LeftJoin}
	kind, ok := kinds[j.Kind]
	if !ok || j.LeftMatched.ID != 0 || j.RightMatched.ID != 0 || j.Emit == nil {
		return false
	}
	j.Kind, j.L, j.R = kind, j.R, j.L
	for i := range j.Keys {
		k := &j.Keys[i]
		k.L, k.R = k.R, k.L
	}
	return true
}

// joinKeys divides a join's condition into equalities between the sides that rows can be looked up by, and the rest.
func joinKeys(j *Join) (keys []JoinKey, rest []Expr) {
	l, r := ColSet{}, ColSet{}
	l.AddColumns(j.L.Output())
	r.AddColumns(j.R.Output())
	for _, x := range j.On {
		if k, ok := joinKey(x, l, r); ok {
			keys = append(keys, k)
		} else {
			rest = append(rest, x)
		}
	}
	return keys, rest
}

// joinKey reads `left = right`. The order must have keys that identify its values: a comparison with a TIMESPAN on one side
// only has none, nor has a collation without normalizer.
func joinKey(x Expr, l, r ColSet) (JoinKey, bool) {
	c, ok := x.(*Compare)
	if !ok || c.Op != Eq || HasSubquery(x) || !isDeterministic(x) {
		return JoinKey{}, false
	}
	k := JoinKey{L: c.L, R: c.R, By: c.By}
	lc, rc := ExprColumns(c.L), ExprColumns(c.R)
	switch {
	case lc.Meets(l) && !lc.Meets(r) && rc.Meets(r) && !rc.Meets(l):
	case lc.Meets(r) && !lc.Meets(l) && rc.Meets(l) && !rc.Meets(r):
		k.L, k.R = c.R, c.L
	default:
		return JoinKey{}, false
	}
	if t := c.By.Type; t != nil && (c.L.Static().Type != t || c.R.Static().Type != t) {
		return JoinKey{}, false
	}
	_, err := types.NewKeyPart(c.By.KeyType(), c.By.Collation, false)
	return k, err == nil
}

// seekJoin plans the join as a seek of the right side for each left row; nil when the right side cannot be sought by the
// condition.
func (o *optimizer) seekJoin(j *Join) *Join {
	if j.Kind != InnerJoin && j.Kind != LeftJoin || len(j.On) == 0 {
		return nil
	}
	r, scan, ok := sought(j.R, j.On)
	if !ok {
		return nil
	}
	r = o.physical(r, nil)
	if o.err != nil || scan.Access == nil || len(scan.Access.Pins) == 0 {
		return nil
	}
	c := *j
	c.R, c.On, c.Method = r, nil, ApplyJoin
	l := j.L.Expected()
	c.Rows, c.Cost = max(1, l.Rows*r.Expected().Rows), l.Cost+l.Rows*(r.Expected().Cost+2)
	return &c
}

// sought copies a side of a join down to its scan, with conditions added there; ok is false when they cannot get there.
func sought(n Node, conds []Expr) (copied Node, scan *Scan, ok bool) {
	switch n := n.(type) {
	case *Scan:
		c := *n
		c.Filters = subqueriesLast(append(slices.Clone(n.Filters), conds...))
		for _, x := range conds {
			if HasSubquery(x) {
				return nil, nil, false
			}
		}
		return &c, &c, true
	case *Project:
		for _, it := range n.Items {
			if !isDeterministic(it.X) {
				return nil, nil, false
			}
		}
		c := *n
		c.Input, scan, ok = sought(n.Input, substituteItems(conds, n.Items))
		return &c, scan, ok
	}
	return nil, nil, false
}
