package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/vtab"
)

// pushLimits tells sorts and scans of the Limit that cuts their rows, where nothing between them drops or adds any.
func (o *optimizer) pushLimits(root Node) Node {
	return bottomUp(root, func(n Node) Node {
		l, ok := n.(*Limit)
		if !ok || l.Count == nil {
			return n
		}
		return mapInputs(l, func(in Node) Node { return cutBy(in, l) })
	})
}

// cutBy gives a tree whose sort or scan, below nothing but projections, knows of the limit that cuts its rows.
func cutBy(n Node, l *Limit) Node {
	switch n := n.(type) {
	case *Project:
		return mapInputs(n, func(in Node) Node { return cutBy(in, l) })
	case *Sort:
		s := fresh(n)
		s.Top = l
		return s
	case *Scan:
		s := fresh(n)
		s.Top = l
		return s
	}
	return n
}

// pruneColumns drops computed columns and aggregates that nobody reads, and notes in scans and joins which columns are read.
func (o *optimizer) pruneColumns(root Node) Node {
	need := ColSet{}
	need.AddColumns(root.Output())
	return prune(root, need)
}

// prune gives n without what is not in need. The set is the callee's to change.
func prune(n Node, need ColSet) Node {
	switch x := n.(type) {
	case *Project:
		p := fresh(x)
		p.Items = slices.DeleteFunc(slices.Clone(x.Items), func(it Item) bool { return !need.Has(it.ID) })
		n, need = p, ColSet{}
	case *Aggregate:
		a := fresh(x)
		a.Aggs = slices.DeleteFunc(slices.Clone(x.Aggs), func(a *Agg) bool { return !need.Has(a.ID) })
		n, need = a, ColSet{}
	case *Window:
		w := fresh(x)
		w.Calls = slices.DeleteFunc(slices.Clone(x.Calls), func(c *WindowCall) bool { return !need.Has(c.ID) })
		need.Add(w.keyColumns()...)
		n = w
	case *Scan:
		return pruneScan(x, need)
	case *Join:
		return pruneJoin(x, need)
	case Change:
		need = ColSet{}
		need.AddColumns(changeReads(x))
	case *Distinct:
		need.AddColumns(x.Output()[:x.Width])
	case *SetOp, *Recursive:
		return mapInputs(n, pruneWhole)
	case *With:
		w := copyNode(x).(*With)
		for i, body := range w.Bodies {
			w.Bodies[i] = pruneWhole(body)
		}
		w.Body = prune(w.Body, need)
		return w
	}
	addReads(n, need)
	return mapInputs(n, func(in Node) Node { return prune(in, need) })
}

// addReads adds the columns that a node's own expressions read.
func addReads(n Node, need ColSet) {
	eachExpr(n, func(slot *Expr) { addExprColumns(need, *slot) })
}

// pruneWhole prunes a node of which all columns are read, by position.
func pruneWhole(n Node) Node {
	all := ColSet{}
	all.AddColumns(n.Output())
	return prune(n, all)
}

func pruneScan(s *Scan, need ColSet) Node {
	addReads(s, need)
	s = fresh(s)
	s.Used = vtab.ColumnSet{}
	for i, c := range s.Cols {
		if need.Has(c.ID) {
			s.Used.Add(i)
		}
	}
	return s
}

func pruneJoin(j *Join, need ColSet) Node {
	j = fresh(j)
	j.Emit = emitted(j, need)
	addReads(j, need)
	if j.Lateral {
		for id := range FreeColumns(j.R) {
			need.Add(id)
		}
	}
	right := ColSet{}
	for id := range need {
		right.Add(id)
	}
	j.L, j.R = prune(j.L, need), prune(j.R, right)
	return j
}

// emitted lists the columns of a join's inputs that are needed above it.
func emitted(j *Join, need ColSet) []Column {
	emit := make([]Column, 0, len(need))
	for _, c := range j.inputColumns() {
		if need.Has(c.ID) {
			emit = append(emit, c)
		}
	}
	return emit
}
