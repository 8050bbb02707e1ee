package plan

import (
	"fmt"
	"math"
	"math/bits"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
)

// maxExact is the number of relations up to which every order of a group of inner joins is looked at; beyond, pairs are joined
// greedily. maxGroup is the number up to which a group grows: joins below are relations of it.
const (
	maxExact = 10
	maxGroup = 64
)

// isReorderable reports whether a join may change places with the inner joins around it.
func isReorderable(j *Join) bool {
	return j.Kind == InnerJoin && !j.Lateral && j.LeftMatched.ID == 0 && j.RightMatched.ID == 0
}

// joinGroup is a tree of inner joins as a set of relations and a set of conditions. Sets of relations are bits in order of FROM.
type joinGroup struct {
	o         *optimizer
	relations []*joinPart
	logical   []Node // the relations before they were planned
	conds     []joinCond
	seeks     map[string]Node // by relation and conditions; nil for none
}

// joinCond is a condition with the relations that it reads. Of an equality l and r are those of its sides; usable as a key if isKey.
type joinCond struct {
	x        Expr
	reads    uint64
	l, r     uint64
	isKey    bool
	fraction float64 // of pairs that pass
}

// joinPart is a plan for some of a group's relations: one of them, or two parts joined.
type joinPart struct {
	Estimate
	set    uint64
	node   Node // of one relation: its plan
	l, r   *joinPart
	method JoinMethod
	conds  []int
	seek   Node // the right side of an apply
}

// searchJoins plans a tree of inner joins in the order of FROM, or in a cheaper one if that is much cheaper.
func (o *optimizer) searchJoins(j *Join, want []orderTerm) Node {
	g := &joinGroup{o: o, seeks: map[string]Node{}}
	var conds []Expr
	written := g.flatten(j, &conds, want)
	g.readConds(conds)
	best := written(g)
	if best.Cost > worthSwapping && !o.keepsOrder && o.err == nil && !o.without(orderJoins) {
		if p := g.search(); p != nil && p.Cost < best.Cost*worthReordering {
			best = p
		}
	}
	cols := j.Emit
	if cols == nil {
		cols = j.inputColumns()
	}
	need := ColSet{}
	need.AddColumns(cols)
	planned := g.build(best, need, best.set)
	if top, ok := planned.(*Join); ok {
		top.Emit = cols
	}
	return planned
}

// flatten takes the relations and conditions of a tree into the group. The answer joins them as the tree does.
func (g *joinGroup) flatten(n Node, conds *[]Expr, want []orderTerm) func(*joinGroup) *joinPart {
	if j, ok := n.(*Join); ok && isReorderable(j) && len(g.relations) < maxGroup-1 {
		l := g.flatten(j.L, conds, onlyOver(j.L, want))
		r := g.flatten(j.R, conds, nil)
		*conds = append(*conds, j.On...)
		return func(g *joinGroup) *joinPart { return g.join(l(g), r(g), true) }
	}
	p := &joinPart{set: 1 << len(g.relations), node: g.o.relation(n, want)}
	p.Estimate = *p.node.Expected()
	g.relations, g.logical = append(g.relations, p), append(g.logical, n)
	return func(*joinGroup) *joinPart { return p }
}

// plannedRelation identifies a plan: a relation may be asked for more than once.
type plannedRelation struct {
	n    Node
	want string
}

// relation plans a relation of a group, once for each order.
func (o *optimizer) relation(n Node, want []orderTerm) Node {
	key := plannedRelation{n, ""}
	if len(want) > 0 {
		key.want = fmt.Sprint(want)
	}
	if o.relations[key] == nil {
		o.relations[key] = o.physical(n, want)
	}
	return o.relations[key]
}

// readConds notes what each condition reads.
func (g *joinGroup) readConds(conds []Expr) {
	at := map[ColID]uint64{}
	for _, p := range g.relations {
		for _, c := range p.node.Output() {
			at[c.ID] = p.set
		}
	}
	reads := func(x Expr) (set uint64) {
		for id := range ExprColumns(x) {
			set |= at[id]
		}
		return set
	}
	for _, x := range conds {
		c := joinCond{x: x, reads: reads(x), fraction: passes(x)}
		if cmp, ok := x.(*Compare); ok && cmp.Op == Eq {
			c.l, c.r = reads(cmp.L), reads(cmp.R)
			c.isKey = c.l != 0 && c.r != 0 && c.l&c.r == 0 && isJoinKey(cmp)
			if c.isKey {
				c.fraction = g.keyFraction(cmp.L, cmp.R)
			}
		}
		g.conds = append(g.conds, c)
	}
}

