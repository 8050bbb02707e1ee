package ast_test

import "github.com/quereus/quereus-migrate/engine/ast"

// stmt draws a statement of any kind.
func (g *gen) stmt() ast.Stmt {
	switch g.upTo(10) {
	case 0, 1:
		return g.topQuery()
	case 2:
		return g.write(false).(ast.Stmt)
	case 3, 4, 5:
		return g.create(false)
	case 6, 7:
		return g.alter()
	case 8:
		return g.declare()
	}
	return g.simple()
}

// topQuery draws a query that is a statement, which does not begin with a data change.
func (g *gen) topQuery() *ast.SelectStmt {
	q := g.query()
	if _, ok := q.Body.(ast.Stmt); ok {
		q.Body = g.core()
	}
	return q
}

// head draws the name of an object, which an item of a declaration never qualifies.
func (g *gen) head(item bool) ast.QName {
	if item {
		return ast.QName{Name: g.name()}
	}
	return g.qname()
}

func (g *gen) create(item bool) ast.Stmt {
	exists := !item && g.chance(3)
	switch g.upTo(6) {
	case 0, 1:
		n := g.table(item)
		n.IfNotExists = exists
		return n
	case 2:
		return &ast.CreateIndexStmt{
			Unique: g.chance(2), IfNotExists: exists, Name: g.head(item), Table: g.head(item), Columns: some(g, 2, g.indexColumn),
			Where: g.optionalExpr(3), Tags: g.tags(),
		}
	case 3:
		return &ast.CreateViewStmt{IfNotExists: exists, Name: g.head(item), Columns: g.optionalNames(), Query: g.query(), Tags: g.tags()}
	case 4:
		return &ast.CreateMaterializedViewStmt{
			IfNotExists: exists, Name: g.head(item), Columns: g.optionalNames(), Using: maybe(g, 2, g.using), Query: g.query(), Tags: g.tags(),
		}
	}
	return &ast.CreateAssertionStmt{Name: g.head(item), X: g.expr()}
}

func (g *gen) table(item bool) *ast.CreateTableStmt {
	n := &ast.CreateTableStmt{Name: g.head(item), Columns: some(g, 3, g.column), Using: maybe(g, 3, g.using), Tags: g.tags()}
	n.Constraints = maybe(g, 2, func() []*ast.TableConstraint { return some(g, 2, g.tableConstraint) })
	n.Maintained = maybe(g, 5, func() *ast.MaintainedClause {
		return &ast.MaintainedClause{Columns: g.optionalNames(), Query: g.query()}
	})
	n.Context = maybe(g, 5, func() []ast.ContextVar {
		return some(g, 2, func() ast.ContextVar {
			return ast.ContextVar{Name: g.name(), Type: maybe(g, 2, g.typeName), Null: g.chance(2)}
		})
	})
	return n
}

func (g *gen) using() *ast.UsingClause {
	u := &ast.UsingClause{Module: g.name()}
	u.Args = maybe(g, 2, func() []ast.ModuleArg {
		return some(g, 2, func() ast.ModuleArg {
			a := ast.ModuleArg{Value: g.constant(), Named: g.chance(2)}
			if a.Value.Kind == ast.TrueLit || a.Value.Kind == ast.FalseLit { // the parser makes them 1 and 0
				a.Value.Kind, a.Value.Text = ast.IntegerLit, "1"
			}
			if a.Named {
				a.Key = g.name()
			}
			return a
		})
	})
	return u
}

func (g *gen) column() *ast.ColumnDef {
	c := &ast.ColumnDef{Name: g.name(), Type: maybe(g, 2, g.typeName), Tags: g.tags()}
	for g.chance(2) {
		k := g.columnConstraint()
		if n := len(c.Constraints); k.Kind == ast.CollateClause && n > 0 && c.Constraints[n-1].Kind == ast.DefaultClause {
			continue // would belong to the default
		}
		c.Constraints = append(c.Constraints, k)
	}
	return c
}

func (g *gen) columnConstraint() *ast.ColumnConstraint {
	c := &ast.ColumnConstraint{Name: g.optionalName()}
	if !c.Name.IsZero() {
		c.Tags = g.tags()
	}
	switch c.Kind = ast.ConstraintKind(g.upTo(int(ast.GeneratedClause) + 1)); c.Kind {
	case ast.PrimaryKeyClause:
		c.Desc, c.OnConflict = g.chance(2), g.conflict()
	case ast.NotNullClause, ast.NullClause, ast.UniqueClause:
		c.OnConflict = g.conflict()
	case ast.CheckClause:
		c.X, c.OnConflict = g.expr(), g.conflict()
		c.Ops, c.OpsOrder = g.operations()
	case ast.DefaultClause:
		c.X = g.expr()
	case ast.CollateClause:
		c.Collation = g.name()
	case ast.ReferencesClause:
		c.References = g.references()
	case ast.GeneratedClause:
		c.X, c.Stored = g.expr(), g.chance(2)
	}
	return c
}

