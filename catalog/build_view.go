package catalog

import (
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// BuildView makes the view that a CREATE VIEW defines. The body is taken as it is: planning it is the binder's.
func BuildView(stmt *ast.CreateViewStmt, env BuildEnv) *View {
	return &View{
		ID: env.IDs.NewID(), Seq: env.IDs.NewSeq(),
		Schema: env.schemaOf(stmt.Name), Name: stmt.Name.Name.Text,
		Columns: nameTexts(stmt.Columns), Body: stmt.Query, Tags: BuildTags(stmt.Tags),
	}
}

// BuildAssertion makes the assertion that a CREATE ASSERTION defines. The condition is taken as it is.
func BuildAssertion(stmt *ast.CreateAssertionStmt, env BuildEnv) *Assertion {
	return &Assertion{
		ID: env.IDs.NewID(), Seq: env.IDs.NewSeq(),
		Schema: env.schemaOf(stmt.Name), Name: stmt.Name.Name.Text, X: stmt.X,
	}
}

// BuildMaterializedView makes the maintained table of a CREATE MATERIALIZED VIEW out of the shape that the binder derived from
// its body: columns without ids, and the key. A list of column names renames the columns; its length was judged before, a name
// that occurs twice is ERROR here.
func BuildMaterializedView(stmt *ast.CreateMaterializedViewStmt, columns []*Column, key []KeyColumn, env BuildEnv) (*Table, error) {
	t := &Table{
		Schema: env.schemaOf(stmt.Name), Name: stmt.Name.Name.Text, Tags: BuildTags(stmt.Tags),
		Key:        PrimaryKey{Columns: key, Declared: true},
		Maintained: &Maintained{Columns: nameTexts(stmt.Columns), Body: stmt.Query},
	}
	t.Module, t.ModuleArgs = env.ModuleOf(stmt.Using)
	for i, c := range columns {
		own := *c
		if stmt.Columns != nil {
			own.Name = stmt.Columns[i].Text
		}
		if t.ColumnIndex(own.Name) >= 0 {
			return nil, types.Errorf(types.ERROR, "Duplicate column name: %s", own.Name)
		}
		t.Columns = append(t.Columns, &own)
	}
	t.takeIDs(env.IDs)
	return t, nil
}
