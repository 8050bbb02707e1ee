package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// decorrelate makes joins of conditions with a subquery over one table that reads the row at hand: [NOT] EXISTS and IN become semi and
// anti joins, NOT IN where no NULL can meet. So the table is read once, or sought in, whichever is cheaper. It comes before subqueries
// are planned, as their conditions are then in scans. An IN whose query does not read the row at hand becomes a semi join too, unless
// its tree may run many times: the set of an IN is made once.
func (o *optimizer) decorrelate(root Node) Node {
	once := o.depth == 0 && !repeats(root)
	return bottomUp(root, func(n Node) Node {
		f, ok := n.(*Filter)
		if !ok {
			return n
		}
		in := f.Input
		var rest []Expr
		for _, x := range f.Conds {
			if j := o.subqueryJoin(in, x, once); j != nil {
				in = j
			} else {
				rest = append(rest, x)
			}
		}
		if in == f.Input {
			return n
		}
		return filter(in, rest)
	})
}

// repeats reports whether a part of a tree may run many times.
func repeats(root Node) bool {
	found := false
	walkTree(root, func(n Node) {
		switch n := n.(type) {
		case *Join:
			found = found || n.Lateral
		case *Recursive:
			found = true
		}
	})
	return found
}

// subqueryJoin gives the join that passes the rows of a node for which a condition is true; nil where the condition is none that can be
// one.
func (o *optimizer) subqueryJoin(in Node, x Expr, once bool) *Join {
	kind := SemiJoin
	if n, ok := x.(*Not); ok {
		kind, x = AntiJoin, n.X
	}
	switch x := x.(type) {
	case *Exists:
		return o.semiJoin(in, kind, x.Plan, nil)
	case *InQuery:
		if x.Not == (kind == SemiJoin) {
			kind = AntiJoin
		} else {
			kind = SemiJoin
		}
		if once && kind == SemiJoin && !x.Plan.outside.cols.Meets(outputOf(in)) {
			return o.setJoin(in, x)
		}
		return o.semiJoin(in, kind, x.Plan, x)
	}
	return nil
}

// semiJoin joins a node with the rows of a subquery. Of an IN, in tells what is compared.
func (o *optimizer) semiJoin(l Node, kind JoinKind, s *Subplan, in *InQuery) *Join {
	made := outputOf(l)
	if !s.outside.cols.Meets(made) || s.Varies || nodeVaries(s.Root) {
		return nil
	}
	r, members := withoutProjects(s.Root)
	var on, own []Expr
	if f, ok := r.(*Filter); ok {
		r = f.Input
		on, own = split(f.Conds, func(x Expr) bool { return ExprColumns(x).Meets(made) })
	}
	if r, ok := r.(*Scan); !ok || readsOutside(r).cols.Meets(made) || slices.ContainsFunc(on, HasSubquery) {
		return nil
	}
	if in != nil {
		equal, ok := membership(in, members, kind)
		if !ok {
			return nil
		}
		on = append(equal, on...)
	}
	return &Join{Kind: kind, L: l, R: o.decorrelate(filter(r, own)), On: on}
}

// setJoin joins a node with the rows of an IN that does not read the row at hand.
func (o *optimizer) setJoin(l Node, in *InQuery) *Join {
	if nodeVaries(in.Plan.Root) {
		return nil
	}
	var members []Expr
	for _, c := range in.Plan.Root.Output() {
		members = append(members, o.b.ref(c, ast.NoPos))
	}
	on, ok := membership(in, members, SemiJoin)
	if !ok {
		return nil
	}
	return &Join{Kind: SemiJoin, L: l, R: o.decorrelate(in.Plan.Root), On: on, Set: true}
}

// withoutProjects gives what stands below the projections of a tree, and the tree's columns as expressions over it.
func withoutProjects(n Node) (below Node, cols []Expr) {
	p, ok := n.(*Project)
	if !ok {
		return n, nil
	}
	for _, it := range p.Items {
		cols = append(cols, it.X)
	}
	below, inner := withoutProjects(p.Input)
	if inner == nil {
		return below, cols
	}
	by := map[ColID]Expr{}
	for i, c := range p.Input.Output() {
		by[c.ID] = inner[i]
	}
	return below, substitute(cols, by)
}

// membership writes x in (query) as equalities with the columns of the query. ok is false where a cast is the comparison's own, where an
// equality could be NULL and that would count, and where a subquery would be asked for every pair.
func membership(in *InQuery, members []Expr, kind JoinKind) (equal []Expr, ok bool) {
	for i, x := range in.X {
		if members == nil || in.By[i].CastProbe != nil || HasSubquery(x) || HasSubquery(members[i]) {
			return nil, false
		}
		c := &Compare{Info: Info{Type: types.TypeBoolean, Pos: in.Pos}, Op: Eq, L: x, R: members[i], By: in.By[i].Order}
		c.Nullable = x.Static().Nullable || members[i].Static().Nullable
		if kind == AntiJoin && c.Nullable {
			return nil, false
		}
		equal = append(equal, c)
	}
	return equal, true
}
