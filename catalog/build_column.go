package catalog

import (
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// BuildColumn makes the column that a definition describes, without its key and constraints and without an id. Of a clause that
// is given twice the last counts. ERROR: an unknown collation, one that the type does not take, and DEFAULT with GENERATED.
func BuildColumn(def *ast.ColumnDef, env BuildEnv) (*Column, error) {
	c := &Column{Name: def.Name.Text, NotNull: !env.Nullable, Tags: BuildTags(def.Tags)}
	if err := c.setType(def.Type, &env); err != nil {
		return nil, err
	}
	c.Collation, c.CollationRank = env.DefaultCollation(c.Type), types.RankDefault
	for _, k := range def.Constraints {
		if err := c.apply(k, &env); err != nil {
			return nil, err
		}
	}
	if c.Default != nil && c.Generated != nil {
		return nil, types.Errorf(types.ERROR, "Column '%s' cannot have both DEFAULT and GENERATED ALWAYS AS", c.Name)
	}
	return c, nil
}

// setType resolves the type; a column without one holds bytes.
func (c *Column) setType(t *ast.TypeName, env *BuildEnv) (err error) {
	if t == nil {
		c.Type = env.Types.Lookup("")
		return nil
	}
	c.TypeName = typeText(t)
	c.Type, err = env.lookupType(t, c.Name)
	return err
}

// lookupType resolves a type that is written. A record names logical types: one that is not registered must not become another by
// its spelling.
func (env *BuildEnv) lookupType(t *ast.TypeName, column string) (*types.Type, error) {
	if env.stored && !env.Types.IsKnown(t.Name) {
		return nil, types.Errorf(types.ERROR, "Unknown type '%s' on column '%s'", t.Name, column)
	}
	return env.Types.Lookup(t.Name), nil
}

// apply lets one clause of the definition count.
func (c *Column) apply(k *ast.ColumnConstraint, env *BuildEnv) (err error) {
	switch k.Kind {
	case ast.NotNullClause, ast.NullClause:
		c.NotNull, c.NotNullConflict = k.Kind == ast.NotNullClause, ConflictOf(k.OnConflict)
	case ast.CollateClause:
		c.Collation, err = env.Types.CheckCollation(c.Type, k.Collation.Text, c.Name)
		c.CollationRank = types.RankDeclared
	case ast.DefaultClause:
		c.Default = stripParens(k.X)
	case ast.GeneratedClause:
		c.Generated, c.Stored = stripParens(k.X), k.Stored
	}
	return err
}

// LeavesNullabilityOpen reports whether a definition says neither NULL nor NOT NULL, so that the session decides when the column
// is made, and a comparison with a column that is there has nothing to compare (docs/reference/declarative-schema.md).
func LeavesNullabilityOpen(def *ast.ColumnDef) bool {
	return !slices.ContainsFunc(def.Constraints, func(k *ast.ColumnConstraint) bool {
		return k.Kind == ast.NullClause || k.Kind == ast.NotNullClause
	})
}

// ConflictOf gives a conflict action as the catalog holds it: ABORT, which is what happens anyway, is not written.
func ConflictOf(a ast.ConflictAction) ast.ConflictAction {
	if a == ast.ConflictAbort {
		return ast.ConflictDefault
	}
	return a
}

// typeText gives a type in the spelling of its definition.
func typeText(t *ast.TypeName) string { return ast.Format(t) }

// buildKey finds the primary key. Columns that are marked form one key in column order; without any key all columns do.
func (t *Table) buildKey(stmt *ast.CreateTableStmt) error {
	var clause *ast.TableConstraint
	for _, c := range stmt.Constraints {
		if c.Kind != ast.PrimaryKeyClause {
			continue
		}
		if clause != nil {
			return about(c, types.Errorf(types.CONSTRAINT, "Multiple table-level PRIMARY KEY constraints defined"))
		}
		clause = c
	}
	t.Key.buildFromColumns(stmt.Columns)
	switch {
	case clause != nil && t.Key.Declared:
		return about(clause, types.Errorf(types.CONSTRAINT, "Cannot define both table-level and column-level PRIMARY KEYs"))
	case clause != nil:
		return t.buildKeyClause(clause)
	case !t.Key.Declared:
		t.Key.Columns = allColumnsKey(len(t.Columns))
	}
	return nil
}

// buildFromColumns collects the column-level clauses. The conflict action is that of the first key column that has one.
func (k *PrimaryKey) buildFromColumns(defs []*ast.ColumnDef) {
	for i, def := range defs {
		var last *ast.ColumnConstraint
		for _, c := range def.Constraints {
			if c.Kind == ast.PrimaryKeyClause {
				last = c
			}
		}
		if last == nil {
			continue
		}
		k.Declared = true
		k.Columns = append(k.Columns, KeyColumn{Column: i, Desc: last.Desc})
		if k.OnConflict == ast.ConflictDefault {
			k.OnConflict = ConflictOf(last.OnConflict)
		}
	}
}

// buildKeyClause reads a table-level key. A column that is named again adds nothing to the key and is left out.
func (t *Table) buildKeyClause(clause *ast.TableConstraint) error {
	t.Key.Declared, t.Key.OnConflict = true, ConflictOf(clause.OnConflict)
	for _, k := range clause.Key {
		i := t.ColumnIndex(k.Name.Text)
		if i < 0 {
			return about(k.Name, t.noColumn(k.Name.Text, "PRIMARY KEY column '%s' not found in table definition", k.Name.Text))
		}
		if !t.InKey(i) {
			t.Key.Columns = append(t.Key.Columns, KeyColumn{Column: i, Desc: k.Desc})
		}
	}
	return nil
}

func allColumnsKey(n int) []KeyColumn {
	key := make([]KeyColumn, n)
	for i := range key {
		key[i].Column = i
	}
	return key
}
