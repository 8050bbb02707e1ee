package plan

// properties are derived properties of a node, each computed once.
type properties struct{ outside *outside }

func (p *properties) derived() *properties { return p }

// outside is what a tree reads that it does not make: columns of enclosing queries, and working tables of recursions around it.
type outside struct {
	cols  ColSet
	works map[*WorkTable]struct{}
}

var readsNothing = &outside{}

// readsOutside gives what a tree reads from outside. The answer is the node's and must not be changed.
func readsOutside(n Node) *outside {
	p := n.derived()
	if p.outside == nil {
		p.outside = collectOutside(n)
	}
	return p.outside
}

// readsOutside is what a member of WITH or a change that has just been bound reads from outside.
func (b *Binder) readsOutside(n Node) *outside {
	if b.err != nil {
		return readsNothing
	}
	return readsOutside(n)
}

func collectOutside(n Node) *outside {
	switch n := n.(type) {
	case *CTERead:
		if n.CTE.outside != nil {
			return n.CTE.outside
		}
		return readsNothing
	case *WorkRead:
		return &outside{works: map[*WorkTable]struct{}{n.Work: {}}}
	}
	all := &outside{cols: ColSet{}}
	eachExpr(n, func(slot *Expr) { all.addExpr(*slot) })
	eachInput(n, func(slot *Node) { all.add(readsOutside(*slot)) })
	if len(all.cols) > 0 {
		for id := range available(n) {
			delete(all.cols, id)
		}
	}
	if r, ok := n.(*Recursive); ok {
		delete(all.works, r.Work)
	}
	return all
}

func (o *outside) add(other *outside) {
	for id := range other.cols {
		o.cols.Add(id)
	}
	for w := range other.works {
		if o.works == nil {
			o.works = map[*WorkTable]struct{}{}
		}
		o.works[w] = struct{}{}
	}
}

func (o *outside) addExpr(x Expr) {
	walkExpr(x, func(x Expr) bool {
		if c, ok := x.(*Col); ok {
			o.cols.Add(c.ID)
		}
		if s := subplanOf(x); s != nil {
			o.add(s.outside)
		}
		return true
	})
}

// FreeColumns gives the columns that a tree reads and does not make: those of enclosing queries. The answer must not be changed.
func FreeColumns(n Node) ColSet { return readsOutside(n).cols }

// addExprColumns adds the columns that an expression reads, those that its subqueries read from outside included.
func addExprColumns(set ColSet, e Expr) {
	walkExpr(e, func(x Expr) bool {
		if c, ok := x.(*Col); ok {
			set.Add(c.ID)
		}
		if s := subplanOf(x); s != nil {
			set.Add(s.Outer...)
		}
		return true
	})
}

// IsRowLocal reports whether an expression depends on nothing but the given columns and the parameters: any number of goroutines may
// evaluate it, on rows in any order.
func IsRowLocal(e Expr, cols []Column) bool {
	local := !HasSubquery(e)
	walkExpr(e, func(e Expr) bool {
		switch e := e.(type) {
		case *Col:
			local = local && findColumn(cols, e.ID) >= 0
		case *Call:
			local = local && e.Fn.Deterministic
		}
		return local
	})
	return local
}

// ExprColumns gives the columns that an expression reads.
func ExprColumns(e Expr) ColSet {
	set := ColSet{}
	addExprColumns(set, e)
	return set
}

// readsWork reports whether a tree reads a working table that no node in it fills.
func readsWork(n Node) bool { return len(readsOutside(n).works) > 0 }
