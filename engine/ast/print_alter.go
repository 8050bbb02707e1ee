package ast

import "strings"

func (p *printer) alter(n *AlterStmt) {
	if m, ok := n.Action.(*SetMaintained); ok {
		p.str("alter table ")
		p.object(n.Name)
		p.str(" ")
		p.alterAction(m)
		return
	}
	p.kw("ALTER ")
	p.kw(objectKindText[n.Kind])
	p.object(n.Name)
	p.str(" ")
	p.alterAction(n.Action)
}

func (p *printer) alterAction(a AlterAction) {
	switch a := a.(type) {
	case *RenameTable:
		p.kw("RENAME TO ")
		p.name(a.To)
	case *RenameColumn:
		p.renaming("COLUMN ", a.From, a.To)
	case *RenameConstraint:
		p.renaming("CONSTRAINT ", a.From, a.To)
	case *AddColumn:
		p.kw("ADD COLUMN ")
		p.column(a.Column)
	case *DropColumn:
		p.kw("DROP COLUMN ")
		p.name(a.Column)
	case *AddConstraint:
		p.kw("ADD ")
		p.tableConstraint(a.Constraint)
	case *DropConstraint:
		p.kw("DROP CONSTRAINT ")
		p.name(a.Name)
	case *AlterPrimaryKey:
		p.kw("ALTER PRIMARY KEY ")
		p.key(a.Key)
	case *SetMaintained:
		p.str("set ")
		p.maintained(a.Columns, a.Query)
	case *DropMaintained:
		p.kw("DROP MAINTAINED")
	case *SetDeferral:
		p.kw("ALTER CONSTRAINT ")
		p.name(a.Name)
		p.kw(" SET" + strings.ToUpper(deferralText[a.Deferral]))
	case *SetContext:
		p.kw("SET CONTEXT ")
		p.contextList(a.Vars)
	case *SetUsing:
		p.kw("SET ")
		p.using(a.Using)
	case *SetColumnOrder:
		p.kw("SET COLUMN ORDER (")
		p.names(a.Columns)
		p.str(")")
	case *TagAction:
		p.tagAction(a)
	default:
		p.columnAction(a)
	}
}

func (p *printer) renaming(what string, from, to Name) {
	p.kw("RENAME ")
	p.kw(what)
	p.name(from)
	p.kw(" TO ")
	p.name(to)
}

// columnAction prints ALTER COLUMN.
func (p *printer) columnAction(a AlterAction) {
	switch a := a.(type) {
	case *SetNotNull:
		p.alterColumn(a.Column)
		if a.Drop {
			p.kw("DROP NOT NULL")
		} else {
			p.kw("SET NOT NULL")
		}
	case *SetDataType:
		p.alterColumn(a.Column)
		p.kw("SET DATA TYPE ")
		p.typeName(&a.Type)
	case *SetDefault:
		p.alterColumn(a.Column)
		if a.X == nil {
			p.kw("DROP DEFAULT")
			return
		}
		p.kw("SET DEFAULT ")
		p.expr(unwrap(a.X))
	case *SetGenerated:
		p.alterColumn(a.Column)
		if a.X == nil {
			p.kw("DROP GENERATED")
			return
		}
		p.kw("SET ")
		p.generated(a.X, a.Stored)
	case *SetConflict:
		if a.Column.IsZero() {
			p.kw("ALTER PRIMARY KEY ")
		} else {
			p.alterColumn(a.Column)
		}
		p.kw("SET ON CONFLICT ")
		p.kw(strings.ToUpper(conflictText[a.Action]))
	case *SetCollate:
		p.alterColumn(a.Column)
		p.kw("SET COLLATE ")
		if p.Style == Template { // the name stands with the keywords
			p.buf = AppendName(p.buf, strings.ToUpper(a.Collation.Text))
		} else {
			p.collation(a.Collation)
		}
	}
}

func (p *printer) alterColumn(n Name) {
	p.kw("ALTER COLUMN ")
	p.name(n)
	p.str(" ")
}

func (p *printer) tagAction(a *TagAction) {
	switch a.Site {
	case ColumnTags:
		p.alterColumn(a.Name)
	case ConstraintTags:
		p.kw("ALTER CONSTRAINT ")
		p.name(a.Name)
		p.str(" ")
	}
	switch a.Verb {
	case SetTags:
		p.kw("SET TAGS ")
	case AddTags:
		p.kw("ADD TAGS ")
	case DropTags:
		p.kw("DROP TAGS (")
		p.names(a.Keys)
		p.str(")")
		return
	}
	p.tagList(a.Tags, false)
}
