package exec_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// parseExpr reads an expression.
func parseExpr(t testing.TB, text string) ast.Expr {
	stmts, err := parse.Stmts(ast.NewSource("", "select "+text))
	require.NoError(t, err, text)
	return stmts[0].(*ast.SelectStmt).Body.(*ast.SelectCore).Items[0].X
}

func storedTable(t testing.TB, db *testDB) *catalog.Table {
	db.mustExec(`create table t (id integer primary key, a integer null, b text null collate nocase) with context (actor text, lim integer null);
		create table other (k integer primary key); insert into other values (5)`)
	return db.cat.Table("main", "t")
}

// TestStoredExpressions evaluates expressions over images of a row: new is (1, 2, 'x'), old is (1, 7, 'y'), the context ('me', null).
func TestStoredExpressions(t *testing.T) {
	db := newDB(t)
	table := storedTable(t, db)
	full := types.Row{types.Int(1), types.Int(2), types.Text("x"), types.Int(1), types.Int(7), types.Text("y"), types.Text("me"), types.Null}
	supplied := vtab.Columns(0, 1)
	check, checkOld := plan.Use{Mode: plan.CheckExpr}, plan.Use{Mode: plan.CheckExpr, BareOld: true}
	def := plan.Use{Mode: plan.DefaultExpr, Column: "b", Supplied: &supplied}
	gen, index := plan.Use{Mode: plan.GeneratedExpr, Column: "g"}, plan.Use{Mode: plan.IndexExpr}
	for _, c := range []struct {
		expr   string
		use    plan.Use
		want   string // value, or the message after "! "
		reads  []int  // of the new image
		others bool   // reads the old image or the context
	}{
		{"a + 1", check, "3", []int{1}, false},
		{"t.a = new.a and b = 'X'", check, "true", []int{1, 2}, false},
		{"old.a > a", check, "true", []int{1}, true},
		{"a", checkOld, "7", nil, true},
		{"actor || context.actor", check, `"meme"`, nil, true},
		{"lim is null", check, "true", nil, true},
		{"(select max(k) from other where k > new.a)", check, "5", []int{1}, false},
		{"new.a * 10", def, "20", []int{1}, false},
		{"actor", def, `"me"`, nil, true},
		{"a", def, "! DEFAULT of column 'b' may not reference a bare column", nil, false},
		{"new.b", def, "! new.b isn't a column", nil, false},
		{"random()", def, "! Non-deterministic expression not allowed in DEFAULT", nil, false},
		{"current_date", check, "! Non-deterministic expression not allowed in CHECK", nil, false},
		{"(select random())", gen, "! Non-deterministic expression not allowed in GENERATED ALWAYS AS", nil, false},
		{"a > ?", check, "! may not reference bind parameters", nil, false},
		{"main.t.a || b", gen, `"2x"`, []int{1, 2}, false},
		{"nosuch + 1", gen, "! Column 'nosuch' referenced by generated column 'g' not found", nil, false},
		{"old.a", gen, "! binds nothing", nil, false},
		{"actor", gen, "! Column 'actor' referenced by generated column 'g' not found", nil, false},
		{"lower(b)", index, `"x"`, []int{2}, false},
		{"nosuch", index, "! Column not found: nosuch", nil, false},
		{"count(*) > 1", check, "! Aggregate function count not allowed in this context", nil, false},
		{"(select x from missing)", check, "! Table 'missing' not found in schema path: main", nil, false},
	} {
		te, err := plan.BindTableExpr(table, parseExpr(t, c.expr), c.use, db.env(nil))
		if c.want[0] == '!' {
			assert.ErrorContains(t, err, c.want[2:], c.expr)
			continue
		}
		require.NoError(t, err, c.expr)
		for i := range table.Columns {
			wanted := false
			for _, r := range c.reads {
				wanted = wanted || r == i
			}
			assert.Equal(t, wanted, te.New.Has(i), "%s reads column %d", c.expr, i)
		}
		assert.Equal(t, c.others, te.Old.Max() >= 0 || len(te.Context) > 0, c.expr)
		row := rowFor(te, full)
		p, err := exec.CompileRow(te)
		require.NoError(t, err, c.expr)
		run, err := p.Begin(t.Context(), db.runtime())
		require.NoError(t, err)
		for range 2 {
			v, err := run.Eval(row)
			require.NoError(t, err, c.expr)
			assert.Equal(t, c.want, string(types.AppendWire(nil, v)), c.expr)
		}
		require.NoError(t, run.Close())
		require.NoError(t, run.Close(), "a second Close does nothing")
	}
}

