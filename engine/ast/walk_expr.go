package ast

func (s *slots) mapExpr(n Expr) Node {
	switch n := n.(type) {
	case *Unary:
		c := *n
		one(s, &c.X)
		return keep(s, n, c)
	case *Binary:
		c := *n
		one(s, &c.L)
		one(s, &c.R)
		return keep(s, n, c)
	case *RowExpr:
		c := *n
		list(s, &c.Elems)
		return keep(s, n, c)
	case *Paren:
		c := *n
		one(s, &c.X)
		return keep(s, n, c)
	case *Collate:
		c := *n
		one(s, &c.X)
		return keep(s, n, c)
	case *Cast:
		c := *n
		one(s, &c.X)
		part(s, &n.Type, &c.Type)
		return keep(s, n, c)
	case *Case:
		c := *n
		one(s, &c.Operand)
		each(s, &c.Whens, func(s *slots, w When) When { one(s, &w.Cond); one(s, &w.Then); return w })
		one(s, &c.Else)
		return keep(s, n, c)
	case *Call:
		c := *n
		list(s, &c.Args)
		s.orderBy(&c.OrderBy)
		one(s, &c.Filter)
		one(s, &c.Over)
		return keep(s, n, c)
	}
	return s.mapPredicate(n)
}

func (s *slots) mapPredicate(n Expr) Node {
	switch n := n.(type) {
	case *Is:
		c := *n
		one(s, &c.X)
		one(s, &c.Y)
		return keep(s, n, c)
	case *Between:
		c := *n
		one(s, &c.X)
		one(s, &c.Lo)
		one(s, &c.Hi)
		return keep(s, n, c)
	case *In:
		c := *n
		one(s, &c.X)
		list(s, &c.List)
		one(s, &c.Query)
		return keep(s, n, c)
	case *Match:
		c := *n
		one(s, &c.X)
		one(s, &c.P)
		one(s, &c.Escape)
		return keep(s, n, c)
	case *Exists:
		c := *n
		one(s, &c.Query)
		return keep(s, n, c)
	case *Subquery:
		c := *n
		one(s, &c.Query)
		return keep(s, n, c)
	}
	return n // literals, parameters, columns, default cells
}

func (s *slots) mapWindowPart(n Node) Node {
	switch n := n.(type) {
	case *Window:
		c := *n
		list(s, &c.PartitionBy)
		s.orderBy(&c.OrderBy)
		one(s, &c.Frame)
		return keep(s, n, c)
	case *Frame:
		c := *n
		one(s, &c.Start.Offset)
		if n.Last != nil {
			last := *n.Last
			if one(s, &last.Offset); last != *n.Last {
				c.Last = &last
			}
		}
		return keep(s, n, c)
	}
	return n
}
