package target

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// Drift gives what a schema has become since the last entry of the history that is about it: the statements that lead from there to here.
// nil when the history of the database does not tell what was reached.
func Drift(ctx context.Context, db *engine.DB, schema string) (*differ.Plan, error) {
	known, err := db.Reached(ctx, schema)
	if err != nil || known == nil {
		return nil, err
	}
	cat, err := db.Catalog()
	if err != nil {
		return nil, err
	}
	conn := db.Conn()
	defer conn.Close()
	home := conn.Option("default_vtab_module").Str()
	d, err := catalog.Declare(Declaration(cat, schema, home), catalog.Origin{Source: ast.NewSource("", "")})
	if err != nil {
		return nil, err
	}
	return conn.Diff(ctx, d, engine.DiffOptions{From: known, Beside: cat, AllowDestructive: true, NoHashes: true})
}
