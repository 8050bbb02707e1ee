package catalog

import (
	"errors"
	"fmt"
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Verify judges everything about a declaration that can be told without running it, beyond Check: each item on its own,
// indexes and seeds against the declared tables, foreign keys against declared tables and those of other schemas, which live knows (nil: no
// others). All faults are joined (see JoinFaults), but for those of what refers to a table that is at fault itself. What could be built comes
// with them. A tool that reads files calls it; the statements DECLARE, DIFF and APPLY leave these faults to the statements that they run
// (docs/reference/declarative-schema.md).
func (d *Declared) Verify(env BuildEnv, live func(schema, table string) *Table) (*Resolved, error) {
	if err := d.Check(); err != nil {
		return nil, err
	}
	r := d.Resolve(env)
	faults := []error{d.passedOver(), r.fault(), d.checkTypes(env.Types), d.checkHints(), d.checkParents(r, live)}
	for i := range d.Seeds {
		if !d.isFaulty(r, d.Seeds[i].Table.Text) {
			faults = append(faults, d.checkSeed(&d.Seeds[i], r.Snapshot))
		}
	}
	return r, JoinFaults(faults...)
}

// isFaulty reports whether a table of the name is declared but could not be built.
func (d *Declared) isFaulty(r *Resolved, table string) bool {
	return slices.ContainsFunc(r.Faults, func(f ItemFault) bool {
		n, ok := d.Items[f.Item].Stmt.(*ast.CreateTableStmt)
		return ok && types.EqualFold(n.Name.Name.Text, table)
	})
}

// fault joins the faults of items; nil when there are none.
func (r *Resolved) fault() error {
	var all []error
	for _, f := range r.Faults {
		all = append(all, f.Err)
	}
	return errors.Join(all...)
}

// checkHints refuses two tables, or two columns of one table, that were the same one before. A comparison refuses them when that one
// is there; here it need not be.
func (d *Declared) checkHints() error {
	var all []error
	tables := claims{}
	for _, item := range d.Items {
		n, ok := item.Stmt.(*ast.CreateTableStmt)
		if !ok {
			continue
		}
		all = append(all, item.Origin.Fault(n, tables.add("table", n.Name.Name, n.Tags)))
		columns := claims{}
		for _, def := range n.Columns {
			all = append(all, item.Origin.Fault(def, columns.add("column", def.Name, def.Tags)))
		}
	}
	return errors.Join(all...)
}

// claims are the former names that hints name.
type claims map[string]bool

func (c claims) add(kind string, name ast.Name, tags []ast.Tag) error {
	for _, former := range BuildTags(tags).PreviousNames() {
		f := types.Fold(former)
		if c[f] && !types.EqualFold(former, name.Text) {
			return types.Errorf(types.ERROR, "Rename conflict for %s '%s': '%s' is already claimed by another declaration", kind, name.Text, former)
		}
		c[f] = true
	}
	return nil
}

// passedOver refuses items that a declaration may hold and that mean nothing here: what they stand for would be missing without a word.
func (d *Declared) passedOver() error {
	var all []error
	for _, p := range d.skipped {
		all = append(all, p.origin.Fault(&p.item, &types.Error{
			Code: types.UNSUPPORTED, Message: p.item.Kind + " is not supported in a schema declaration",
			Hint: "declare the tables, views and constraints that it stands for",
		}))
	}
	return errors.Join(all...)
}

// checkTypes refuses columns whose types nobody knows.
func (d *Declared) checkTypes(known *types.Registry) error {
	var all []error
	for _, item := range d.Items {
		n, ok := item.Stmt.(*ast.CreateTableStmt)
		if !ok {
			continue
		}
		for _, def := range n.Columns {
			if def.Type == nil {
				continue
			}
			if err := known.CheckDeclared(def.Type.Name); err != nil {
				all = append(all, item.Origin.Fault(def.Type, columnError(def, err)))
			}
		}
	}
	return errors.Join(all...)
}

// columnError says which column an error about its type is about. What other systems write in a table and no column is read as one here.
func columnError(def *ast.ColumnDef, err error) error {
	var e *types.Error
	if !errors.As(err, &e) {
		return err
	}
	about := *e
	about.Message = "Column '" + def.Name.Text + "': " + e.Message
	switch types.Fold(def.Name.Text) {
	case "key", "index", "fulltext", "spatial":
		if !def.Name.Quoted {
			about.Hint = "an index stands beside its table: create index " + def.Type.Name + " on … (…)"
		}
	}
	return &about
}

// checkParents refuses foreign keys to what is no declared table, or no table of another schema that is there, and those whose columns are not
// those of their parent.
func (d *Declared) checkParents(r *Resolved, live func(schema, table string) *Table) error {
	var all []error
	s := r.Snapshot
	for _, item := range d.Items {
		n, ok := item.Stmt.(*ast.CreateTableStmt)
		if !ok {
			continue
		}
		t := s.Table(d.Schema(), n.Name.Name.Text)
		if t == nil {
			continue
		}
		for i, fk := range t.ForeignKeys {
			if schema, parent := fk.ParentName(t); types.EqualFold(schema, d.Schema()) && d.isFaulty(r, parent) {
				continue
			}
			if err := d.checkParent(s, t, fk, live); err != nil {
				all = append(all, item.Origin.Fault(foreignKeyNode(n, i), err))
			}
		}
	}
	return errors.Join(all...)
}

func (d *Declared) checkParent(s *Snapshot, t *Table, fk *ForeignKey, live func(schema, table string) *Table) error {
	schema, name := fk.ParentName(t)
	parent := s.Table(schema, name)
	if parent == nil && live != nil && !types.EqualFold(schema, d.Schema()) {
		parent = live(schema, name)
	}
	about := func(code types.Code, format string, args ...any) *types.Error {
		return types.Errorf(code, "Table '%s': foreign key '%s' references "+format, append([]any{t.Name, fk.Name}, args...)...)
	}
	switch {
	case parent == nil && s.View(schema, name) != nil:
		return about(types.ERROR, "'%s.%s', which is a view", schema, name)
	case parent == nil && types.EqualFold(schema, d.Schema()):
		return about(types.NOTFOUND, "table '%s.%s', which is not declared", schema, name).WithHint(s.NearRelation([]string{schema}, name))
	case parent == nil:
		return about(types.NOTFOUND, "table '%s.%s', which is neither declared nor there", schema, name)
	}
	for _, column := range fk.ParentColumns {
		if parent.ColumnIndex(column) < 0 {
			return about(types.ERROR, "column '%s', which table '%s' does not have", column, parent.Name).WithHint(parent.NearColumn(column))
		}
	}
	want := len(fk.ParentColumns)
	if fk.ParentColumns == nil {
		want = len(parent.KeyColumns())
	}
	if want != len(fk.Columns) {
		return about(types.ERROR, "%s of table '%s' with %s", counted(want, "column"), parent.Name, counted(len(fk.Columns), "column"))
	}
	return nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// foreignKeyNode finds the parent side of a table's foreign key in its definition.
func foreignKeyNode(stmt *ast.CreateTableStmt, i int) ast.Node {
	for c := range constraintsOf(stmt) {
		if c.Kind != ast.ForeignKeyClause {
			continue
		}
		if i--; i < 0 {
			return c.References.Table.Name
		}
	}
	return stmt
}

// checkSeed judges the rows of a seed against its table: where they go, whether they convert, and whether two have one key.
func (d *Declared) checkSeed(seed *DeclaredSeed, s *Snapshot) error {
	t := s.Table(d.Schema(), seed.Table.Text)
	switch {
	case t == nil:
		return seed.faultAt(seed.item, types.Errorf(types.NOTFOUND, "no such table is declared").
			WithHint(s.NearRelation([]string{d.Schema()}, seed.Table.Text)))
	case t.Maintained != nil:
		return seed.fault(types.ERROR, "its rows are derived")
	}
	columns, err := seed.positions(t)
	if err != nil {
		return err
	}
	keys := newSeedKeys(t, columns)
	for i, row := range seed.Rows {
		if len(row) != len(columns) {
			return seed.rowFault(i, types.ERROR, "row %d has %d values for %d columns", i+1, len(row), len(columns))
		}
		converted := make([]types.Value, len(row))
		for j, v := range row {
			c := t.Columns[columns[j]]
			if converted[j], err = types.WriteConverter(c.Type, c.Name)(v); err != nil {
				return seed.rowFault(i, types.CodeOf(err), "row %d: %s", i+1, err)
			}
		}
		if first := keys.add(i, converted); first >= 0 {
			return seed.rowFault(i, types.CONSTRAINT, "rows %d and %d have one primary key", first+1, i+1)
		}
	}
	return nil
}

// Locate gives an error of inserting the rows the place of the seed, where a message can point to it.
func (s *DeclaredSeed) Locate(err error) error { return s.Origin.FaultAt(s.item, err) }

// LocateRow gives an error of writing a row the place of the row, and names it.
func (s *DeclaredSeed) LocateRow(row int, err error) error {
	return s.rowFault(row, types.CodeOf(err), "row %d: %s", row+1, err)
}

func (s *DeclaredSeed) fault(code types.Code, format string, args ...any) error {
	return s.faultAt(s.item, types.Errorf(code, format, args...))
}

// rowFault is a fault of a row; it points to its first value.
func (s *DeclaredSeed) rowFault(row int, code types.Code, format string, args ...any) error {
	at := ast.Node(s.item)
	if values := s.item.Rows[row]; len(values) > 0 {
		at = values[0]
	}
	return s.faultAt(at, types.Errorf(code, format, args...))
}

func (s *DeclaredSeed) faultAt(at ast.Node, e *types.Error) error {
	e.Message = "Seed data for table '" + s.Table.Text + "': " + e.Message
	return s.Origin.Fault(at, e)
}

// positions gives the columns that the values of a row go to.
func (s *DeclaredSeed) positions(t *Table) ([]int, error) {
	var out []int
	if s.Columns == nil {
		for i, c := range t.Columns {
			if c.Generated == nil {
				out = append(out, i)
			}
		}
		return out, nil
	}
	for _, n := range s.Columns {
		i := t.ColumnIndex(n.Text)
		switch {
		case i < 0:
			return nil, s.faultAt(n, t.noColumn(n.Text, "Column '%s' not found in table '%s'", n.Text, t.Name))
		case t.Columns[i].Generated != nil:
			return nil, s.faultAt(n, types.Errorf(types.ERROR, "Cannot INSERT into generated column '%s'", n.Text))
		}
		out = append(out, i)
	}
	return out, nil
}

// seedKeys finds rows of one primary key. It judges nothing when a member of the key is not among the columns or has no key bytes.
type seedKeys struct {
	encoder *types.KeyEncoder
	members []int // positions in a seed's row
	rows    map[string]int
}

func newSeedKeys(t *Table, columns []int) *seedKeys {
	k := &seedKeys{rows: map[string]int{}}
	at := make(map[int]int, len(columns))
	for i, c := range columns {
		at[c] = i
	}
	var parts []types.KeyPart
	for _, m := range t.Key.Columns {
		i, ok := at[m.Column]
		part, err := types.NewKeyPart(t.Columns[m.Column].Type, t.Columns[m.Column].Collation, m.Desc)
		if !ok || err != nil {
			return k
		}
		k.members = append(k.members, i)
		parts = append(parts, part)
	}
	k.encoder = types.NewKeyEncoder(parts...)
	return k
}

// add notes a row and gives the first one of the same key, -1 for none.
func (k *seedKeys) add(row int, values []types.Value) int {
	if k.encoder == nil {
		return -1
	}
	members := make([]types.Value, len(k.members))
	for i, m := range k.members {
		members[i] = values[m]
	}
	key, err := k.encoder.Append(nil, members...)
	if err != nil {
		return -1
	}
	if first, ok := k.rows[string(key)]; ok {
		return first
	}
	k.rows[string(key)] = row
	return -1
}
