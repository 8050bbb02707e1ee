package function_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/function"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// errBeyond is returned for queries that need more than functions over literals.
var errBeyond = errors.New("beyond the harness")

// harness carries out the few queries that show functions: select lists without FROM, over one table-valued function, or over a
// chain of constant selects with UNION ALL. It binds and calls as the binder and the executor do.
type harness struct {
	functions *function.Registry
	call      *function.Call
}

func newHarness() *harness {
	r := function.Builtins()
	bits := uint64(1)
	return &harness{r, &function.Call{
		Now:   time.Date(2024, 5, 17, 13, 14, 15, 123_456_789, time.UTC),
		Local: time.FixedZone("", 2*3600+30*60),
		Random: func() uint64 {
			bits = bits*6364136223846793005 + 1442695040888963407
			return bits
		},
		Catalog: catalog.NewSnapshot(), Functions: r,
	}}
}

// source is the input of a query: columns and rows.
type source struct {
	columns []function.Arg
	names   []string
	rows    []types.Row
}

func (s *source) find(name string) int {
	for i, n := range s.names {
		if types.EqualFold(n, name) {
			return i
		}
	}
	return -1
}

func (h *harness) query(sql string) ([]types.Row, error) {
	stmts, err := parse.Stmts(ast.NewSource("", sql))
	if err != nil || len(stmts) != 1 {
		return nil, errBeyond
	}
	q, ok := stmts[0].(*ast.SelectStmt)
	if !ok {
		return nil, errBeyond
	}
	return h.selectRows(q)
}

// selectRows ignores ORDER BY.
func (h *harness) selectRows(q *ast.SelectStmt) ([]types.Row, error) {
	core, ok := q.Body.(*ast.SelectCore)
	if !ok || q.With != nil || q.Limit != nil || core.Distinct || core.GroupBy != nil || core.Having != nil {
		return nil, errBeyond
	}
	in, err := h.from(core.From)
	if err != nil {
		return nil, err
	}
	if in, err = h.filter(in, core.Where); err != nil {
		return nil, err
	}
	if aggregates := h.aggregates(core); aggregates != nil {
		if in, err = h.aggregate(in, core, aggregates); err != nil {
			return nil, err
		}
	}
	var out []types.Row
	for _, r := range in.rows {
		var row types.Row
		for _, item := range core.Items {
			if item.Star {
				row = append(row, r...)
				continue
			}
			v, _, err := h.eval(item.X, in, r)
			if err != nil {
				return nil, err
			}
			row = append(row, v)
		}
		out = append(out, row.Clone())
	}
	return out, nil
}

func (h *harness) filter(in *source, where ast.Expr) (*source, error) {
	if where == nil {
		return in, nil
	}
	out := &source{columns: in.columns, names: in.names}
	for _, r := range in.rows {
		v, _, err := h.eval(where, in, r)
		if err != nil {
			return nil, err
		}
		if truth, known := types.Truth(v); known && truth {
			out.rows = append(out.rows, r)
		}
	}
	return out, nil
}

// exec carries out the statements that make objects of the catalog.
func (h *harness) exec(sql string) error {
	stmts, err := parse.Stmts(ast.NewSource("", sql))
	if err != nil {
		return errBeyond
	}
	for _, s := range stmts {
		if err := h.create(s); err != nil {
			return err
		}
	}
	return nil
}

func (h *harness) create(s ast.Stmt) error {
	edit := h.call.Catalog.Edit()
	env := catalog.BuildEnv{Types: types.NewRegistry(), Module: "memory", IDs: edit}
	switch s := s.(type) {
	case *ast.CreateTableStmt:
		t, err := catalog.BuildTable(s, env)
		if err != nil {
			return err
		}
		edit.PutTable(t)
	case *ast.CreateIndexStmt:
		t := h.call.Catalog.Table(catalog.MainSchema, s.Table.Name.Text)
		if t == nil {
			return errBeyond
		}
		ix, err := catalog.BuildIndex(s, t, env)
		if err != nil {
			return err
		}
		t = t.Clone()
		t.Indexes = append(t.Indexes, ix)
		edit.PutTable(t)
	case *ast.CreateViewStmt:
		edit.PutView(catalog.BuildView(s, env))
	case *ast.CreateAssertionStmt:
		edit.PutAssertion(catalog.BuildAssertion(s, env))
	default:
		return errBeyond
	}
	h.call.Catalog = edit.Done()
	return nil
}

func (h *harness) from(t ast.TableExpr) (*source, error) {
	switch t := t.(type) {
	case nil:
		return &source{rows: []types.Row{{}}}, nil
	case *ast.TableFunc:
		return h.tableFunction(t)
	case *ast.TableSubquery:
		in := &source{}
		err := h.unionAll(t.Query.Body, in)
		return in, err
	}
	return nil, errBeyond
}

// unionAll collects constant selects.
func (h *harness) unionAll(q ast.QueryTerm, in *source) error {
	if op, ok := q.(*ast.SetOp); ok && op.Op == ast.UnionAll {
		if err := h.unionAll(op.L, in); err != nil {
			return err
		}
		return h.unionAll(op.R, in)
	}
	core, ok := q.(*ast.SelectCore)
	if !ok || core.From != nil || core.Where != nil {
		return errBeyond
	}
	var row types.Row
	for i, item := range core.Items {
		v, a, err := h.eval(item.X, nil, nil)
		if err != nil {
			return err
		}
		row = append(row, v)
		a.HasConst, a.Const = false, types.Null
		if len(in.columns) <= i {
			in.columns, in.names = append(in.columns, a), append(in.names, item.Alias.Text)
		} else {
			c := &in.columns[i]
			c.Type, c.Nullable = types.CommonType(c.Type, a.Type), c.Nullable || a.Nullable
		}
	}
	in.rows = append(in.rows, row)
	return nil
}