func (g *gen) conflict() ast.ConflictAction { return ast.ConflictAction(g.upTo(6)) }

func (g *gen) operations() (ast.Operations, []ast.Operations) {
	order := pick(g, nil, []ast.Operations{ast.OnInsert}, []ast.Operations{ast.OnDelete, ast.OnInsert},
		[]ast.Operations{ast.OnUpdate, ast.OnInsert, ast.OnDelete})
	var ops ast.Operations
	for _, op := range order {
		ops |= op
	}
	return ops, order
}

func (g *gen) references() *ast.References {
	return &ast.References{
		Table: g.qname(), Columns: g.optionalNames(), OnDelete: ast.FKAction(g.upTo(6)), OnUpdate: ast.FKAction(g.upTo(6)),
		Deferral: ast.Deferral(g.upTo(7)),
	}
}

func (g *gen) tableConstraint() *ast.TableConstraint {
	c := &ast.TableConstraint{Name: g.optionalName(), Tags: g.tags()}
	switch c.Kind = pick(g, ast.PrimaryKeyClause, ast.UniqueClause, ast.CheckClause, ast.ForeignKeyClause); c.Kind {
	case ast.PrimaryKeyClause:
		c.Key, c.OnConflict = g.key(), g.conflict()
	case ast.UniqueClause:
		c.Columns, c.OnConflict = g.names(), g.conflict()
	case ast.CheckClause:
		c.X, c.OnConflict = g.expr(), g.conflict()
		c.Ops, c.OpsOrder = g.operations()
	case ast.ForeignKeyClause:
		c.Columns, c.References = g.names(), g.references()
	}
	return c
}

func (g *gen) key() []ast.KeyColumn {
	if g.chance(5) {
		return nil
	}
	return some(g, 2, func() ast.KeyColumn { return ast.KeyColumn{Name: g.name(), Desc: g.chance(2)} })
}

func (g *gen) indexColumn() ast.IndexColumn {
	c := ast.IndexColumn{X: g.expr(), Desc: g.chance(2), Collation: g.optionalName()}
	if x, ok := c.X.(*ast.Collate); ok { // a COLLATE at the end is the member's
		c.X = x.X
		c.Collation = x.Collation
	}
	for {
		x, ok := c.X.(*ast.Collate)
		if !ok {
			return c
		}
		c.X = x.X
	}
}

func (g *gen) alter() ast.Stmt {
	if g.chance(5) {
		return &ast.AlterStmt{
			Kind: pick(g, ast.ViewObject, ast.MaterializedViewObject, ast.IndexObject), Name: g.qname(), Action: g.tagAction(ast.ObjectTags),
		}
	}
	return &ast.AlterStmt{Kind: ast.TableObject, Name: g.qname(), Action: g.tableAction()}
}

func (g *gen) tableAction() ast.AlterAction {
	switch g.upTo(21) {
	case 0:
		return &ast.RenameTable{To: g.name()}
	case 1:
		return &ast.RenameColumn{From: g.name(), To: g.name()}
	case 2:
		return &ast.RenameConstraint{From: g.name(), To: g.name()}
	case 3:
		return &ast.AddColumn{Column: g.column()}
	case 4:
		return &ast.DropColumn{Column: g.name()}
	case 5:
		c := g.tableConstraint()
		if c.Kind == ast.PrimaryKeyClause && c.Name.IsZero() {
			c.Name = ast.Ident("k")
		}
		return &ast.AddConstraint{Constraint: c}
	case 6:
		return &ast.DropConstraint{Name: g.name()}
	case 7:
		return &ast.AlterPrimaryKey{Key: g.key()}
	case 8:
		return &ast.SetNotNull{Column: g.name(), Drop: g.chance(2)}
	case 9:
		return &ast.SetDataType{Column: g.name(), Type: *g.typeName()}
	case 10:
		return &ast.SetDefault{Column: g.name(), X: g.optionalExpr(2)}
	case 11:
		return &ast.SetCollate{Column: g.name(), Collation: ast.Ident(pick(g, "nocase", "RTrim", "key"))}
	case 12:
		return &ast.SetMaintained{Columns: g.optionalNames(), Query: g.query()}
	case 13:
		return &ast.DropMaintained{}
	case 14:
		x := g.optionalExpr(2)
		return &ast.SetGenerated{Column: g.name(), X: x, Stored: x != nil && g.chance(2)}
	case 15:
		return &ast.SetConflict{Column: g.optionalName(), Action: pick(g, ast.ConflictAbort, ast.ConflictReplace, ast.ConflictIgnore, ast.ConflictFail, ast.ConflictRollback)}
	case 16:
		return &ast.SetDeferral{Name: g.name(), Deferral: pick(g, ast.Deferrable, ast.NotDeferrable, ast.DeferrableDeferred, ast.NotDeferrableImmediate)}
	case 17:
		return &ast.SetContext{Vars: maybe(g, 2, func() []ast.ContextVar {
			return []ast.ContextVar{{Name: g.name(), Type: g.typeName(), Null: g.chance(2)}, {Name: g.name()}}
		})}
	case 18:
		return &ast.SetUsing{Using: &ast.UsingClause{Module: g.name()}}
	case 19:
		return &ast.SetColumnOrder{Columns: some(g, 3, g.name)}
	}
	return g.tagAction(pick(g, ast.ObjectTags, ast.ColumnTags, ast.ConstraintTags))
}

