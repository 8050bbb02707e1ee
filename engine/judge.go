package engine

import (
	"cmp"
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// freshEnv is planEnv for definitions that are not stored yet, and whose tables may have no storage.
func (c *Conn) freshEnv(cat *catalog.Snapshot) *plan.Env {
	env := c.planEnv(context.Background(), cat)
	env.Planner, env.Fresh = nil, true
	return env
}

// checkExpression judges an expression of t that is about to be stored: names, functions and determinism.
func (c *Conn) checkExpression(cat *catalog.Snapshot, t *catalog.Table, x catalog.Expression) error {
	return judgeExpression(plan.NewTableBinder(t, c.freshEnv(cat)), t, x)
}

func judgeExpression(b *plan.TableBinder, t *catalog.Table, x catalog.Expression) error {
	err := b.Check(x.X, use(t, x))
	switch {
	case errors.Is(err, types.NOTFOUND):
		return nil // a table that a subquery names may come later (docs/reference/language.md)
	case x.Kind == catalog.CheckExpression && errors.Is(err, types.ErrCollationConflict):
		return nil // told by the first write that builds it
	case err != nil && x.Kind == catalog.DefaultExpression && !errors.Is(err, plan.ErrNondeterministic):
		return types.Wrapf(types.ERROR, err, "%s is invalid", t.Describe(x))
	}
	return err
}

// judgement collects what would keep declared items from being made, beyond what catalog.Declared.Verify tells.
type judgement struct {
	conn   *Conn
	schema string
	// live is the state that the declaration is compared with, whole the one with the declared schema in its place.
	live, whole *catalog.Snapshot
	faults      []error
	// elsewhere are faults without a place in their item: as a rule they are those of what it reads, told there.
	elsewhere []error
}

// judge plans everything that the declaration stores, beside the other schemas of a catalog. A body over a maintained table is not
// judged: its columns are known once it has been made.
func (c *Conn) judge(d *catalog.Declared, r *catalog.Resolved, beside *catalog.Snapshot) error {
	for t := range r.Snapshot.Tables(d.Schema()) {
		if t.Maintained != nil {
			return nil
		}
	}
	whole := judgement{conn: c, schema: d.Schema(), live: beside, whole: beside.WithSchema(r.Snapshot, d.Schema())}
	c.effective() // from here on it is only read
	shares := make([]judgement, runtime.GOMAXPROCS(0))
	var all sync.WaitGroup
	for i := range shares {
		j := &shares[i]
		*j = whole
		all.Go(func() { j.items(d.Items[i*len(d.Items)/len(shares) : (i+1)*len(d.Items)/len(shares)]) })
	}
	all.Wait()
	for i := range shares {
		whole.faults = append(whole.faults, shares[i].faults...)
		whole.elsewhere = append(whole.elsewhere, shares[i].elsewhere...)
	}
	if whole.faults == nil {
		return errors.Join(whole.elsewhere...)
	}
	return errors.Join(whole.faults...)
}

// items judges a share of the items, beside the goroutines that judge the others.
func (j *judgement) items(items []catalog.DeclaredItem) {
	defer func() {
		if v := recover(); v != nil {
			j.faults = append(j.faults, j.conn.panicked("declare schema "+j.schema, v))
		}
	}()
	for _, item := range items {
		j.item(item)
	}
}

func (j *judgement) fault(item catalog.DeclaredItem, n ast.Node, err error) {
	switch {
	case err == nil:
	case catalog.FaultyPos(err) == ast.NoPos:
		j.elsewhere = append(j.elsewhere, item.Origin.Fault(n, err))
	default:
		j.faults = append(j.faults, item.Origin.Fault(n, err))
	}
}

func (j *judgement) item(item catalog.DeclaredItem) {
	switch n := item.Stmt.(type) {
	case *ast.CreateTableStmt:
		j.table(item, n)
		j.complete(item, n)
	case *ast.CreateIndexStmt:
		t := j.whole.Table(j.schema, n.Table.Name.Text)
		j.expressions(item, t, slices.Collect(t.Indexes[t.IndexPosition(n.Name.Name.Text)].Expressions()))
	case *ast.CreateViewStmt:
		j.view(item, j.whole.View(j.schema, n.Name.Name.Text))
	case *ast.CreateAssertionStmt:
		_, err := plan.PrepareAssertion(j.whole.Assertion(j.schema, n.Name.Name.Text), j.conn.freshEnv(j.whole))
		j.fault(item, n.X, err)
	}
}

func (j *judgement) table(item catalog.DeclaredItem, n *ast.CreateTableStmt) {
	t := j.whole.Table(j.schema, n.Name.Name.Text)
	if j.conn.db.module(t.Module) == nil {
		j.fault(item, n, catalog.About(modulePos(n), types.Errorf(types.ERROR, "No virtual table module named '%s'", t.Module)))
	}
	var expressions []catalog.Expression
	for x := range t.Expressions() {
		if x.Index < 0 && !x.IsLiteralDefault() { // those of an index are judged with it
			expressions = append(expressions, x)
		}
	}
	slices.SortStableFunc(expressions, func(a, b catalog.Expression) int { return cmp.Compare(a.X.Pos(), b.X.Pos()) })
	j.expressions(item, t, expressions)
}

func (j *judgement) expressions(item catalog.DeclaredItem, t *catalog.Table, list []catalog.Expression) {
	if len(list) == 0 {
		return
	}
	b := plan.NewTableBinder(t, j.conn.freshEnv(j.whole))
	for _, x := range list {
		j.fault(item, x.X, judgeExpression(b, t, x))
	}
}

// modulePos is where a table names its module; the table where a setting does.
func modulePos(n *ast.CreateTableStmt) ast.Pos {
	if n.Using != nil {
		return n.Using.Module.Pos()
	}
	return n.Pos()
}

// view judges a view, unless it is there already as it is declared and does not work there either: no statement makes it.
func (j *judgement) view(item catalog.DeclaredItem, v *catalog.View) {
	_, err := plan.PrepareView(v, j.conn.freshEnv(j.whole))
	if live := j.live.View(v.Schema, v.Name); err != nil && live != nil && ast.Format(live.Body) == ast.Format(v.Body) {
		if _, broken := plan.PrepareView(live, j.conn.freshEnv(j.live)); broken != nil {
			return
		}
	}
	j.fault(item, v.Body, err)
}
