package ast

func (s *Mapper) mapExpr(n Expr) Node {
	switch n := n.(type) {
	case *Unary:
		c := *n
		MapOne(s, &c.X)
		return Keep(s, n, c)
	case *Binary:
		c := *n
		MapOne(s, &c.L)
		MapOne(s, &c.R)
		return Keep(s, n, c)
	case *RowExpr:
		c := *n
		MapList(s, &c.Elems)
		return Keep(s, n, c)
	case *Paren:
		c := *n
		MapOne(s, &c.X)
		return Keep(s, n, c)
	case *Collate:
		c := *n
		MapOne(s, &c.X)
		return Keep(s, n, c)
	case *Cast:
		c := *n
		MapOne(s, &c.X)
		MapPart(s, &n.Type, &c.Type)
		return Keep(s, n, c)
	case *Case:
		c := *n
		MapOne(s, &c.Operand)
		MapEach(s, &c.Whens, func(s *Mapper, w When) When { MapOne(s, &w.Cond); MapOne(s, &w.Then); return w })
		MapOne(s, &c.Else)
		return Keep(s, n, c)
	case *Call:
		c := *n
		MapList(s, &c.Args)
		s.OrderBy(&c.OrderBy)
		MapOne(s, &c.Filter)
		MapOne(s, &c.Over)
		return Keep(s, n, c)
	}
	return s.mapPredicate(n)
}

func (s *Mapper) mapPredicate(n Expr) Node {
	switch n := n.(type) {
	case *Is:
		c := *n
		MapOne(s, &c.X)
		MapOne(s, &c.Y)
		return Keep(s, n, c)
	case *Between:
		c := *n
		MapOne(s, &c.X)
		MapOne(s, &c.Lo)
		MapOne(s, &c.Hi)
		return Keep(s, n, c)
	case *In:
		c := *n
		MapOne(s, &c.X)
		MapList(s, &c.List)
		MapOne(s, &c.Query)
		return Keep(s, n, c)
	case *Match:
		c := *n
		MapOne(s, &c.X)
		MapOne(s, &c.P)
		MapOne(s, &c.Escape)
		return Keep(s, n, c)
	case *Exists:
		c := *n
		MapOne(s, &c.Query)
		return Keep(s, n, c)
	case *Subquery:
		c := *n
		MapOne(s, &c.Query)
		return Keep(s, n, c)
	}
	return n // literals, parameters, columns, default cells
}

func (s *Mapper) mapWindowPart(n Node) Node {
	switch n := n.(type) {
	case *Window:
		c := *n
		MapList(s, &c.PartitionBy)
		s.OrderBy(&c.OrderBy)
		MapOne(s, &c.Frame)
		return Keep(s, n, c)
	case *Frame:
		c := *n
		MapOne(s, &c.Start.Offset)
		if n.Last != nil {
			last := *n.Last
			if MapOne(s, &last.Offset); last != *n.Last {
				c.Last = &last
			}
		}
		return Keep(s, n, c)
	}
	return n
}