func (g *gen) tagAction(site ast.TagSite) *ast.TagAction {
	a := &ast.TagAction{Verb: pick(g, ast.SetTags, ast.AddTags, ast.DropTags), Site: site}
	if site != ast.ObjectTags {
		a.Name = g.name()
	}
	if a.Verb == ast.DropTags {
		a.Keys = g.optionalNames()
	} else {
		a.Tags = g.tags()
	}
	return a
}

func (g *gen) declare() ast.Stmt {
	if g.chance(6) {
		return &ast.DeclareLensStmt{For: g.name(), Over: g.name(), Views: []*ast.CreateViewStmt{{Name: g.head(true), Query: &ast.SelectStmt{Body: g.core()}}}}
	}
	n := &ast.DeclareSchemaStmt{Logical: g.chance(5), Name: g.name()}
	if g.chance(3) {
		n.HasVersion, n.Version = true, pick(g, "", "1.0", "it's")
	}
	n.Using = maybe(g, 4, func() []ast.Option {
		return []ast.Option{{Key: ast.Ident("default_vtab_module"), Value: g.constant()}}
	})
	for g.chance(2) {
		if g.chance(4) {
			n.Items = append(n.Items, g.seed())
		} else {
			n.Items = append(n.Items, g.create(true).(ast.DeclareItem))
		}
	}
	return n
}

func (g *gen) seed() *ast.SeedItem {
	return &ast.SeedItem{Table: g.name(), Columns: g.optionalNames(), Rows: some(g, 2, func() []ast.Expr {
		return some(g, 2, func() ast.Expr {
			if g.chance(3) {
				return &ast.Unary{Op: ast.OpNeg, X: &ast.Literal{Kind: ast.IntegerLit, Text: "5"}}
			}
			return &ast.Literal{Kind: ast.TextLit, Text: "it's"}
		})
	})}
}

// simple draws the statements that are little more than a name.
func (g *gen) simple() ast.Stmt {
	switch g.upTo(12) {
	case 0:
		return &ast.DropStmt{Kind: ast.ObjectKind(g.upTo(5)), IfExists: g.chance(2), Name: g.qname()}
	case 1:
		return &ast.RefreshStmt{Name: g.qname()}
	case 2:
		return pick[ast.Stmt](g, &ast.BeginStmt{}, &ast.CommitStmt{}, &ast.RollbackStmt{To: g.optionalName()})
	case 3:
		return &ast.SavepointStmt{Name: g.name()}
	case 4:
		return &ast.ReleaseStmt{Name: g.name()}
	case 5:
		return &ast.PragmaStmt{Name: g.name(), Value: maybe(g, 2, g.constant)}
	case 6:
		return &ast.PragmaStmt{Name: g.name(), Value: &ast.Literal{Kind: ast.TextLit, Text: pick(g, "on", "two words")}, Bare: true}
	case 7:
		return pick[ast.Stmt](g, &ast.AnalyzeStmt{}, &ast.AnalyzeStmt{Name: g.qname()}, &ast.AnalyzeStmt{AllOf: g.name()})
	case 8:
		s := &ast.ExplainStmt{Analyze: g.chance(2), Stmt: pick[ast.Stmt](g, g.topQuery(), g.write(false).(ast.Stmt))}
		if g.chance(3) {
			s.As = g.name()
		}
		return s
	case 9:
		return &ast.DiffSchemaStmt{Name: g.name()}
	case 10:
		return &ast.ExplainSchemaStmt{Name: g.name(), HasVersion: true, Version: "2"}
	}
	n := &ast.ApplySchemaStmt{Name: g.name(), WithSeed: g.chance(2), HasDestructive: g.chance(2), HasPolicy: g.chance(2)}
	if n.HasDestructive {
		n.AllowDestructive = g.chance(2)
	}
	if n.HasPolicy {
		n.Policy = ast.RenamePolicy(g.upTo(3))
	}
	return n
}
