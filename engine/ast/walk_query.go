package ast

func (s *slots) mapQueryTerm(n QueryTerm) Node {
	switch n := n.(type) {
	case *SelectCore:
		c := *n
		parts(s, &c.Items)
		one(s, &c.From)
		one(s, &c.Where)
		list(s, &c.GroupBy)
		one(s, &c.Having)
		each(s, &c.Windows, func(s *slots, w NamedWindow) NamedWindow { one(s, &w.Window); return w })
		return keep(s, n, c)
	case *ValuesClause:
		c := *n
		s.rows(&c.Rows)
		return keep(s, n, c)
	case *SetOp:
		c := *n
		one(s, &c.L)
		one(s, &c.R)
		return keep(s, n, c)
	case *ParenQuery:
		c := *n
		one(s, &c.Query)
		return keep(s, n, c)
	case *InsertStmt:
		return s.mapInsert(n)
	case *UpdateStmt:
		c := *n
		one(s, &c.With)
		part(s, &n.Table, &c.Table)
		s.assignments(&c.Set)
		one(s, &c.From)
		one(s, &c.Where)
		s.writeClauses(&c.WriteClauses)
		parts(s, &c.Returning)
		return keep(s, n, c)
	case *DeleteStmt:
		c := *n
		one(s, &c.With)
		part(s, &n.Table, &c.Table)
		one(s, &c.Where)
		s.writeClauses(&c.WriteClauses)
		parts(s, &c.Returning)
		return keep(s, n, c)
	}
	return n
}

func (s *slots) mapInsert(n *InsertStmt) Node {
	c := *n
	one(s, &c.With)
	part(s, &n.Table, &c.Table)
	one(s, &c.Source)
	parts(s, &c.Upserts)
	s.writeClauses(&c.WriteClauses)
	parts(s, &c.Returning)
	return keep(s, n, c)
}

func (s *slots) writeClauses(c *WriteClauses) {
	s.assignments(&c.Context)
	s.tags(&c.Tags)
}

func (s *slots) mapSelect(n *SelectStmt) Node {
	c := *n
	one(s, &c.With)
	one(s, &c.Body)
	s.orderBy(&c.OrderBy)
	one(s, &c.Limit)
	one(s, &c.Offset)
	s.assignments(&c.Defaults)
	return keep(s, n, c)
}

func (s *slots) mapTableExpr(n TableExpr) Node {
	switch n := n.(type) {
	case *TableFunc:
		c := *n
		list(s, &c.Args)
		return keep(s, n, c)
	case *TableSubquery:
		c := *n
		one(s, &c.Query)
		return keep(s, n, c)
	case *Join:
		c := *n
		one(s, &c.L)
		one(s, &c.R)
		one(s, &c.On)
		return keep(s, n, c)
	case *ParenTable:
		c := *n
		one(s, &c.X)
		return keep(s, n, c)
	}
	return n
}

func (s *slots) mapQueryPart(n Node) Node {
	switch n := n.(type) {
	case *With:
		c := *n
		parts(s, &c.Members)
		return keep(s, n, c)
	case *CTE:
		c := *n
		one(s, &c.Query)
		return keep(s, n, c)
	case *SelectItem:
		c := *n
		one(s, &c.X)
		s.assignments(&c.Inverse)
		return keep(s, n, c)
	case *Target:
		c := *n
		one(s, &c.Query)
		return keep(s, n, c)
	case *Upsert:
		c := *n
		s.assignments(&c.Set)
		one(s, &c.Where)
		return keep(s, n, c)
	}
	return n
}
