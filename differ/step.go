package differ

import (
	"errors"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// Step is one statement of a plan.
type Step struct {
	// Stmt is what SQL parses to. Its object is qualified unless the schema is main.
	Stmt ast.Stmt
	// SQL is the canonical text: what a reviewer reads and what runs.
	SQL string
	// Kind and Object name the table, view, index or assertion that the statement is about, as it is called when the step runs.
	Kind   ast.ObjectKind
	Object string
	// Reason says why the step is there.
	Reason string
	Effect Effect
	// Hazards are ordered by severity, the highest first.
	Hazards []Hazard
	// After lists the steps that must run before this one, by index, ascending: what it needs they make, or what it takes away they
	// let go of.
	After []int
	// Item is the declared item that the statement serves, and Origin where it was read; zero for a step without one, as a drop.
	Item   ast.Node
	Origin catalog.Origin
}

// Column names the column that an ALTER of a table is about, "" for another step.
func (s *Step) Column() string {
	n, ok := s.Stmt.(*ast.AlterStmt)
	if !ok {
		return ""
	}
	switch a := n.Action.(type) {
	case *ast.AddColumn:
		return a.Column.Name.Text
	case *ast.DropColumn:
		return a.Column.Text
	case *ast.RenameColumn:
		return a.From.Text
	case *ast.SetDataType:
		return a.Column.Text
	case *ast.SetCollate:
		return a.Column.Text
	case *ast.SetNotNull:
		return a.Column.Text
	case *ast.SetDefault:
		return a.Column.Text
	case *ast.SetGenerated:
		return a.Column.Text
	}
	return ""
}

// Locate gives an error of running the step the place in the schema file that it is about, where that is known: it is a
// *catalog.SourceError then. A CREATE has the nodes of the file; what other statements are made of may come from elsewhere, and
// their errors point to the item as a whole.
func (s *Step) Locate(err error) error {
	if in := (*catalog.SourceError)(nil); err == nil || s.Item == nil || errors.As(err, &in) {
		return err
	}
	switch s.Stmt.(type) {
	case *ast.CreateTableStmt, *ast.CreateIndexStmt, *ast.CreateViewStmt, *ast.CreateAssertionStmt:
		return s.Origin.Fault(s.Item, err)
	}
	return s.Origin.FaultAt(s.Item, err)
}

// step is a Step under construction. Its place in comparison.steps is the documented one.
type step struct {
	Step
	// table is the live table that the step works on, nil for one that is new and for other objects.
	table *catalog.Table
	// pair and column are set for the changes of a matched table and of its columns.
	pair   *tablePair
	column *columnPair
	// fault is why the statement will be refused, as far as can be told beforehand.
	fault error
	dependencies
}

// qname gives the name of an object of the schema as statements spell it.
func (c *comparison) qname(name string) ast.QName {
	q := ast.QName{Name: ast.Ident(name)}
	if c.schema != catalog.MainSchema {
		q.Schema = ast.Ident(c.schema)
	}
	return q
}

// emit appends a statement to the plan.
func (c *comparison) emit(kind ast.ObjectKind, object string, stmt ast.Stmt) *step {
	s := &step{Step: Step{Stmt: stmt, SQL: ast.Format(stmt), Kind: kind, Object: object}}
	c.steps = append(c.steps, s)
	return s
}

// alter appends an ALTER TABLE of a matched table.
func (c *comparison) alter(p *tablePair, a ast.AlterAction) *step {
	s := c.emit(ast.TableObject, p.name, &ast.AlterStmt{Kind: ast.TableObject, Name: c.qname(p.name), Action: a})
	s.pair, s.table = p, p.live
	s.Item, s.Origin = p.item(), p.origin
	s.need(relationResource(p.name))
	if p.detach || p.attach {
		s.need(writableResource(p.name))
		s.let(shapeResource(p.name))
	}
	return s
}

// about notes the column that a step of its table changes.
func (s *step) about(q *columnPair) { s.column, s.Item = q, q.def }

// drop appends a DROP … IF EXISTS.
func (c *comparison) drop(kind ast.ObjectKind, name string) *step {
	return c.emit(kind, name, &ast.DropStmt{Kind: kind, IfExists: true, Name: c.qname(name)})
}

// setTags appends SET TAGS of a whole object.
func (c *comparison) setTags(kind ast.ObjectKind, name string, tags catalog.Tags) *step {
	return c.emit(kind, name, &ast.AlterStmt{Kind: kind, Name: c.qname(name), Action: &ast.TagAction{Verb: ast.SetTags, Tags: tags.AST()}})
}
