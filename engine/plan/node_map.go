package plan

// eachInput shows f the slots of a node's inputs, left to right. It is the one list of what inputs a node has. The bodies of
// CTEs are inputs of their With.
func eachInput(n Node, f func(slot *Node)) {
	switch n := n.(type) {
	case *Scan, *Values, *TableFunc, *CTERead, *WorkRead:
	case Change:
		f(&n.Writing().Source)
	case *Filter:
		f(&n.Input)
	case *Project:
		f(&n.Input)
	case *Aggregate:
		f(&n.Input)
	case *Sort:
		f(&n.Input)
	case *Limit:
		f(&n.Input)
	case *Window:
		f(&n.Input)
	case *Distinct:
		f(&n.Input)
	case *Join:
		f(&n.L)
		f(&n.R)
	case *SetOp:
		f(&n.L)
		f(&n.R)
	case *Recursive:
		f(&n.Base)
		f(&n.Step)
	case *With:
		for _, c := range n.CTEs {
			f(&c.Body)
		}
		f(&n.Body)
	default:
		panic("plan: a node without a list of inputs")
	}
}

// eachExpr shows f the slots of the expressions that a node itself holds.
func eachExpr(n Node, f func(slot *Expr)) {
	switch n := n.(type) {
	case *Scan: // an access holds the filters that are left; those it applies are its pins and ranges
		if n.Access != nil {
			eachAccessExpr(n.Access, f)
		} else {
			eachOf(n.Filters, f)
		}
	case *Values:
		for _, row := range n.Rows {
			eachOf(row, f)
		}
	case *TableFunc:
		eachOf(n.Args, f)
	case *Filter:
		eachOf(n.Conds, f)
	case *Project:
		eachItem(n.Items, f)
	case *Join:
		eachOf(n.On, f)
		for i := range n.Keys {
			f(&n.Keys[i].L)
			f(&n.Keys[i].R)
		}
	case *Aggregate:
		eachItem(n.Keys, f)
		for _, a := range n.Aggs {
			eachOf(a.Args, f)
			eachKey(a.OrderBy, f)
			one(&a.Filter, f)
		}
	case *Window:
		eachWindowExpr(n, f)
	case *Sort:
		eachKey(n.Keys, f)
	case *Limit:
		one(&n.Count, f)
		one(&n.Offset, f)
	case *Recursive:
		one(&n.Count, f)
		one(&n.Offset, f)
	case Change:
		eachChangeExpr(n, f)
	}
}

func eachAccessExpr(a *Access, f func(slot *Expr)) {
	for _, p := range a.Pins {
		eachOf(p.Values, f)
	}
	for _, r := range a.Ranges {
		for _, b := range []*Bound{r.Lower, r.Upper} {
			if b != nil {
				f(&b.X)
			}
		}
	}
	eachOf(a.Residual, f)
}

func eachItem(items []Item, f func(slot *Expr)) {
	for i := range items {
		f(&items[i].X)
	}
}

func eachKey(keys []SortKey, f func(slot *Expr)) {
	for i := range keys {
		f(&keys[i].X)
	}
}

func one(slot *Expr, f func(slot *Expr)) {
	if *slot != nil {
		f(slot)
	}
}

// walkTree visits n and the nodes below it, parents first, and no subqueries.
func walkTree(n Node, f func(Node)) {
	f(n)
	eachInput(n, func(slot *Node) { walkTree(*slot, f) })
}

// WalkNode visits n and the nodes below it, parents first, the plans of subqueries after the inputs of the node that holds them.
func WalkNode(n Node, f func(Node)) {
	f(n)
	eachInput(n, func(slot *Node) { WalkNode(*slot, f) })
	eachSubplan(n, func(s *Subplan) { WalkNode(s.Root, f) })
}

// eachSubplan shows f the plans of the subqueries in a node's own expressions.
func eachSubplan(n Node, f func(*Subplan)) {
	eachExpr(n, func(slot *Expr) {
		walkExpr(*slot, func(x Expr) bool {
			if s := subplanOf(x); s != nil {
				f(s)
			}
			return true
		})
	})
}

// addExprColumns adds the columns that an expression reads, those that its subqueries read from outside included.
func addExprColumns(set ColSet, e Expr) {
	walkExpr(e, func(x Expr) bool {
		if c, ok := x.(*Col); ok {
			set.Add(c.ID)
		}
		if s := subplanOf(x); s != nil {
			for id := range s.free() {
				set.Add(id)
			}
		}
		return true
	})
}

// ExprColumns gives the columns that an expression reads.
func ExprColumns(e Expr) ColSet {
	set := ColSet{}
	addExprColumns(set, e)
	return set
}

// FreeColumns gives the columns that a tree reads and does not make: those of enclosing queries.
func FreeColumns(n Node) ColSet {
	made, read := ColSet{}, ColSet{}
	collectColumns(n, made, read, map[*CTE]bool{})
	free := ColSet{}
	for id := range read {
		if !made.Has(id) {
			free.Add(id)
		}
	}
	return free
}

// collectColumns notes what a tree makes and reads. A reader of a CTE depends on whatever the CTE's body depends on.
func collectColumns(n Node, made, read ColSet, seen map[*CTE]bool) {
	made.AddColumns(n.Output())
	if c, ok := n.(Change); ok {
		for _, r := range c.Writing().All {
			made.AddColumns(r.frame())
		}
	}
	eachExpr(n, func(slot *Expr) {
		walkExpr(*slot, func(x Expr) bool {
			if c, ok := x.(*Col); ok {
				read.Add(c.ID)
			}
			s := subplanOf(x)
			switch {
			case s == nil:
			case s.read != nil:
				for id := range s.read {
					read.Add(id)
				}
			default:
				collectColumns(s.Root, made, read, seen)
			}
			return true
		})
	})
	if r, ok := n.(*CTERead); ok && !seen[r.CTE] {
		seen[r.CTE] = true
		collectColumns(r.CTE.Body, made, read, seen)
	}
	eachInput(n, func(slot *Node) { collectColumns(*slot, made, read, seen) })
}

// readsWork reports whether a tree reads a working table that no node in it fills.
func readsWork(n Node) bool {
	filled, read := map[*WorkTable]bool{}, map[*WorkTable]bool{}
	var visit func(Node)
	visit = func(n Node) {
		switch n := n.(type) {
		case *Recursive:
			filled[n.Work] = true
		case *WorkRead:
			read[n.Work] = true
		case *CTERead:
			WalkNode(n.CTE.Body, visit)
		}
	}
	WalkNode(n, visit)
	for w := range read {
		if !filled[w] {
			return true
		}
	}
	return false
}
