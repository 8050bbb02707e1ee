package catalog

import (
	"github.com/quereus/quereus-migrate/engine/ast"
)

// Node gives the constraint as a clause of t, everything that the catalog knows of it written out.
func (c *Check) Node() *ast.TableConstraint {
	return &ast.TableConstraint{
		Name: ast.Ident(c.Name), Kind: ast.CheckClause, Ops: c.Ops, X: c.X, OnConflict: c.OnConflict, Tags: c.Tags.AST(),
	}
}

// Node gives the constraint as a clause of t.
func (u *Unique) Node(t *Table) *ast.TableConstraint {
	return &ast.TableConstraint{
		Name: ast.Ident(u.Name), Kind: ast.UniqueClause, Columns: nameNodes(t.ColumnNames(u.Columns)), OnConflict: u.OnConflict,
		Tags: u.Tags.AST(),
	}
}

// Node gives the foreign key as a clause of t.
func (fk *ForeignKey) Node(t *Table) *ast.TableConstraint {
	return &ast.TableConstraint{
		Name: ast.Ident(fk.Name), Kind: ast.ForeignKeyClause, Columns: nameNodes(t.ColumnNames(fk.Columns)), Tags: fk.Tags.AST(),
		References: &ast.References{
			Table: qname(fk.ParentSchema, fk.ParentTable), Columns: nameNodes(fk.ParentColumns),
			OnDelete: fk.OnDelete, OnUpdate: fk.OnUpdate, Deferral: fk.Deferral,
		},
	}
}

// constraintNodes gives the constraints as clauses, CHECK, UNIQUE and FOREIGN KEY each in catalog order.
func (t *Table) constraintNodes() []*ast.TableConstraint {
	var out []*ast.TableConstraint
	for _, c := range t.Checks {
		out = append(out, c.Node())
	}
	for _, u := range t.Uniques {
		out = append(out, u.Node(t))
	}
	for _, fk := range t.ForeignKeys {
		out = append(out, fk.Node(t))
	}
	return out
}

// Def gives the column as a definition that says what a session would decide: the logical type, nullability, and a collation other
// than BINARY. The key and the constraints of the table are no part of it.
func (c *Column) Def() *ast.ColumnDef {
	def := &ast.ColumnDef{
		Name: ast.Ident(c.Name), Type: &ast.TypeName{Name: c.Type.Name}, Tags: c.Tags.AST(), HasTags: len(c.Tags) > 0,
	}
	add := func(k *ast.ColumnConstraint) { def.Constraints = append(def.Constraints, k) }
	null := &ast.ColumnConstraint{Kind: ast.NullClause, OnConflict: c.NotNullConflict}
	if c.NotNull {
		null.Kind = ast.NotNullClause
	}
	add(null)
	if c.writesCollation() {
		add(&ast.ColumnConstraint{Kind: ast.CollateClause, Collation: ast.Ident(c.Collation.Name)})
	}
	if c.Default != nil {
		add(&ast.ColumnConstraint{Kind: ast.DefaultClause, X: c.Default})
	}
	if c.Generated != nil {
		add(&ast.ColumnConstraint{Kind: ast.GeneratedClause, X: c.Generated, Stored: c.Stored})
	}
	return def
}

// Stmt gives the statement that makes the table without its indexes, its name qualified: columns as Def gives them, the key and
// all constraints as clauses of the table, the module said.
func (t *Table) Stmt() *ast.CreateTableStmt {
	s := &ast.CreateTableStmt{
		Name: qname(t.Schema, t.Name), Using: t.usingNode(), Context: t.contextNodes(), HasContext: len(t.Context) > 0,
		Tags: t.Tags.AST(), HasTags: len(t.Tags) > 0,
	}
	for _, c := range t.Columns {
		s.Columns = append(s.Columns, c.Def())
	}
	s.Constraints = append([]*ast.TableConstraint{t.keyNode()}, t.constraintNodes()...)
	if m := t.Maintained; m != nil {
		s.Maintained = &ast.MaintainedClause{Columns: nameNodes(m.Columns), Query: m.Body}
	}
	return s
}

func (t *Table) keyNode() *ast.TableConstraint {
	n := &ast.TableConstraint{Kind: ast.PrimaryKeyClause, OnConflict: t.Key.OnConflict}
	for _, k := range t.Key.Columns {
		n.Key = append(n.Key, ast.KeyColumn{Name: ast.Ident(t.Columns[k.Column].Name), Desc: k.Desc})
	}
	return n
}

func (t *Table) usingNode() *ast.UsingClause {
	u := &ast.UsingClause{Module: ast.Ident(t.Module)}
	for _, a := range t.ModuleArgs {
		u.Args = append(u.Args, ast.ModuleArg{Key: ast.Ident(a.Key), Named: true, Value: ast.LiteralOf(a.Value)})
	}
	return u
}

func (t *Table) contextNodes() []ast.ContextVar {
	var out []ast.ContextVar
	for _, v := range t.Context {
		n := ast.ContextVar{Name: ast.Ident(v.Name), Null: !v.NotNull}
		if v.TypeName != "" {
			n.Type = &ast.TypeName{Name: v.Type.Name}
		}
		out = append(out, n)
	}
	return out
}

// Stmt gives the statement that makes the view, its name qualified.
func (v *View) Stmt() *ast.CreateViewStmt {
	return &ast.CreateViewStmt{
		Name: qname(v.Schema, v.Name), Columns: nameNodes(v.Columns), Query: v.Body, Tags: v.Tags.AST(), HasTags: len(v.Tags) > 0,
	}
}

// Stmt gives the statement that makes the assertion, its name qualified.
func (a *Assertion) Stmt() *ast.CreateAssertionStmt {
	return &ast.CreateAssertionStmt{Name: qname(a.Schema, a.Name), X: a.X}
}

// Stmt gives the statement that makes the index of t, its names qualified, with the effective collation of every member.
func (ix *Index) Stmt(t *Table) *ast.CreateIndexStmt {
	s := &ast.CreateIndexStmt{
		Unique: ix.Unique, Name: qname(t.Schema, ix.Name), Table: qname(t.Schema, t.Name), Where: ix.Where,
		Tags: ix.Tags.AST(), HasTags: len(ix.Tags) > 0,
	}
	s.Columns = make([]ast.IndexColumn, len(ix.Members))
	for i, m := range ix.Members {
		s.Columns[i] = m.node(t)
	}
	return s
}

func (m IndexMember) node(t *Table) ast.IndexColumn {
	c := ast.IndexColumn{X: m.X, Collation: ast.Ident(m.Collation.Name), Desc: m.Desc}
	if m.X == nil {
		c.X = &ast.ColumnRef{Column: ast.Ident(t.Columns[m.Column].Name)}
	}
	return c
}
