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
		p.query(n.Source)
	}
	for i := range n.Upserts {
		p.str(" ")
		p.upsert(&n.Upserts[i])
	}
	p.writeClauses(&n.WriteClauses)
	p.returning(n.Returning)
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
