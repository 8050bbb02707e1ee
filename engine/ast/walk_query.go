package ast

func (s *Mapper) mapQueryTerm(n QueryTerm) Node {
	switch n := n.(type) {
	case *SelectCore:
		c := *n
		MapParts(s, &c.Items)
		MapOne(s, &c.From)
		MapOne(s, &c.Where)
		MapList(s, &c.GroupBy)
		MapOne(s, &c.Having)
		MapEach(s, &c.Windows, func(s *Mapper, w NamedWindow) NamedWindow { MapOne(s, &w.Window); return w })
		return Keep(s, n, c)
	case *ValuesClause:
		c := *n
		s.rows(&c.Rows)
		return Keep(s, n, c)
	case *SetOp:
		c := *n
		MapOne(s, &c.L)
		MapOne(s, &c.R)
		return Keep(s, n, c)
	case *ParenQuery:
		c := *n
		MapOne(s, &c.Query)
		return Keep(s, n, c)
	case *InsertStmt:
		return s.mapInsert(n)
	case *UpdateStmt:
		c := *n
		MapOne(s, &c.With)
		MapPart(s, &n.Table, &c.Table)
		s.Assignments(&c.Set)
		MapOne(s, &c.From)
		MapOne(s, &c.Where)
		s.writeClauses(&c.WriteClauses)
		MapParts(s, &c.Returning)
		return Keep(s, n, c)
	case *DeleteStmt:
		c := *n
		MapOne(s, &c.With)
		MapPart(s, &n.Table, &c.Table)
		MapOne(s, &c.Where)
		s.writeClauses(&c.WriteClauses)
		MapParts(s, &c.Returning)
		return Keep(s, n, c)
	}
	return n
}

func (s *Mapper) mapInsert(n *InsertStmt) Node {
	c := *n
	MapOne(s, &c.With)
	MapPart(s, &n.Table, &c.Table)
	MapOne(s, &c.Source)
	MapParts(s, &c.Upserts)
	s.writeClauses(&c.WriteClauses)
	MapParts(s, &c.Returning)
	return Keep(s, n, c)
}

func (s *Mapper) writeClauses(c *WriteClauses) {
	s.Assignments(&c.Context)
	s.tags(&c.Tags)
}

func (s *Mapper) mapSelect(n *SelectStmt) Node {
	c := *n
	MapOne(s, &c.With)
	MapOne(s, &c.Body)
	s.OrderBy(&c.OrderBy)
	MapOne(s, &c.Limit)
	MapOne(s, &c.Offset)
	s.Assignments(&c.Defaults)
	return Keep(s, n, c)
}

func (s *Mapper) mapTableExpr(n TableExpr) Node {
	switch n := n.(type) {
	case *TableFunc:
		c := *n
		MapList(s, &c.Args)
		return Keep(s, n, c)
	case *TableSubquery:
		c := *n
		MapOne(s, &c.Query)
		return Keep(s, n, c)
	case *Join:
		c := *n
		MapOne(s, &c.L)
		MapOne(s, &c.R)
		MapOne(s, &c.On)
		return Keep(s, n, c)
	case *ParenTable:
		c := *n
		MapOne(s, &c.X)
		return Keep(s, n, c)
	}
	return n
}

func (s *Mapper) mapQueryPart(n Node) Node {
	switch n := n.(type) {
	case *With:
		c := *n
		MapParts(s, &c.Members)
		return Keep(s, n, c)
	case *CTE:
		c := *n
		MapOne(s, &c.Query)
		return Keep(s, n, c)
	case *SelectItem:
		c := *n
		MapOne(s, &c.X)
		s.Assignments(&c.Inverse)
		return Keep(s, n, c)
	case *Target:
		c := *n
		MapOne(s, &c.Query)
		return Keep(s, n, c)
	case *Upsert:
		c := *n
		s.Assignments(&c.Set)
		MapOne(s, &c.Where)
		return Keep(s, n, c)
	}
	return n
}
