package plan

import "slices"

// mergeProjects makes one projection of two that stand on each other, and drops those that pass their input on as it is.
func (o *optimizer) mergeProjects(root Node) Node {
	return bottomUp(root, func(n Node) Node {
		p, ok := n.(*Project)
		if !ok {
			return n
		}
		if below, ok := p.Input.(*Project); ok && mergeable(p, below) {
			exprs := make([]Expr, len(p.Items))
			for i, it := range p.Items {
				exprs[i] = it.X
			}
			merged := &Project{Input: below.Input, Items: slices.Clone(p.Items)}
			for i, x := range substituteItems(exprs, below.Items) {
				merged.Items[i].X = x
			}
			merged.Estimate = p.Estimate
			p = merged
		}
		if passesOn(p) {
			return p.Input
		}
		return p
	})
}

// mergeable reports whether the columns that below computes may be computed where p reads them: each is read once at most, unless
// it costs nothing, and p holds no subquery.
func mergeable(p, below *Project) bool {
	reads := map[ColID]int{}
	for _, it := range p.Items {
		if HasSubquery(it.X) {
			return false
		}
		walkExpr(it.X, func(x Expr) bool {
			if c, ok := x.(*Col); ok {
				reads[c.ID]++
			}
			return true
		})
	}
	return !slices.ContainsFunc(below.Items, func(it Item) bool { return reads[it.ID] > 1 && !isFree(it.X) })
}

func isFree(x Expr) bool {
	switch x.(type) {
	case *Col, *Const, *Param:
		return true
	}
	return false
}

// passesOn reports whether a projection gives its input's columns, all of them, in their order.
func passesOn(p *Project) bool {
	in := p.Input.Output()
	if len(in) != len(p.Items) {
		return false
	}
	for i, it := range p.Items {
		c, ok := it.X.(*Col)
		if !ok || c.ID != in[i].ID || it.ID != in[i].ID {
			return false
		}
	}
	return true
}
