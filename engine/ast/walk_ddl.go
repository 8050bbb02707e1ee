package ast

func (s *Mapper) mapStmt(n Stmt) Node {
	switch n := n.(type) {
	case *SelectStmt:
		return s.mapSelect(n)
	case *CreateTableStmt:
		c := *n
		MapList(s, &c.Columns)
		MapList(s, &c.Constraints)
		MapOne(s, &c.Using)
		MapOne(s, &c.Maintained)
		MapEach(s, &c.Context, func(s *Mapper, v ContextVar) ContextVar { MapOne(s, &v.Type); return v })
		s.tags(&c.Tags)
		return Keep(s, n, c)
	case *CreateIndexStmt:
		c := *n
		MapParts(s, &c.Columns)
		MapOne(s, &c.Where)
		s.tags(&c.Tags)
		return Keep(s, n, c)
	case *CreateViewStmt:
		c := *n
		MapOne(s, &c.Query)
		s.tags(&c.Tags)
		return Keep(s, n, c)
	case *CreateMaterializedViewStmt:
		c := *n
		MapOne(s, &c.Using)
		MapOne(s, &c.Query)
		s.tags(&c.Tags)
		return Keep(s, n, c)
	case *CreateAssertionStmt:
		c := *n
		MapOne(s, &c.X)
		return Keep(s, n, c)
	case *AlterStmt:
		c := *n
		MapOne(s, &c.Action)
		return Keep(s, n, c)
	}
	return s.mapOtherStmt(n)
}

func (s *Mapper) mapOtherStmt(n Stmt) Node {
	switch n := n.(type) {
	case *DeclareSchemaStmt:
		c := *n
		MapParts(s, &c.Using)
		MapList(s, &c.Items)
		return Keep(s, n, c)
	case *DeclareLensStmt:
		c := *n
		MapList(s, &c.Views)
		return Keep(s, n, c)
	case *PragmaStmt:
		c := *n
		MapOne(s, &c.Value)
		return Keep(s, n, c)
	case *ExplainStmt:
		c := *n
		MapOne(s, &c.Stmt)
		return Keep(s, n, c)
	}
	return n // statements of names only
}

func (s *Mapper) mapTablePart(n Node) Node {
	switch n := n.(type) {
	case *ColumnDef:
		c := *n
		MapOne(s, &c.Type)
		MapList(s, &c.Constraints)
		s.tags(&c.Tags)
		return Keep(s, n, c)
	case *ColumnConstraint:
		c := *n
		MapOne(s, &c.X)
		MapOne(s, &c.References)
		s.tags(&c.Tags)
		return Keep(s, n, c)
	case *TableConstraint:
		c := *n
		MapOne(s, &c.X)
		MapOne(s, &c.References)
		s.tags(&c.Tags)
		return Keep(s, n, c)
	case *UsingClause:
		c := *n
		MapEach(s, &c.Args, func(s *Mapper, a ModuleArg) ModuleArg { MapOne(s, &a.Value); return a })
		return Keep(s, n, c)
	case *MaintainedClause:
		c := *n
		MapOne(s, &c.Query)
		return Keep(s, n, c)
	case *IndexColumn:
		c := *n
		MapOne(s, &c.X)
		return Keep(s, n, c)
	}
	return n
}

func (s *Mapper) mapAlterAction(n AlterAction) Node {
	switch n := n.(type) {
	case *AddColumn:
		c := *n
		MapOne(s, &c.Column)
		return Keep(s, n, c)
	case *AddConstraint:
		c := *n
		MapOne(s, &c.Constraint)
		return Keep(s, n, c)
	case *SetDataType:
		c := *n
		MapPart(s, &n.Type, &c.Type)
		return Keep(s, n, c)
	case *SetDefault:
		c := *n
		MapOne(s, &c.X)
		return Keep(s, n, c)
	case *SetGenerated:
		c := *n
		MapOne(s, &c.X)
		return Keep(s, n, c)
	case *SetContext:
		c := *n
		MapEach(s, &c.Vars, func(s *Mapper, v ContextVar) ContextVar { MapOne(s, &v.Type); return v })
		return Keep(s, n, c)
	case *SetUsing:
		c := *n
		MapOne(s, &c.Using)
		return Keep(s, n, c)
	case *SetMaintained:
		c := *n
		MapOne(s, &c.Query)
		return Keep(s, n, c)
	case *TagAction:
		c := *n
		s.tags(&c.Tags)
		return Keep(s, n, c)
	}
	return n // actions of names only
}
