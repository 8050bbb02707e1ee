package engine

import (
	"errors"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// complete judges what checkExpression leaves to later statements: that everything is there which an expression of a declared table reads,
// and that a CHECK can compare what it compares. In a declaration nothing comes later; only what is stored already and does not work
// there either is left alone.
func (j *judgement) complete(item catalog.DeclaredItem, n *ast.CreateTableStmt) {
	t := j.whole.Table(j.schema, n.Name.Name.Text)
	isCollated := false
	for _, c := range t.Columns {
		isCollated = isCollated || c.Collation != types.Binary
	}
	for x := range t.Expressions() {
		if x.Index >= 0 || !ast.HoldsQuery(x.X) && !(x.Kind == catalog.CheckExpression && isCollated) {
			continue
		}
		if err := j.bind(j.whole, t, x); mayHealLater(x, err) && !j.isBroken(t, x) {
			j.fault(item, x.X, err)
		}
	}
}

// isBroken reports whether a table that is there has the expression, and that does not work either.
func (j *judgement) isBroken(t *catalog.Table, x catalog.Expression) bool {
	live := j.live.Table(t.Schema, t.Name)
	if live == nil {
		return false
	}
	for old := range live.Expressions() {
		if old.Kind == x.Kind && ast.SameText(old.X, x.X) && mayHealLater(old, j.bind(j.live, live, old)) {
			return true
		}
	}
	return false
}

func (j *judgement) bind(cat *catalog.Snapshot, t *catalog.Table, x catalog.Expression) error {
	_, err := plan.BindTableExpr(t, x.X, use(t, x), j.conn.freshEnv(cat))
	return err
}

// mayHealLater reports whether a fault of an expression is none of the statement that stores it: a table that a subquery names may come
// later (docs/reference/language.md), and what a CHECK compares is judged by the first write.
func mayHealLater(x catalog.Expression, err error) bool {
	return errors.Is(err, types.NOTFOUND) || x.Kind == catalog.CheckExpression && errors.Is(err, types.ErrCollationConflict)
}