// keyFraction guesses the part of pairs that an equality passes: where one side is a key of its table, each row of the other side has
// one partner in it, else each row of the smaller side has one in the larger.
func (g *joinGroup) keyFraction(l, r Expr) float64 {
	lrows, lkey := g.distinct(l)
	rrows, rkey := g.distinct(r)
	switch {
	case lkey == rkey:
		return 1 / max(lrows, rrows, 1)
	case lkey:
		return 1 / max(lrows, 1)
	}
	return 1 / max(rrows, 1)
}

// distinct gives the rows of the relation that an expression reads, before they are filtered, and whether it is a key of them.
func (g *joinGroup) distinct(x Expr) (rows float64, isKey bool) {
	for id := range ExprColumns(x) {
		for i, p := range g.relations {
			if at := findColumn(p.node.Output(), id); at >= 0 {
				n, key := g.o.allRows(g.logical[i], id)
				_, plain := x.(*Col)
				rows, isKey = max(rows, n, p.Rows), key && plain
			}
		}
	}
	return rows, isKey
}

// allRows gives the rows of the table that a relation reads, before it is filtered, and whether a column of it is a key; 0 where it
// reads none.
func (o *optimizer) allRows(n Node, id ColID) (rows float64, isKey bool) {
	switch n := n.(type) {
	case *Project:
		for _, it := range n.Items {
			if c, ok := it.X.(*Col); ok && it.ID == id {
				return o.allRows(n.Input, c.ID)
			}
		}
		return o.allRows(n.Input, 0)
	case *Scan:
		if at := findColumn(n.Cols, id); at >= 0 {
			isKey = isKeyColumn(n.Table, at)
		}
		if rows := o.tableRows(n); rows != nil {
			return float64(*rows), isKey
		}
		return unknownRows, isKey
	}
	return 0, false
}

// isKeyColumn reports whether no two rows of a table share a value of the column.
func isKeyColumn(t *catalog.Table, column int) bool {
	if key := t.KeyColumns(); len(key) == 1 && key[0] == column {
		return true
	}
	return slices.ContainsFunc(t.Uniques, func(u *catalog.Unique) bool { return len(u.Columns) == 1 && u.Columns[0] == column }) ||
		slices.ContainsFunc(t.Indexes, func(ix *catalog.Index) bool {
			return ix.Unique && ix.Where == nil && len(ix.Members) == 1 && ix.Members[0].Column == column
		})
}

// between lists the conditions that can be tested first where two parts are joined.
func (g *joinGroup) between(l, r *joinPart) (conds []int, fraction float64) {
	fraction = 1
	for i := range g.conds {
		c := &g.conds[i]
		if c.reads != 0 && c.reads&^(l.set|r.set) == 0 && !l.tests(c) && !r.tests(c) {
			conds, fraction = append(conds, i), fraction*c.fraction
		}
	}
	return conds, fraction
}

// tests reports whether a condition has been tested in a part: relations by themselves test none.
func (p *joinPart) tests(c *joinCond) bool { return p.node == nil && c.reads&^p.set == 0 }

// join joins two parts by the cheapest method. inOrder keeps the left rows' order where that is not far too dear.
func (g *joinGroup) join(l, r *joinPart, inOrder bool) *joinPart {
	conds, fraction := g.between(l, r)
	p := &joinPart{set: l.set | r.set, l: l, r: r, conds: conds, method: LoopJoin}
	p.Rows, p.Cost = max(1, l.Rows*r.Rows*fraction), loopCost(&l.Estimate, &r.Estimate)
	isKey := func(i int) bool {
		c := &g.conds[i]
		return c.isKey && (c.l&^l.set == 0 && c.r&^r.set == 0 || c.l&^r.set == 0 && c.r&^l.set == 0)
	}
	if slices.ContainsFunc(conds, isKey) {
		p.method, p.Cost = HashJoin, hashCost(&l.Estimate, &r.Estimate)
		if inOrder && swapsSides(&l.Estimate, &r.Estimate) {
			p.l, p.r, p.Cost = r, l, hashCost(&r.Estimate, &l.Estimate)
		}
	}
	if r.node != nil && len(conds) > 0 {
		if seek := g.seek(r, conds); seek != nil {
			if cost := applyCost(&l.Estimate, seek.Expected()); cost < p.Cost {
				p.l, p.r, p.method, p.seek, p.Cost = l, r, ApplyJoin, seek, cost
			}
		}
	}
	return p
}