// rowFor arranges new, old and context as the expression's layout says.
func rowFor(te *plan.TableExpr, full types.Row) types.Row {
	row := full[:3:3]
	if te.OldAt >= 0 {
		row = append(row, full[3:6]...)
	}
	if te.ContextAt >= 0 {
		row = append(row, full[6:]...)
	}
	return row
}

// TestStoredSubqueries checks that a run answers from one state until it is told to forget.
func TestStoredSubqueries(t *testing.T) {
	db := newDB(t)
	table := storedTable(t, db)
	te, err := plan.BindTableExpr(table, parseExpr(t, "(select count(*) from other)"), plan.Use{Mode: plan.CheckExpr}, db.env(nil))
	require.NoError(t, err)
	assert.True(t, te.HasSubquery)
	p, err := exec.CompileRow(te)
	require.NoError(t, err)
	eval := func(run *exec.RowRun) int64 {
		v, err := run.Eval(make(types.Row, len(te.Layout)))
		require.NoError(t, err)
		n, _ := v.Int64()
		return n
	}
	run, err := p.Begin(t.Context(), db.runtime())
	require.NoError(t, err)
	defer run.Close()
	assert.EqualValues(t, 1, eval(run))
	db.mustExec("insert into other values (6)")
	assert.EqualValues(t, 1, eval(run), "the first answer stands")
	again, err := p.Begin(t.Context(), db.runtime())
	require.NoError(t, err)
	defer again.Close()
	assert.EqualValues(t, 2, eval(again), "another run reads its own state")
}

// TestOrdinal moves the number of the source row that mutation_ordinal() gives.
func TestOrdinal(t *testing.T) {
	db := newDB(t)
	table := storedTable(t, db)
	te, err := plan.BindTableExpr(table, parseExpr(t, "mutation_ordinal() * 10"), plan.Use{Mode: plan.DefaultExpr, Column: "a"}, db.env(nil))
	require.NoError(t, err)
	p, err := exec.CompileRow(te)
	require.NoError(t, err)
	run, err := p.Begin(t.Context(), db.runtime())
	require.NoError(t, err)
	defer run.Close()
	_, err = run.Eval(make(types.Row, len(te.Layout)))
	assert.ErrorContains(t, err, "mutation_ordinal() is only valid during INSERT")
}

// TestFunc calls a compiled expression as the structures of a table do, from several goroutines.
func TestFunc(t *testing.T) {
	db := newDB(t)
	table := storedTable(t, db)
	p, err := db.compile(table, parseExpr(t, "a > 1 and lower(b) = 'x'"))
	require.NoError(t, err)
	value, pred := p.Func(), p.Pred()
	row := types.Row{types.Int(1), types.Int(2), types.Text("X")}
	done := make(chan struct{})
	for range 3 {
		go func() {
			defer func() { done <- struct{}{} }()
			for range 100 {
				v, err := value(row)
				assert.NoError(t, err)
				assert.True(t, v.Bool())
			}
		}()
	}
	for range 3 {
		<-done
	}
	ok, err := pred(types.Row{types.Int(1), types.Null, types.Text("X")})
	require.NoError(t, err)
	assert.False(t, ok, "NULL is not true")
}
