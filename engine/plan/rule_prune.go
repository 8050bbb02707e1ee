package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/vtab"
)

// pushLimits tells sorts and scans of the Limit that cuts their rows, where nothing between them drops or adds any.
func (o *optimizer) pushLimits(root Node) Node {
	walkTree(root, func(n Node) {
		l, ok := n.(*Limit)
		if !ok || l.Count == nil {
			return
		}
		below := l.Input
		for {
			p, ok := below.(*Project)
			if !ok {
				break
			}
			below = p.Input
		}
		switch below := below.(type) {
		case *Sort:
			below.Top = l
		case *Scan:
			below.Top = l
		}
	})
	return root
}

// pruneColumns drops computed columns and aggregates that nobody reads, and notes in scans and joins which columns are read.
func (o *optimizer) pruneColumns(root Node) Node {
	need := ColSet{}
	need.AddColumns(root.Output())
	p := pruner{}
	p.prune(root, need)
	return root
}

type pruner struct{}

// prune drops from n what is not in need. The set is the callee's to change.
func (p *pruner) prune(n Node, need ColSet) {
	switch n := n.(type) {
	case *Project:
		n.Items = slices.DeleteFunc(n.Items, func(it Item) bool { return !need.Has(it.ID) })
		need = ColSet{}
	case *Aggregate:
		n.Aggs = slices.DeleteFunc(n.Aggs, func(a *Agg) bool { return !need.Has(a.ID) })
		need = ColSet{}
	case *Window:
		n.Calls = slices.DeleteFunc(n.Calls, func(c *WindowCall) bool { return !need.Has(c.ID) })
		need.Add(n.keyColumns()...)
	case *Scan:
		pruneScan(n, need)
		return
	case *Join:
		p.pruneJoin(n, need)
		return
	case Change:
		need = ColSet{}
		need.AddColumns(changeReads(n))
	case *Distinct:
		need.AddColumns(n.Output()[:n.Width])
	case *SetOp, *Recursive:
		p.pruneWhole(n)
		return
	case *With:
		for _, c := range n.CTEs {
			all := ColSet{}
			all.AddColumns(c.Body.Output())
			p.prune(c.Body, all)
		}
		p.prune(n.Body, need)
		return
	}
	addReads(n, need)
	eachInput(n, func(slot *Node) { p.prune(*slot, need) })
}

// addReads adds the columns that a node's own expressions read.
func addReads(n Node, need ColSet) {
	eachExpr(n, func(slot *Expr) { addExprColumns(need, *slot) })
}

// pruneWhole prunes below a node whose inputs are read column by column, by position.
func (p *pruner) pruneWhole(n Node) {
	eachInput(n, func(slot *Node) {
		all := ColSet{}
		all.AddColumns((*slot).Output())
		p.prune(*slot, all)
	})
}

func pruneScan(s *Scan, need ColSet) {
	addReads(s, need)
	s.Used = vtab.ColumnSet{}
	for i, c := range s.Cols {
		if need.Has(c.ID) {
			s.Used.Add(i)
		}
	}
}

func (p *pruner) pruneJoin(j *Join, need ColSet) {
	emit := make([]Column, 0, len(need))
	for _, c := range j.inputColumns() {
		if need.Has(c.ID) {
			emit = append(emit, c)
		}
	}
	j.Emit = emit
	addReads(j, need)
	if j.Lateral {
		need.Add(FreeColumns(j.R).Sorted()...)
	}
	right := ColSet{}
	for id := range need {
		right.Add(id)
	}
	p.prune(j.L, need)
	p.prune(j.R, right)
}
