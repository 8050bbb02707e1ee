package catalog

import (
	"fmt"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// CheckColumnNames refuses two columns of one name: ERROR. It is the first of the checks of CREATE TABLE; those for an existing
// object and for the module come between it and BuildTable, which repeats it.
func CheckColumnNames(stmt *ast.CreateTableStmt) error {
	seen := make(map[string]bool, len(stmt.Columns))
	for _, c := range stmt.Columns {
		f := types.Fold(c.Name.Text)
		if seen[f] {
			return about(c, types.Errorf(types.ERROR, "Duplicate column name: %s", c.Name.Text))
		}
		seen[f] = true
	}
	return nil
}

// BuildTable makes the table that a CREATE TABLE defines, its parts judged in the documented order (docs/reference/language.md): columns
// and keys, constraints, the graph of generated columns, expressions (env.CheckExpression takes part), literal defaults, constraint names,
// duplicate UNIQUEs. Reserved tags (CheckItemTags) come before, foreign-key collations (CheckForeignKeyCollations) after.
//
// The table has ids for itself, its columns and its UNIQUE constraints, and no storage. Columns of a maintained table are taken
// as declared; whether they fit the body is the binder's to judge.
func BuildTable(stmt *ast.CreateTableStmt, env BuildEnv) (*Table, error) {
	if err := CheckColumnNames(stmt); err != nil {
		return nil, err
	}
	t := &Table{Schema: env.schemaOf(stmt.Name), Name: stmt.Name.Name.Text, Tags: BuildTags(stmt.Tags)}
	t.Module, t.ModuleArgs = env.ModuleOf(stmt.Using)
	if err := t.buildColumns(stmt, &env); err != nil {
		return nil, err
	}
	if err := t.buildContext(stmt.Context, &env); err != nil {
		return nil, err
	}
	if m := stmt.Maintained; m != nil {
		t.Maintained = &Maintained{Columns: nameTexts(m.Columns), Body: m.Query, Declared: true}
	}
	if err := t.buildConstraints(stmt, &env); err != nil {
		return nil, err
	}
	if !env.stored {
		if err := t.check(stmt, &env); err != nil {
			return nil, err
		}
	}
	t.takeIDs(env.IDs)
	return t, nil
}

// takeIDs numbers a table that is complete.
func (t *Table) takeIDs(ids Allocator) {
	t.ID, t.Seq = ids.NewID(), ids.NewSeq()
	for _, u := range t.Uniques {
		u.ID = ids.NewID()
	}
	for i, c := range t.Columns {
		c.ID = ColumnID(i + 1)
	}
	t.Storage.NextColumn = ColumnID(len(t.Columns) + 1)
}

func (t *Table) buildColumns(stmt *ast.CreateTableStmt, env *BuildEnv) error {
	for _, def := range stmt.Columns {
		c, err := BuildColumn(def, *env)
		if err != nil {
			return about(def, err)
		}
		t.Columns = append(t.Columns, c)
	}
	return t.buildKey(stmt)
}

// BuildContext makes the mutation-context variables that a table declares.
func BuildContext(vars []ast.ContextVar, env BuildEnv) ([]ContextVar, error) {
	var t Table
	err := t.buildContext(vars, &env)
	return t.Context, err
}

func (t *Table) buildContext(vars []ast.ContextVar, env *BuildEnv) error {
	for _, v := range vars {
		if t.hasContextVar(v.Name.Text) {
			return about(v.Name, types.Errorf(types.ERROR, "Duplicate mutation context variable: %s", v.Name.Text))
		}
		// Without a type a variable holds what it is given.
		cv := ContextVar{Name: v.Name.Text, Type: types.TypeAny, NotNull: !v.Null}
		if v.Type != nil {
			var err error
			if cv.Type, err = env.lookupType(v.Type, v.Name.Text); err != nil {
				return about(v.Name, err)
			}
			cv.TypeName = typeText(v.Type)
		}
		t.Context = append(t.Context, cv)
	}
	return nil
}

// buildConstraints builds the constraints, inline ones column by column before those of the table. Constraints that nobody
// named take names that no written one has.
func (t *Table) buildConstraints(stmt *ast.CreateTableStmt, env *BuildEnv) error {
	names := nameSet{}
	for name := range writtenConstraintNames(stmt) {
		names.add(name.Text)
	}
	for _, def := range stmt.Columns {
		for _, c := range InlineConstraints(def) {
			if c.Kind == ast.CheckClause && c.Name.IsZero() {
				c.Name = ast.Ident(names.mint(checkBaseName(def.Name.Text)))
			}
			if err := t.buildConstraint(c, env, names); err != nil {
				return about(def, err)
			}
		}
	}
	for _, c := range stmt.Constraints {
		if err := t.buildConstraint(c, env, names); err != nil {
			return about(c, err)
		}
	}
	return nil
}

func checkBaseName(column string) string { return "_check_" + column }

func (t *Table) buildConstraint(c *ast.TableConstraint, env *BuildEnv, names nameSet) error {
	switch c.Kind {
	case ast.CheckClause:
		t.Checks = append(t.Checks, BuildCheck(c))
	case ast.UniqueClause:
		u, err := BuildUnique(c, t)
		if err != nil {
			return err
		}
		t.Uniques = append(t.Uniques, u)
	case ast.ForeignKeyClause:
		fk, err := buildForeignKey(c, t, names)
		if err != nil {
			return err
		}
		t.ForeignKeys = append(t.ForeignKeys, fk)
	}
	return nil
}

// check judges a table whose parts are complete.
func (t *Table) check(stmt *ast.CreateTableStmt, env *BuildEnv) error {
	if err := CheckGenerated(t, env.Resolver); err != nil {
		return err
	}
	if err := t.checkRowExpressions(env); err != nil {
		return err
	}
	for i, c := range t.Columns {
		if _, _, err := c.LiteralDefault(); err != nil {
			return about(stmt.Columns[i], err)
		}
	}
	if err := checkWrittenNames(stmt); err != nil {
		return err
	}
	return t.checkUniques()
}

func (t *Table) checkRowExpressions(env *BuildEnv) (err error) {
	t.rowExpressions(func(e Expression) bool {
		err = about(e.X, env.CheckRowExpression(t, e))
		return err == nil
	})
	return err
}

// CheckRowExpression judges a default, check or generated expression that a definition carries: what needs no binder, then
// env.CheckExpression. The graph of generated columns is not part of it.
func (env *BuildEnv) CheckRowExpression(t *Table, e Expression) error {
	if e.IsLiteralDefault() {
		return nil
	}
	if err := checkParameters(t, e); err != nil {
		return err
	}
	if e.Kind == DefaultExpression {
		if err := checkDefault(t, e); err != nil {
			return err
		}
	}
	if env.CheckExpression == nil {
		return nil
	}
	return env.CheckExpression(t, e)
}

// checkWrittenNames refuses two constraints that were given one name: CONSTRAINT.
func checkWrittenNames(stmt *ast.CreateTableStmt) error {
	seen := nameSet{}
	for name := range writtenConstraintNames(stmt) {
		if seen.has(name.Text) {
			return about(name, types.Errorf(types.CONSTRAINT, "duplicate constraint name '%s'", name.Text))
		}
		seen.add(name.Text)
	}
	return nil
}

// checkUniques judges each UNIQUE against those before it.
func (t *Table) checkUniques() error {
	doing := fmt.Sprintf("Cannot create table '%s'", t.Name)
	for i, u := range t.Uniques {
		before := *t
		before.Uniques = t.Uniques[:i]
		if err := before.CheckUnique(u, doing); err != nil {
			return err
		}
	}
	return nil
}

func nameTexts(names []ast.Name) []string {
	var out []string
	for _, n := range names {
		out = append(out, n.Text)
	}
	return out
}

func nameNodes(names []string) []ast.Name {
	var out []ast.Name
	for _, n := range names {
		out = append(out, ast.Ident(n))
	}
	return out
}
