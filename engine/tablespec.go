package engine

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// specs keeps compiled expressions of indexes by table definition, which never changes. The connection's goroutine uses it.
type specs map[*catalog.Table]*vtab.TableSpec

// mostSpecs is how many definitions are remembered: those of a statement with all that foreign keys lead to, and no history of them.
const mostSpecs = 64

// tableSpec gives the expressions of the indexes of a table of the catalog, compiled; nil for a table that has none.
func (c *Conn) tableSpec(ctx context.Context, cat *catalog.Snapshot, t *catalog.Table) (*vtab.TableSpec, error) {
	if !hasIndexExpressions(t) {
		return nil, nil
	}
	if spec := c.specs[t]; spec != nil {
		return spec, nil
	}
	spec, err := compileSpec(t, c.planEnv(ctx, cat))
	if err != nil {
		return nil, err
	}
	if c.specs == nil || len(c.specs) == mostSpecs {
		c.specs = specs{}
	}
	c.specs[t] = spec
	return spec, nil
}

func hasIndexExpressions(t *catalog.Table) bool {
	for _, ix := range t.Indexes {
		for range ix.Expressions() {
			return true
		}
	}
	return false
}

func compileSpec(t *catalog.Table, env *plan.Env) (*vtab.TableSpec, error) {
	spec := &vtab.TableSpec{
		Predicates: make([]func(types.Row) (bool, error), len(t.Indexes)),
		Members:    make([][]func(types.Row) (types.Value, error), len(t.Indexes)),
	}
	for i, ix := range t.Indexes {
		spec.Members[i] = make([]func(types.Row) (types.Value, error), len(ix.Members))
		for e := range ix.Expressions() {
			te, err := plan.BindTableExpr(t, e.X, plan.Use{Mode: plan.IndexExpr, AnyFunction: true}, env)
			if err != nil {
				return nil, err
			}
			p, err := exec.CompileRow(te)
			if err != nil {
				return nil, err
			}
			if e.Kind == catalog.IndexPredicate {
				spec.Predicates[i] = p.Pred()
			} else {
				spec.Members[i][e.Member] = p.Func()
			}
		}
	}
	return spec, nil
}
