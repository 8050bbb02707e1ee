package plan

import (
	"math"
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// chooseAccess chooses joins and access paths from the leaves up. An order that a Sort asks for is passed down to the scan that
// could provide it; the Sort goes when its input comes in that order.
func (o *optimizer) chooseAccess(root Node) Node { return o.physical(root, nil) }

// physical settles n. want is an order that somebody above would otherwise sort for.
func (o *optimizer) physical(n Node, want []orderTerm) Node {
	switch n := n.(type) {
	case *Scan:
		return o.accessScan(n, want)
	case *Sort:
		return o.physicalSort(n)
	case *Join:
		return o.physicalJoin(n, want)
	case *Filter:
		f := fresh(n)
		f.Input = o.physical(n.Input, want)
		in := f.Input.Expected()
		f.Rows, f.Cost = in.Rows*selectivity(n.Conds), in.Cost+in.Rows
		return f
	case *Project:
		p := fresh(n)
		p.Input = o.physical(n.Input, throughItems(n.Items, want))
		p.Estimate = *p.Input.Expected()
		return p
	case *Limit:
		return o.physicalLimit(n, want)
	case *Distinct:
		d := fresh(n)
		d.Input = o.inOrder(n.KeepsFirst, func() Node { return o.physical(n.Input, want) })
		in := d.Input.Expected()
		d.Rows, d.Cost = in.Rows*0.5, in.Cost+in.Rows
		return d
	case *With:
		return o.physicalWith(n, want)
	}
	return o.physicalRest(n)
}

// inOrder plans a part of the tree; keeps tells that the order of its rows matters.
func (o *optimizer) inOrder(keeps bool, plan func() Node) Node {
	saved := o.keepsOrder
	defer func() { o.keepsOrder = saved }()
	o.keepsOrder = saved || keeps
	return plan()
}

func (o *optimizer) physicalLimit(n *Limit, want []orderTerm) Node {
	l := fresh(n)
	l.Input = o.inOrder(n.KeepsFirst, func() Node { return o.physical(n.Input, want) })
	l.Estimate = *l.Input.Expected()
	if limit := constantLimit(n); limit != nil {
		l.Rows = min(l.Rows, float64(*limit))
	}
	return l
}

func (o *optimizer) physicalWith(n *With, want []orderTerm) Node {
	w := copyNode(n).(*With)
	w.Cost = 0
	for i, c := range w.CTEs {
		w.Bodies[i] = o.physical(w.Bodies[i], nil)
		o.members[c] = w.Bodies[i].Expected()
		w.Cost += w.Bodies[i].Expected().Cost
	}
	w.Body = o.physical(n.Body, want)
	w.Rows, w.Cost = w.Body.Expected().Rows, w.Cost+w.Body.Expected().Cost
	return w
}

// physicalRest settles the nodes that pass no order on.
func (o *optimizer) physicalRest(n Node) Node {
	rows, cost := 0.0, 0.0
	n = copyNode(mapInputs(n, func(in Node) Node {
		in = o.physical(in, nil)
		rows += in.Expected().Rows
		cost += in.Expected().Cost
		return in
	}))
	switch n := n.(type) {
	case *Values:
		rows = float64(len(n.Rows))
	case *TableFunc:
		rows = 100
	case *CTERead:
		rows = 1
		if e := o.members[n.CTE]; e != nil {
			rows = max(e.Rows, 1)
		}
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
	*n.Expected() = Estimate{Rows: rows, Cost: cost + rows}
	return n
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
	cut := n.Input
	if n.Top != nil && ok {
		cut = cutScan(n.Input, n.Top)
	}
	in := o.physical(cut, want)
	if ok && covers(provided(in), want) {
		return in
	}
	if cut != n.Input { // the limit does not cut the scan after all
		if in = o.physical(n.Input, want); covers(provided(in), want) {
			return in
		}
	}
	s := fresh(n)
	s.Input = in
	s.Rows, s.Cost = in.Expected().Rows, in.Expected().Cost+sortCost(in.Expected().Rows)
	return s
}

// cutScan tells the scan under a Sort of the limit above it, which cuts the scan too if the Sort goes.
func cutScan(n Node, top *Limit) Node {
	switch x := n.(type) {
	case *Project:
		return mapInputs(x, func(in Node) Node { return cutScan(in, top) })
	case *Scan:
		s := fresh(x)
		s.Top = top
		return s
	}
	return n
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
		if n.Method != HashJoin && n.Kind != RightJoin && n.Kind != FullJoin { // one that spills loses the order
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

// physicalJoin settles a join: how it finds the matches of a left row. Inner joins are searched together with those below them.
func (o *optimizer) physicalJoin(n *Join, want []orderTerm) Node {
	if isReorderable(n) {
		return o.searchJoins(n, want)
	}
	j := fresh(n)
	j.L = o.physical(n.L, onlyOver(n.L, want))
	if j.Lateral {
		j.Method = ApplyJoin
		j.R = o.physical(j.R, nil)
		l, r := j.L.Expected(), j.R.Expected()
		j.Rows, j.Cost = l.Rows*r.Rows*selectivity(j.On), l.Cost+l.Rows*(r.Cost+1)
		return j
	}
	seek := o.seekJoin(j)
	j.R = o.physical(n.R, nil)
	j.hashOrLoop()
	if seek != nil && seek.Cost < j.Cost {
		j = seek
	}
	if j.Cost > worthSwapping && !o.keepsOrder {
		if back := o.seekLeft(n); back != nil && back.Cost < j.Cost*worthReordering {
			return back
		}
	}
	if j.Set && j.Method == HashJoin && len(j.On) == 0 {
		return o.memberFilter(j)
	}
	return j
}

// memberFilter tests the left rows of a join that stands for an IN against the set of the right ones, which holds keys and not rows.
func (o *optimizer) memberFilter(j *Join) Node {
	in := &InQuery{Info: Info{Type: types.TypeBoolean, Nullable: true}}
	p := &Project{Input: j.R}
	p.Estimate = *j.R.Expected()
	for _, k := range j.Keys {
		in.X, in.By = append(in.X, k.L), append(in.By, Match{Order: k.By})
		it := Item{Column: o.b.column("", k.R.Static()), X: k.R}
		if c, ok := k.R.(*Col); ok {
			it.Name = c.Name
		}
		p.Items = append(p.Items, it)
	}
	in.Plan = newSubplan(p)
	if right := j.R.Output(); slices.EqualFunc(right, j.Keys, func(c Column, k JoinKey) bool {
		col, ok := k.R.(*Col)
		return ok && col.ID == c.ID
	}) {
		in.Plan = newSubplan(j.R)
	}
	var n Node
	if s, ok := j.L.(*Scan); ok && s.Top == nil {
		s = copyNode(s).(*Scan)
		if s.Access != nil {
			s.Access.Residual = subqueriesLast(append(s.Access.Residual, in))
		} else {
			s.Filters = subqueriesLast(append(s.Filters, in))
		}
		n = s
	} else {
		n = filter(j.L, []Expr{in})
	}
	*n.Expected() = j.Estimate
	out := n.Output()
	if j.Emit == nil || slices.EqualFunc(out, j.Emit, func(a, b Column) bool { return a.ID == b.ID }) {
		return n
	}
	emit := &Project{Input: n}
	emit.Estimate = j.Estimate
	for _, c := range j.Emit {
		emit.Items = append(emit.Items, Item{Column: c, X: o.b.ref(c, ast.NoPos)})
	}
	return emit
}

// seekLeft plans a semi join as a seek of the left side for each of the right side's distinct values; nil where these may differ and
// still be equal to one value, or the left side cannot be sought.
func (o *optimizer) seekLeft(n *Join) *Join {
	if n.Kind != SemiJoin || len(n.On) == 0 {
		return nil
	}
	right := n.R.Output()
	p := &Project{Input: n.R}
	for _, x := range n.On {
		k, ok := joinKey(x, outputOf(n.L), outputOf(n.R))
		c, isCol := k.R.(*Col)
		if !ok || !isCol || k.L.Static().Type != c.Type || k.By.Type != nil && k.By.Type != c.Type {
			return nil
		}
		col := right[findColumn(right, c.ID)]
		if !isExact(col) || c.Type == types.TypeText && k.By.Collation != types.Binary || findColumn(p.Output(), c.ID) >= 0 {
			return nil
		}
		p.Items = append(p.Items, Item{Column: col, X: c})
	}
	l := o.seek(n.L, n.On)
	if l == nil {
		return nil
	}
	d := o.physical(&Distinct{Input: p, Width: len(p.Items)}, nil)
	j := &Join{Kind: InnerJoin, Method: ApplyJoin, L: d, R: l, Emit: n.Emit}
	if j.Emit == nil {
		j.Emit = n.L.Output()
	}
	j.Rows, j.Cost = max(1, d.Expected().Rows*l.Expected().Rows), applyCost(d.Expected(), l.Expected())
	return j
}

// onlyOver gives an order if it is one over a node's columns.
func onlyOver(n Node, want []orderTerm) []orderTerm {
	cols := outputOf(n)
	for _, w := range want {
		if !cols.Has(w.id) {
			return nil
		}
	}
	return want
}

// hashOrLoop makes the join one by hash where equalities give keys, else one that tests all pairs.
func (j *Join) hashOrLoop() {
	l, r := j.L.Expected(), j.R.Expected()
	keys, rest := joinKeys(j)
	if len(keys) == 0 {
		j.Method = LoopJoin
		j.Rows, j.Cost = l.Rows*r.Rows*selectivity(j.On), loopCost(l, r)
		if j.IsSemi() {
			j.Rows = l.Rows * semiFraction
		}
		return
	}
	j.Method, j.Keys, j.On = HashJoin, keys, rest
	if swapsSides(l, r) && j.swap() {
		l, r = r, l
	}
	j.Rows, j.Cost = j.matches(l, r)*selectivity(rest), hashCost(l, r)
	if j.IsSemi() {
		j.Rows = l.Rows * semiFraction
	}
}

// swapsSides reports whether a hash join is to remember the left rows because they are far fewer.
func swapsSides(l, r *Estimate) bool { return l.Rows*10 < r.Rows && r.Rows > worthSwapping }

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
	if !ok || c.Op != Eq {
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
	return k, isJoinKey(c)
}

// isJoinKey reports whether values that a comparison finds equal have equal keys.
func isJoinKey(c *Compare) bool {
	if HasSubquery(c) || !isDeterministic(c) {
		return false
	}
	if t := c.By.Type; t != nil && (c.L.Static().Type != t || c.R.Static().Type != t) {
		return false
	}
	_, err := types.NewKeyPart(c.By.KeyType(), c.By.Collation, false)
	return err == nil
}

// seekJoin plans an outer join as a seek of the right side for each left row; nil when the right side cannot be sought by the
// condition.
func (o *optimizer) seekJoin(j *Join) *Join {
	if j.Kind != LeftJoin && !j.IsSemi() || len(j.On) == 0 {
		return nil
	}
	r := o.seek(j.R, j.On)
	if r == nil {
		return nil
	}
	c := fresh(j)
	c.R, c.On, c.Method = r, nil, ApplyJoin
	l := j.L.Expected()
	c.Rows, c.Cost = max(1, l.Rows*r.Expected().Rows), applyCost(l, r.Expected())
	if j.IsSemi() {
		c.Rows, c.Cost = l.Rows*semiFraction, semiApplyCost(l, r.Expected())
	}
	return c
}

// seek plans a side of a join as a seek by the join's conditions, nil when there is none.
func (o *optimizer) seek(side Node, conds []Expr) Node {
	if slices.ContainsFunc(conds, HasSubquery) {
		return nil
	}
	n := sought(side, conds)
	if n == nil {
		return nil
	}
	n = o.physical(n, nil)
	if o.err != nil || !seeks(n) {
		return nil
	}
	return n
}

// seeks reports whether a planned side finds its rows by values.
func seeks(n Node) bool {
	switch n := n.(type) {
	case *Project:
		return seeks(n.Input)
	case *Scan:
		return n.Access != nil && len(n.Access.Pins) > 0
	}
	return false
}

// sought gives a side of a join with conditions added at its scan; nil when they cannot get there.
func sought(n Node, conds []Expr) Node {
	switch n := n.(type) {
	case *Scan:
		s := fresh(n)
		s.Filters = subqueriesLast(slices.Concat(n.Filters, conds))
		return s
	case *Project:
		for _, it := range n.Items {
			if !isDeterministic(it.X) {
				return nil
			}
		}
		in := sought(n.Input, substituteItems(conds, n.Items))
		if in == nil {
			return nil
		}
		p := fresh(n)
		p.Input = in
		return p
	}
	return nil
}