func (h *harness) tableFunction(t *ast.TableFunc) (*source, error) {
	args, known, err := h.args(t.Args, nil, nil)
	if err != nil {
		return nil, err
	}
	f := h.functions.Lookup(t.Name.Text, len(args), true)
	if f == nil && (h.functions.Lookup(t.Name.Text, len(args), false) != nil || t.Name.Text == "explain_assertion") {
		return nil, errBeyond // the binder's to refuse, or to plan
	}
	if f == nil {
		return nil, types.Errorf(types.ERROR, "Function not found: %s/%d", types.Fold(t.Name.Text), len(args))
	}
	in := &source{}
	for _, c := range f.Columns {
		in.names = append(in.names, c.Name)
		in.columns = append(in.columns, function.Arg{Type: c.Type, Nullable: c.Nullable})
	}
	rows := f.Rows
	if f.BindRows != nil {
		if rows, err = f.BindRows(known); err != nil {
			return nil, err
		}
	}
	for row, err := range rows(h.call, args) {
		if err != nil {
			return nil, types.Wrapf(types.ERROR, err, "Table-valued function %s failed", f.Name)
		}
		in.rows = append(in.rows, row.Clone())
	}
	return in, nil
}

// aggregates gives the aggregate calls that are items of a select list, nil when there are none.
func (h *harness) aggregates(core *ast.SelectCore) map[*ast.Call]bool {
	var found map[*ast.Call]bool
	for i := range core.Items {
		if core.Items[i].Star {
			continue
		}
		ast.Walk(core.Items[i].X, func(n ast.Node) bool {
			c, ok := n.(*ast.Call)
			if ok && c.Over == nil {
				if f := h.functions.Lookup(c.Name.Text, len(c.Args), false); f != nil && f.Kind == function.Aggregate {
					if found == nil {
						found = map[*ast.Call]bool{}
					}
					found[c] = true
				}
			}
			return true
		})
	}
	return found
}

// aggregate replaces the rows by one that holds the results, under the calls' texts.
func (h *harness) aggregate(in *source, core *ast.SelectCore, calls map[*ast.Call]bool) (*source, error) {
	out := &source{rows: []types.Row{{}}}
	for c := range calls {
		if c.Distinct || c.OrderBy != nil || c.Filter != nil {
			return nil, errBeyond
		}
		v, arg, err := h.aggregateCall(c, in)
		if err != nil {
			return nil, err
		}
		out.names = append(out.names, ast.Format(c))
		out.columns = append(out.columns, arg)
		out.rows[0] = append(out.rows[0], v)
	}
	return out, nil
}

func (h *harness) aggregateCall(c *ast.Call, in *source) (types.Value, function.Arg, error) {
	f := h.functions.Lookup(c.Name.Text, len(c.Args), false)
	empty := make(types.Row, len(in.columns))
	_, known, err := h.args(c.Args, in, empty)
	if err != nil {
		return types.Null, function.Arg{}, err
	}
	newState, err := f.NewState(known)
	if err != nil {
		return types.Null, function.Arg{}, err
	}
	s := newState()
	for _, r := range in.rows {
		args, _, err := h.args(c.Args, in, r)
		if err != nil {
			return types.Null, function.Arg{}, err
		}
		if err := s.Step(h.call, args); err != nil {
			return types.Null, function.Arg{}, err
		}
	}
	result := f.Type(known)
	v, err := s.Final(h.call)
	return v, function.Arg{Type: result.Type, Nullable: result.Nullable}, err
}

func (h *harness) args(list []ast.Expr, in *source, row types.Row) ([]types.Value, []function.Arg, error) {
	values, known := make([]types.Value, len(list)), make([]function.Arg, len(list))
	for i, x := range list {
		var err error
		if values[i], known[i], err = h.eval(x, in, row); err != nil {
			return nil, nil, err
		}
	}
	return values, known, nil
}

// wire gives rows as the lines of an answer.
func wire(rows []types.Row) string {
	var out []byte
	for _, r := range rows {
		out = append(types.AppendWireRow(out, r), '\n')
	}
	return string(out)
}

// requireAnswer checks a query's rows, each a JSON array, lines apart.
func (h *harness) requireAnswer(t *testing.T, sql, want string) {
	t.Helper()
	rows, err := h.query(sql)
	require.NoError(t, err, sql)
	require.True(t, sameRows(strings.Split(want, "\n"), rows, false), "%s\nwant %s\ngot  %s", sql, want, wire(rows))
}

// sameRows compares the lines of an answer with rows, in their order unless anyOrder.
func sameRows(want []string, rows []types.Row, anyOrder bool) bool {
	if len(want) == 1 && want[0] == "" {
		want = nil
	}
	if len(want) != len(rows) {
		return false
	}
	a, b := make([]string, len(want)), make([]string, len(want))
	for i := range want {
		a[i], b[i] = canonicalLine(want[i]), canonicalLine(strings.TrimSuffix(wire(rows[i:i+1]), "\n"))
	}
	if anyOrder {
		slices.Sort(a)
		slices.Sort(b)
	}
	return slices.Equal(a, b)
}

func canonicalLine(line string) string {
	v, err := types.ParseJSON(line)
	if err != nil {
		return line
	}
	return types.CanonicalJSON(v)
}

// requireValue checks an expression's value, as it stands in an answer.
func (h *harness) requireValue(t *testing.T, expr, want string) {
	t.Helper()
	h.requireAnswer(t, "select "+expr, "["+want+"]")
}
