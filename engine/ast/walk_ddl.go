package ast

func (s *slots) mapStmt(n Stmt) Node {
	switch n := n.(type) {
	case *SelectStmt:
		return s.mapSelect(n)
	case *CreateTableStmt:
		c := *n
		list(s, &c.Columns)
		list(s, &c.Constraints)
		one(s, &c.Using)
		one(s, &c.Maintained)
		each(s, &c.Context, func(s *slots, v ContextVar) ContextVar { one(s, &v.Type); return v })
		s.tags(&c.Tags)
		return keep(s, n, c)
	case *CreateIndexStmt:
		c := *n
		parts(s, &c.Columns)
		one(s, &c.Where)
		s.tags(&c.Tags)
		return keep(s, n, c)
	case *CreateViewStmt:
		c := *n
		one(s, &c.Query)
		s.tags(&c.Tags)
		return keep(s, n, c)
	case *CreateMaterializedViewStmt:
		c := *n
		one(s, &c.Using)
		one(s, &c.Query)
		s.tags(&c.Tags)
		return keep(s, n, c)
	case *CreateAssertionStmt:
		c := *n
		one(s, &c.X)
		return keep(s, n, c)
	case *AlterStmt:
		c := *n
		one(s, &c.Action)
		return keep(s, n, c)
	}
	return s.mapOtherStmt(n)
}

func (s *slots) mapOtherStmt(n Stmt) Node {
	switch n := n.(type) {
	case *DeclareSchemaStmt:
		c := *n
		parts(s, &c.Using)
		list(s, &c.Items)
		return keep(s, n, c)
	case *DeclareLensStmt:
		c := *n
		list(s, &c.Views)
		return keep(s, n, c)
	case *PragmaStmt:
		c := *n
		one(s, &c.Value)
		return keep(s, n, c)
	case *ExplainStmt:
		c := *n
		one(s, &c.Stmt)
		return keep(s, n, c)
	}
	return n // statements of names only
}

func (s *slots) mapTablePart(n Node) Node {
	switch n := n.(type) {
	case *ColumnDef:
		c := *n
		one(s, &c.Type)
		list(s, &c.Constraints)
		s.tags(&c.Tags)
		return keep(s, n, c)
	case *ColumnConstraint:
		c := *n
		one(s, &c.X)
		one(s, &c.References)
		s.tags(&c.Tags)
		return keep(s, n, c)
	case *TableConstraint:
		c := *n
		one(s, &c.X)
		one(s, &c.References)
		s.tags(&c.Tags)
		return keep(s, n, c)
	case *UsingClause:
		c := *n
		each(s, &c.Args, func(s *slots, a ModuleArg) ModuleArg { one(s, &a.Value); return a })
		return keep(s, n, c)
	case *MaintainedClause:
		c := *n
		one(s, &c.Query)
		return keep(s, n, c)
	case *IndexColumn:
		c := *n
		one(s, &c.X)
		return keep(s, n, c)
	}
	return n
}

func (s *slots) mapAlterAction(n AlterAction) Node {
	switch n := n.(type) {
	case *AddColumn:
		c := *n
		one(s, &c.Column)
		return keep(s, n, c)
	case *AddConstraint:
		c := *n
		one(s, &c.Constraint)
		return keep(s, n, c)
	case *SetDataType:
		c := *n
		part(s, &n.Type, &c.Type)
		return keep(s, n, c)
	case *SetDefault:
		c := *n
		one(s, &c.X)
		return keep(s, n, c)
	case *SetGenerated:
		c := *n
		one(s, &c.X)
		return keep(s, n, c)
	case *SetContext:
		c := *n
		each(s, &c.Vars, func(s *slots, v ContextVar) ContextVar { one(s, &v.Type); return v })
		return keep(s, n, c)
	case *SetUsing:
		c := *n
		one(s, &c.Using)
		return keep(s, n, c)
	case *SetMaintained:
		c := *n
		one(s, &c.Query)
		return keep(s, n, c)
	case *TagAction:
		c := *n
		s.tags(&c.Tags)
		return keep(s, n, c)
	}
	return n // actions of names only
}
