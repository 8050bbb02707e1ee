package plan

// substitute gives expressions in which columns have become other expressions, also where subqueries read them from outside.
func substitute(list []Expr, by map[ColID]Expr) []Expr {
	if len(by) == 0 {
		return list
	}
	s := &substitution{by: by, ctes: map[*CTE]*CTE{}}
	out := make([]Expr, len(list))
	for i, x := range list {
		out[i] = s.expr(x)
	}
	return out
}

// substitution replaces columns. What reads none of them stays what it is.
type substitution struct {
	by map[ColID]Expr
	// ctes are the members of WITH whose bodies read such columns, with those that take their place.
	ctes map[*CTE]*CTE
}

func (s *substitution) expr(x Expr) Expr { return rewriteExpr(x, s.part) }

func (s *substitution) part(x Expr) Expr {
	if c, ok := x.(*Col); ok {
		if y := s.by[c.ID]; y != nil {
			return y
		}
		return x
	}
	if p := subplanOf(x); p != nil && s.touches(p.outside) {
		return withSubplan(x, p.over(s.tree(p.Root)))
	}
	return x
}

func (s *substitution) touches(o *outside) bool {
	for id := range o.cols {
		if s.by[id] != nil {
			return true
		}
	}
	return false
}

func (s *substitution) tree(n Node) Node {
	if !s.touches(readsOutside(n)) {
		return n
	}
	switch n := n.(type) {
	case *With:
		return s.with(n)
	case *CTERead:
		if c := s.ctes[n.CTE]; c != nil {
			r := fresh(n)
			r.CTE = c
			return r
		}
		return n
	}
	changed := mapExprs(mapInputs(n, s.tree), s.expr)
	*changed.Expected() = *n.Expected()
	return changed
}

// with gives a With whose members depend on other columns, and are other members.
func (s *substitution) with(n *With) Node {
	w := copyNode(n).(*With)
	for i, c := range n.CTEs {
		if !s.touches(readsOutside(n.Bodies[i])) {
			continue
		}
		w.Bodies[i] = s.tree(n.Bodies[i])
		w.CTEs[i] = clone(c)
		w.CTEs[i].outside = readsOutside(w.Bodies[i])
		s.ctes[c] = w.CTEs[i]
	}
	w.Body = s.tree(n.Body)
	return w
}