// seek plans a relation as a seek by conditions, once.
func (g *joinGroup) seek(r *joinPart, conds []int) Node {
	key := fmt.Sprint(r.set, conds)
	n, known := g.seeks[key]
	if !known {
		list := make([]Expr, len(conds))
		for i, c := range conds {
			list[i] = g.conds[c].x
		}
		n = g.o.seek(g.logical[bits.TrailingZeros64(r.set)], list)
		g.seeks[key] = n
	}
	return n
}

// search gives the cheapest part of all relations, nil when it was canceled.
func (g *joinGroup) search() *joinPart {
	if len(g.relations) > maxExact {
		return g.greedy()
	}
	return g.exact()
}

// exact finds the best plan of every set of relations out of those of its parts. Cross products are made only where nothing else joins
// a set.
func (g *joinGroup) exact() *joinPart {
	all := uint64(1)<<len(g.relations) - 1
	best := make([]*joinPart, all+1)
	for _, p := range g.relations {
		best[p.set] = p
	}
	for set := uint64(1); set <= all; set++ {
		if bits.OnesCount64(set) < 2 {
			continue
		}
		if g.o.stops() {
			return nil
		}
		for _, crossing := range []bool{false, true} {
			if best[set] == nil {
				best[set] = g.bestSplit(best, set, crossing)
			}
		}
	}
	return best[all]
}

// bestSplit gives the cheapest join that makes a set, nil for none.
func (g *joinGroup) bestSplit(best []*joinPart, set uint64, crossing bool) *joinPart {
	var found *joinPart
	for r := (set - 1) & set; r != 0; r = (r - 1) & set {
		a, b := best[set&^r], best[r]
		if a == nil || b == nil || !crossing && !g.connects(a.set, b.set) {
			continue
		}
		if p := g.join(a, b, false); found == nil || p.Cost < found.Cost {
			found = p
		}
	}
	return found
}

func (g *joinGroup) connects(l, r uint64) bool {
	return slices.ContainsFunc(g.conds, func(c joinCond) bool {
		return c.reads != 0 && c.reads&^(l|r) == 0 && c.reads&l != 0 && c.reads&r != 0
	})
}

// greedy joins, again and again, the two parts whose join has the fewest rows, and of equal ones the cheapest.
func (g *joinGroup) greedy() *joinPart {
	parts := slices.Clone(g.relations)
	pairs := map[[2]uint64]*joinPart{}
	pair := func(a, b *joinPart) *joinPart {
		key := [2]uint64{a.set, b.set}
		if pairs[key] == nil {
			p, q := g.join(a, b, false), g.join(b, a, false)
			if q.Cost < p.Cost {
				p = q
			}
			pairs[key] = p
		}
		return pairs[key]
	}
	for len(parts) > 1 {
		if g.o.stops() {
			return nil
		}
		best, at, with := math.Inf(1), 0, 1
		for i := range parts {
			for k := i + 1; k < len(parts); k++ {
				p := pair(parts[i], parts[k])
				if weight := p.Rows + p.Cost*1e-6; weight < best {
					best, at, with = weight, i, k
				}
			}
		}
		parts[at] = pair(parts[at], parts[with])
		parts = slices.Delete(parts, with, with+1)
	}
	return parts[0]
}

// build makes the nodes of a part that give the needed columns. What reads no relation of the group is tested at its top.
func (g *joinGroup) build(p *joinPart, need ColSet, top uint64) Node {
	if p.node != nil {
		return p.node
	}
	j := &Join{Kind: InnerJoin, Method: p.method}
	j.Estimate = p.Estimate
	for _, c := range p.conds {
		j.On = append(j.On, g.conds[c].x)
	}
	below := ColSet{}
	for _, x := range j.On {
		addExprColumns(below, x)
	}
	if p.method == ApplyJoin {
		j.On = nil
	}
	if p.set == top {
		for _, c := range g.conds {
			if c.reads == 0 {
				j.On = append(j.On, c.x)
			}
		}
	}
	for id := range need {
		below.Add(id)
	}
	j.L = g.build(p.l, below, top)
	if p.method == ApplyJoin {
		j.R = p.seek
	} else {
		j.R = g.build(p.r, below, top)
	}
	if p.method == HashJoin {
		j.Keys, j.On = joinKeys(j)
	}
	j.On = subqueriesLast(j.On)
	j.Emit = emitted(j, need)
	return j
}
