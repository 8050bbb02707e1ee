package ast

var conflictText = [...]string{
	ConflictDefault: "", ConflictAbort: "abort", ConflictRollback: "rollback", ConflictFail: "fail", ConflictIgnore: "ignore",
	ConflictReplace: "replace",
}

func (p *printer) insert(n *InsertStmt) {
	p.leadingWith(n.With)
	p.str("insert ")
	if n.Or != ConflictDefault {
		p.str("or ")
		p.str(conflictText[n.Or])
		p.str(" ")
	}
	p.str("into ")
	p.target(&n.Table)
	p.columns(n.Columns)
	if n.DefaultValues {
		p.str(" default values")
	} else {
		p.str(" ")
		p.insertSource(n)
	}
	for i := range n.Upserts {
		p.str(" ")
		p.upsert(&n.Upserts[i])
	}
	p.writeClauses(&n.WriteClauses)
	p.returning(n.Returning)
}

// insertSource prints the query that gives the rows. It stands in parentheses where the statement's own clauses would otherwise
// be taken for its, or its WITH for a misplaced one of the statement.
func (p *printer) insertSource(n *InsertStmt) {
	q := n.Source
	bareEnd := len(n.Upserts) == 0 && len(n.Context) == 0 && (len(n.Tags) == 0 || p.NoTags) && q.OrderBy == nil && q.Limit == nil &&
		q.Defaults == nil
	if q.With != nil || bareEnd && len(n.SchemaPath) > 0 && takesSchemaPath(q.Body) {
		p.subquery(q)
	} else {
		p.query(q)
	}
}

// takesSchemaPath reports whether a WITH SCHEMA behind a term would be that of its last leg.
func takesSchemaPath(t QueryTerm) bool {
	for {
		switch n := t.(type) {
		case *SetOp:
			t = n.R
		case *SelectCore:
			return len(n.SchemaPath) == 0
		default:
			return false
		}
	}
}

func (p *printer) update(n *UpdateStmt) {
	p.leadingWith(n.With)
	p.str("update ")
	p.target(&n.Table)
	p.str(" set ")
	p.pairs(n.Set)
	if n.From != nil {
		p.str(" from ")
		p.source(n.From)
	}
	p.where(n.Where)
	p.writeClauses(&n.WriteClauses)
	p.returning(n.Returning)
}

func (p *printer) delete(n *DeleteStmt) {
	p.leadingWith(n.With)
	p.str("delete from ")
	p.target(&n.Table)
	p.where(n.Where)
	p.writeClauses(&n.WriteClauses)
	p.returning(n.Returning)
}

func (p *printer) leadingWith(w *With) {
	if w != nil {
		p.with(w)
		p.str(" ")
	}
}

func (p *printer) target(t *Target) {
	if t.Query != nil {
		p.subquery(t.Query)
	} else {
		p.qname(t.Name)
	}
	p.alias(t.Alias)
}

func (p *printer) upsert(u *Upsert) {
	p.str("on conflict")
	p.columns(u.Columns)
	if !u.Update {
		p.str(" do nothing")
		return
	}
	p.str(" do update set ")
	p.pairs(u.Set)
	p.where(u.Where)
}

func (p *printer) writeClauses(c *WriteClauses) {
	if len(c.Context) > 0 {
		p.str(" with context ")
		p.pairs(c.Context)
	}
	p.withTags(c.Tags)
	p.schemaPath(c.SchemaPath)
}

func (p *printer) returning(items []SelectItem) {
	if len(items) > 0 {
		p.str(" returning ")
		p.items(items)
	}
}
