package plan

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// bodyPath is the schema path of the body of a view or an assertion: its own schema first, then the session's.
func bodyPath(schema string, env *Env) []string {
	path := []string{schema}
	for _, s := range sessionPath(env) {
		if !slices.Contains(path, s) {
			path = append(path, s)
		}
	}
	return path
}

// PrepareView plans the body of a view as a query, and judges the view's list of columns.
func PrepareView(v *catalog.View, env *Env) (*Plan, error) {
	own := *env
	own.SchemaPath = bodyPath(v.Schema, env)
	p, err := Prepare(v.Body, &own)
	if err != nil {
		return nil, err
	}
	if v.Columns != nil && len(v.Columns) != len(p.Columns) {
		return nil, types.Errorf(types.ERROR, "View '%s' has %d declared columns but body produces %d", v.Name, len(v.Columns), len(p.Columns))
	}
	return p, nil
}
