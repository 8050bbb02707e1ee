package catalog

import "github.com/quereus/quereus-migrate/engine/ast"

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
	for _, m := range ix.Members {
		c := ast.IndexColumn{X: m.X, Collation: ast.Ident(m.Collation.Name), Desc: m.Desc}
		if m.X == nil {
			c.X = &ast.ColumnRef{Column: ast.Ident(t.Columns[m.Column].Name)}
		}
		s.Columns = append(s.Columns, c)
	}
	return s
}
