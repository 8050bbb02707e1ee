package plan

// eachInput shows f the slots of a node's inputs, left to right. It is the one list of what inputs a node has. The bodies of
// CTEs are inputs of their With. f must not write unless the node is a copy that nobody else holds.
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
		for i := range n.Bodies {
			f(&n.Bodies[i])
		}
		f(&n.Body)
	default:
		panic("plan: a node without a list of inputs")
	}
}

// eachExpr shows f the slots of the expressions that a node itself holds. f must not write unless the node is a copy that nobody else
// holds.
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
