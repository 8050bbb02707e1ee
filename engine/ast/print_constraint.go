package ast

// defaultOperations are those of a CHECK that names none.
const defaultOperations = OnInsert | OnUpdate

func (p *printer) column(c *ColumnDef) {
	p.name(c.Name)
	if c.Type != nil {
		p.str(" ")
		p.typeName(c.Type)
	}
	for _, k := range c.Constraints {
		p.str(" ")
		p.columnConstraint(k)
	}
	if n := len(c.Constraints); n > 0 && len(c.Tags) > 0 && !p.NoTags {
		// Tags behind a named constraint are the constraint's; an empty list of its own keeps the column's apart.
		if last := c.Constraints[n-1]; !last.Name.IsZero() && len(last.Tags) == 0 {
			p.str(" with tags ()")
		}
	}
	p.withTags(c.Tags)
}

func (p *printer) constraintName(n Name) {
	if !n.IsZero() && !p.Compare {
		p.str("constraint ")
		p.name(n)
		p.str(" ")
	}
}

func (p *printer) columnConstraint(c *ColumnConstraint) {
	p.constraintName(c.Name)
	switch c.Kind {
	case PrimaryKeyClause:
		p.str("primary key")
		if c.Desc {
			p.str(" desc")
		}
	case NotNullClause:
		p.str("not null")
	case NullClause:
		p.str("null")
	case UniqueClause:
		p.str("unique")
	case CheckClause:
		p.check(c.Ops, c.OpsOrder, c.X)
	case DefaultClause:
		p.str("default ")
		p.defaultValue(unwrap(c.X))
	case CollateClause:
		p.str("collate ")
		p.collation(c.Collation)
	case ReferencesClause:
		p.references(c.References)
	case GeneratedClause:
		p.generated(c.X, c.Stored)
	}
	p.onConflict(c.OnConflict)
	p.constraintTags(c.Tags)
}

// defaultValue prints the value of a DEFAULT. In a declaration, as in a schema file, a bare COLLATE at its end would be the column's.
func (p *printer) defaultValue(x Expr) {
	if p.declaring {
		p.group(x, endsWithCollate(x))
	} else {
		p.expr(x)
	}
}

func (p *printer) generated(x Expr, stored bool) {
	p.str("generated always as ")
	p.paren(unwrap(x))
	if stored {
		p.str(" stored")
	}
}

func (p *printer) tableConstraint(c *TableConstraint) {
	p.constraintName(c.Name)
	switch c.Kind {
	case PrimaryKeyClause:
		p.str("primary key ")
		p.key(c.Key)
	case UniqueClause:
		p.str("unique (")
		p.names(c.Columns)
		p.str(")")
	case CheckClause:
		p.check(c.Ops, c.OpsOrder, c.X)
	case ForeignKeyClause:
		p.str("foreign key (")
		p.names(c.Columns)
		p.str(") ")
		p.references(c.References)
	}
	p.onConflict(c.OnConflict)
	p.constraintTags(c.Tags)
}

func (p *printer) constraintTags(tags []Tag) {
	if !p.Compare {
		p.withTags(tags)
	}
}

// key prints the columns of a primary key in parentheses.
func (p *printer) key(columns []KeyColumn) {
	p.str("(")
	for i, c := range columns {
		p.comma(i)
		p.name(c.Name)
		if c.Desc {
			p.str(" desc")
		}
	}
	p.str(")")
}

func (p *printer) onConflict(a ConflictAction) {
	if a != ConflictDefault && a != ConflictAbort {
		p.str(" on conflict ")
		p.str(conflictText[a])
	}
}

var operationOrder = []Operations{OnInsert, OnUpdate, OnDelete}

// check prints a CHECK with its operations as written; in a comparison they stand in one order, and the default is left out.
func (p *printer) check(ops Operations, written []Operations, x Expr) {
	p.str("check ")
	if p.Compare && ops == defaultOperations {
		ops = 0
	}
	if ops != 0 {
		if p.Compare || len(written) == 0 {
			written = operationOrder
		}
		p.operations(ops, written)
	}
	p.paren(x)
}

func (p *printer) operations(ops Operations, order []Operations) {
	p.str("on ")
	printed := 0
	for _, op := range order {
		if ops&op == 0 {
			continue
		}
		p.comma(printed)
		p.str([]string{OnInsert: "insert", OnUpdate: "update", OnDelete: "delete"}[op])
		printed++
	}
	p.str(" ")
}

var actionText = [...]string{
	FKRestrict: "restrict", FKNoAction: "restrict", FKCascade: "cascade", FKSetNull: "set null", FKSetDefault: "set default",
}

var deferralText = [...]string{
	DeferralNone: "", Deferrable: " deferrable", NotDeferrable: " not deferrable",
	DeferrableDeferred: " deferrable initially deferred", DeferrableImmediate: " deferrable initially immediate",
	NotDeferrableDeferred:  " not deferrable initially deferred",
	NotDeferrableImmediate: " not deferrable initially immediate",
}

func (p *printer) references(r *References) {
	p.str("references ")
	parent := r.Table
	if p.isOwnSchema(parent.Schema) {
		parent.Schema = Name{}
	}
	p.qname(parent)
	if r.Columns != nil {
		p.str("(")
		p.names(r.Columns)
		p.str(")")
	}
	p.action(" on delete ", r.OnDelete)
	p.action(" on update ", r.OnUpdate)
	if !p.Compare {
		p.str(deferralText[r.Deferral])
	}
}

func (p *printer) action(on string, a FKAction) {
	if a == FKDefault || p.Compare && (a == FKRestrict || a == FKNoAction) {
		return
	}
	p.str(on)
	p.str(actionText[a])
}
