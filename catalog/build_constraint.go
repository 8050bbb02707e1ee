package catalog

import (
	"iter"
	"strconv"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// InlineConstraints gives the CHECK, UNIQUE and REFERENCES clauses of a column definition in the table form, in the order
// written.
func InlineConstraints(def *ast.ColumnDef) []*ast.TableConstraint {
	var out []*ast.TableConstraint
	for _, k := range def.Constraints {
		kind, columns := k.Kind, []ast.Name(nil)
		switch k.Kind {
		case ast.CheckClause:
		case ast.UniqueClause:
			columns = []ast.Name{def.Name}
		case ast.ReferencesClause:
			kind, columns = ast.ForeignKeyClause, []ast.Name{def.Name}
		default:
			continue
		}
		out = append(out, &ast.TableConstraint{
			Span: k.Span, Name: k.Name, Kind: kind, Columns: columns, OnConflict: k.OnConflict, Ops: k.Ops, OpsOrder: k.OpsOrder, X: k.X,
			References: k.References, Tags: k.Tags, HasTags: k.HasTags,
		})
	}
	return out
}

// writtenConstraintNames yields the names that a definition gives to constraints, inline ones first. The name of a key, of NOT
// NULL and of clauses that are no constraints is not kept.
func writtenConstraintNames(stmt *ast.CreateTableStmt) iter.Seq[ast.Name] {
	return func(yield func(ast.Name) bool) {
		for c := range constraintsOf(stmt) {
			if !c.Name.IsZero() && !yield(c.Name) {
				return
			}
		}
	}
}

// constraintsOf yields the constraints that a definition makes, in the order in which they are built: inline ones first. Keys are
// not among them.
func constraintsOf(stmt *ast.CreateTableStmt) iter.Seq[*ast.TableConstraint] {
	return func(yield func(*ast.TableConstraint) bool) {
		for _, def := range stmt.Columns {
			for _, c := range InlineConstraints(def) {
				if !yield(c) {
					return
				}
			}
		}
		for _, c := range stmt.Constraints {
			if c.Kind != ast.PrimaryKeyClause && !yield(c) {
				return
			}
		}
	}
}

// BuildCheck makes a CHECK constraint with the name that is written, if any.
func BuildCheck(c *ast.TableConstraint) *Check {
	k := &Check{Name: c.Name.Text, X: stripParens(c.X), Ops: c.Ops, OnConflict: ConflictOf(c.OnConflict), Tags: BuildTags(c.Tags)}
	if k.Ops == 0 {
		k.Ops = ast.OnInsert | ast.OnUpdate
	}
	return k
}

// AddedCheckName gives the name of a CHECK that ALTER TABLE … ADD leaves unnamed: `check_<n>`, n the number of CHECKs or the
// next free number.
func (t *Table) AddedCheckName() string {
	names := t.constraintNames()
	for n := len(t.Checks); ; n++ {
		if name := "check_" + strconv.Itoa(n); !names.has(name) {
			return name
		}
	}
}

// InlineCheckName gives the name of an unnamed CHECK in the definition of a column that is added to t; taken are further names
// that the same statement gives.
func (t *Table) InlineCheckName(column string, taken ...string) string {
	names := t.constraintNames()
	for _, n := range taken {
		names.add(n)
	}
	return names.mint(checkBaseName(column))
}

// BuildUnique makes a UNIQUE constraint of t, without an id. Unknown columns are ERROR; CheckUnique judges it beside the others.
func BuildUnique(c *ast.TableConstraint, t *Table) (*Unique, error) {
	u := &Unique{Name: c.Name.Text, OnConflict: ConflictOf(c.OnConflict), Tags: BuildTags(c.Tags)}
	for _, n := range c.Columns {
		i := t.ColumnIndex(n.Text)
		if i < 0 {
			return nil, about(n, t.noColumn(n.Text, "UNIQUE constraint column '%s' not found in table '%s'", n.Text, t.Name))
		}
		u.Columns = append(u.Columns, i)
	}
	return u, nil
}

// BuildForeignKey makes a foreign key of t; one without a name takes the next free `_fk_<table>_<columns>`. taken are further
// names that the same statement gives. ERROR: an unknown child column, column lists of different length.
func BuildForeignKey(c *ast.TableConstraint, t *Table, taken ...string) (*ForeignKey, error) {
	names := t.constraintNames()
	for _, n := range taken {
		names.add(n)
	}
	return buildForeignKey(c, t, names)
}

func buildForeignKey(c *ast.TableConstraint, t *Table, names nameSet) (*ForeignKey, error) {
	r := c.References
	fk := &ForeignKey{
		Name: c.Name.Text, ParentTable: r.Table.Name.Text, ParentColumns: nameTexts(r.Columns),
		OnDelete: actionOf(r.OnDelete), OnUpdate: actionOf(r.OnUpdate), Deferral: DeferralOf(r.Deferral), Tags: BuildTags(c.Tags),
	}
	if s := types.Fold(r.Table.Schema.Text); s != t.Schema {
		fk.ParentSchema = s
	}
	for _, n := range c.Columns {
		i := t.ColumnIndex(n.Text)
		if i < 0 {
			return nil, about(n, t.noColumn(n.Text, "FK column '%s' not found in table '%s'", n.Text, t.Name))
		}
		fk.Columns = append(fk.Columns, i)
	}
	if fk.Name == "" {
		fk.Name = names.mint("_fk_" + t.Name + "_" + strings.Join(t.ColumnNames(fk.Columns), "_"))
	}
	if n := len(fk.ParentColumns); n > 0 && n != len(fk.Columns) {
		return nil, about(r.Table.Name, types.Errorf(types.ERROR, "FK constraint '%s' on table '%s': child column count (%d) does not match parent column count (%d)",
			fk.Name, t.Name, len(fk.Columns), n))
	}
	return fk, nil
}

// actionOf gives a referential action as the catalog holds it: no clause and NO ACTION restrict.
func actionOf(a ast.FKAction) ast.FKAction {
	if a == ast.FKDefault || a == ast.FKNoAction {
		return ast.FKRestrict
	}
	return a
}

// DeferralOf keeps what a deferrability clause sets: whether the key is initially deferred.
func DeferralOf(d ast.Deferral) ast.Deferral {
	if d == ast.DeferrableDeferred || d == ast.NotDeferrableDeferred {
		return ast.DeferrableDeferred
	}
	return ast.DeferralNone
}

// CheckForeignKeyCollations refuses foreign keys of t whose comparison with an existing parent has no collation, because both
// columns declare one and they differ: ERROR. What cannot be judged yet, because the parent or its column is not there or the
// lists differ in length, passes.
func CheckForeignKeyCollations(t *Table, s *Snapshot) error {
	for _, fk := range t.ForeignKeys {
		if err := CheckForeignKeyCollation(t, fk, s); err != nil {
			return err
		}
	}
	return nil
}

// CheckForeignKeyCollation is CheckForeignKeyCollations for one foreign key of t.
func CheckForeignKeyCollation(t *Table, fk *ForeignKey, s *Snapshot) error {
	schema, name := fk.ParentName(t)
	parent := s.Table(schema, name)
	if schema == t.Schema && types.EqualFold(name, t.Name) {
		parent = t
	}
	if parent == nil {
		return nil
	}
	columns, ok := fk.ParentPositions(parent)
	if !ok {
		return nil
	}
	for i, p := range columns {
		child, up := t.Columns[fk.Columns[i]], parent.Columns[p]
		if _, err := types.ResolveComparison(child.contribution(), up.contribution()); err != nil {
			return types.Errorf(types.ERROR, "FOREIGN KEY '%s' on '%s': child column '%s.%s' (collation %s) and parent column '%s.%s' (collation %s) "+
				"declare conflicting collations", fk.Name, t.Name, t.Name, child.Name, child.Collation, parent.Name, up.Name, up.Collation)
		}
	}
	return nil
}

func (c *Column) contribution() types.Contribution {
	return types.Contribution{Collation: c.Collation, Rank: c.CollationRank}
}

// ParentPositions gives the columns of the parent that the key refers to; ok is false when a column is missing or their number
// is not that of the child columns.
func (fk *ForeignKey) ParentPositions(parent *Table) (columns []int, ok bool) {
	if fk.ParentColumns == nil {
		columns = parent.KeyColumns()
	}
	for _, n := range fk.ParentColumns {
		i := parent.ColumnIndex(n)
		if i < 0 {
			return nil, false
		}
		columns = append(columns, i)
	}
	return columns, len(columns) == len(fk.Columns)
}
