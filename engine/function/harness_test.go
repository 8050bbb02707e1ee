package function_test

import (
	"errors"
	"fmt"
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

func (h *harness) selectRows(q *ast.SelectStmt) ([]types.Row, error) {
	core, ok := q.Body.(*ast.SelectCore)
	if !ok || q.With != nil || q.OrderBy != nil || q.Limit != nil || core.Distinct || core.Where != nil || core.GroupBy != nil || core.Having != nil {
		return nil, errBeyond
	}
	in, err := h.from(core.From)
	if err != nil {
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
	if f == nil && h.functions.Lookup(t.Name.Text, len(args), false) != nil {
		return nil, errBeyond // the binder's to refuse
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

// eval computes an expression and what the binder knows of it.
func (h *harness) eval(x ast.Expr, in *source, row types.Row) (types.Value, function.Arg, error) {
	switch x := x.(type) {
	case *ast.Literal:
		v := catalog.LiteralValue(x)
		return v, function.Arg{Type: literalType(v), Nullable: v.IsNull(), Const: v, HasConst: true}, nil
	case *ast.Paren:
		return h.eval(x.X, in, row)
	case *ast.ColumnRef:
		if in == nil || in.find(x.Column.Text) < 0 {
			return types.Null, function.Arg{}, errBeyond
		}
		i := in.find(x.Column.Text)
		return row[i], in.columns[i], nil
	case *ast.Unary:
		return h.negative(x, in, row)
	case *ast.Match:
		return h.match(x, in, row)
	case *ast.Binary:
		return h.binary(x, in, row)
	case *ast.Call:
		if in != nil {
			if i := in.find(ast.Format(x)); i >= 0 {
				return row[i], in.columns[i], nil
			}
		}
		args, known, err := h.args(x.Args, in, row)
		if err != nil {
			return types.Null, function.Arg{}, err
		}
		if x.Star || x.Distinct || x.Filter != nil || x.Over != nil || x.OrderBy != nil {
			return types.Null, function.Arg{}, errBeyond
		}
		return h.scalar(x.Name.Text, args, known)
	}
	return types.Null, function.Arg{}, errBeyond
}

func literalType(v types.Value) *types.Type {
	switch v.Kind() {
	case types.KindBoolean:
		return types.TypeBoolean
	case types.KindInteger:
		return types.TypeInteger
	case types.KindReal:
		if types.IsWhole(v) && types.NearestReal(v) < 1<<53 {
			return types.TypeInteger
		}
		return types.TypeReal
	case types.KindText:
		return types.TypeText
	case types.KindBlob:
		return types.TypeBlob
	}
	return types.TypeNull
}

func (h *harness) negative(x *ast.Unary, in *source, row types.Row) (types.Value, function.Arg, error) {
	v, a, err := h.eval(x.X, in, row)
	if err != nil || x.Op != ast.OpNeg {
		return v, a, errors.Join(err, errBeyondIf(x.Op != ast.OpNeg))
	}
	v = types.BindNeg(a.Type)(v)
	return v, function.Arg{Type: types.PromoteSign(a.Type), Nullable: a.Nullable, Const: v, HasConst: a.HasConst}, nil
}

func errBeyondIf(beyond bool) error {
	if beyond {
		return errBeyond
	}
	return nil
}

func (h *harness) match(x *ast.Match, in *source, row types.Row) (types.Value, function.Arg, error) {
	if x.Escape != nil {
		return h.likeEscape(x, in, row)
	}
	args, known, err := h.args([]ast.Expr{x.P, x.X}, in, row)
	if err != nil {
		return types.Null, function.Arg{}, err
	}
	v, a, err := h.scalar([...]string{ast.OpLike: "like", ast.OpGlob: "glob", ast.OpRegexp: "regexp"}[x.Op], args, known)
	return negated(v, x.Not), a, err
}

func negated(v types.Value, not bool) types.Value {
	if not && !v.IsNull() {
		return types.Bool(!v.Bool())
	}
	return v
}

func (h *harness) likeEscape(x *ast.Match, in *source, row types.Row) (types.Value, function.Arg, error) {
	args, _, err := h.args([]ast.Expr{x.P, x.X, x.Escape}, in, row)
	if err != nil {
		return types.Null, function.Arg{}, err
	}
	a := function.Arg{Type: types.TypeBoolean, Nullable: true}
	if args[0].IsNull() || args[1].IsNull() || args[2].IsNull() {
		return types.Null, a, nil
	}
	escape, err := function.EscapeOf(args[2])
	if err != nil {
		return types.Null, a, err
	}
	p := function.CompileLike(types.ToText(args[0]), escape)
	return negated(types.Bool(p.MatchString(types.ToText(args[1]))), x.Not), a, nil
}

func (h *harness) binary(x *ast.Binary, in *source, row types.Row) (types.Value, function.Arg, error) {
	l, a, err := h.eval(x.L, in, row)
	if err != nil {
		return types.Null, a, err
	}
	r, b, err := h.eval(x.R, in, row)
	if err != nil {
		return types.Null, b, err
	}
	nullable := a.Nullable || b.Nullable
	switch x.Op {
	case ast.OpConcat:
		if l.IsNull() || r.IsNull() {
			return types.Null, function.Arg{Type: types.TypeText, Nullable: true}, nil
		}
		return types.Text(types.ToText(l) + types.ToText(r)), function.Arg{Type: types.TypeText, Nullable: nullable}, nil
	case ast.OpEq:
		return compareEqual(l, a, r, b)
	case ast.OpAdd, ast.OpSub, ast.OpMul, ast.OpDiv:
		op := map[ast.BinaryOp]types.ArithOp{
			ast.OpAdd: types.ArithAdd, ast.OpSub: types.ArithSub, ast.OpMul: types.ArithMul, ast.OpDiv: types.ArithDiv,
		}[x.Op]
		v, err := types.BindArith(op, a.Type, b.Type)(l, r)
		return v, function.Arg{Type: types.PromoteArith(op, a.Type, b.Type), Nullable: true}, err
	case ast.OpJSONGet, ast.OpJSONText:
		return h.arrow(x, l, a, r)
	}
	return types.Null, function.Arg{}, errBeyond
}

func compareEqual(l types.Value, a function.Arg, r types.Value, b function.Arg) (types.Value, function.Arg, error) {
	castL, castR := types.ComparisonCast(a.Type, b.Type)
	if castL != nil {
		l = types.Caster(a.Type, castL)(l)
		a.Type = castL
	}
	if castR != nil {
		r = types.Caster(b.Type, castR)(r)
		b.Type = castR
	}
	result := function.Arg{Type: types.TypeBoolean, Nullable: true}
	if l.IsNull() || r.IsNull() {
		return types.Null, result, nil
	}
	return types.Bool(types.NewComparator(types.ComparisonType(a.Type, b.Type), nil)(l, r) == 0), result, nil
}

func (h *harness) arrow(x *ast.Binary, l types.Value, a function.Arg, r types.Value) (types.Value, function.Arg, error) {
	if lit, ok := x.R.(*ast.Literal); ok && lit.Kind == ast.IntegerLit {
		r = types.Text("$[" + lit.Text + "]")
	} else if ok && lit.Kind == ast.TextLit && !strings.HasPrefix(lit.Text, "$") {
		r = types.Text("$." + lit.Text)
	}
	v, arg, err := h.scalar("json_extract", []types.Value{l, r}, []function.Arg{a, {Type: types.TypeText, Const: r, HasConst: true}})
	if err == nil && x.Op == ast.OpJSONText {
		v, arg = types.Cast(v, types.TypeText), function.Arg{Type: types.TypeText, Nullable: true}
	}
	return v, arg, err
}

// scalar calls a scalar function as a bound call does.
func (h *harness) scalar(name string, args []types.Value, known []function.Arg) (types.Value, function.Arg, error) {
	f := h.functions.Lookup(name, len(args), false)
	if f != nil && f.Kind == function.Aggregate || f == nil && h.functions.Lookup(name, len(args), true) != nil {
		return types.Null, function.Arg{}, errBeyond // the binder's to refuse
	}
	if f == nil || f.Kind != function.Scalar {
		return types.Null, function.Arg{}, types.Errorf(types.ERROR, "Function not found: %s/%d", types.Fold(name), len(args))
	}
	for _, a := range known {
		if f.Numeric && !a.Type.Numeric && a.Type != types.TypeAny && a.Type != types.TypeNull {
			return types.Null, function.Arg{}, types.Errorf(types.MISMATCH, "Invalid argument types for function %s", f.Name)
		}
	}
	r := f.Type(known)
	arg := function.Arg{Type: r.Type, Nullable: r.Nullable}
	v, err := h.apply(f, args, known)
	if err != nil {
		return types.Null, arg, types.Wrapf(types.ERROR, err, "Function %s failed", f.Name)
	}
	if v.IsNull() && !r.Nullable {
		return types.Null, arg, fmt.Errorf("%s gave NULL though it declares none", f.Name)
	}
	return v, arg, nil
}

func (h *harness) apply(f *function.Function, args []types.Value, known []function.Arg) (types.Value, error) {
	if f.Lazy {
		return lazily(f.Name, args), nil
	}
	eval := f.Eval
	if f.Bind != nil {
		var err error
		if eval, err = f.Bind(known); err != nil {
			return types.Null, err
		}
	}
	for _, v := range args {
		if f.NullOnNull && v.IsNull() {
			return types.Null, nil
		}
	}
	return eval(h.call, args)
}

func lazily(name string, args []types.Value) types.Value {
	if name == "iif" {
		if function.IifTruth(args[0]) {
			return args[1]
		}
		return args[2]
	}
	for _, v := range args {
		if !v.IsNull() {
			return v
		}
	}
	return types.Null
}

// wire gives rows as the lines of an answer.
func wire(rows []types.Row) string {
	var out []byte
	for _, r := range rows {
		out = append(out, '[')
		for i, v := range r {
			if i > 0 {
				out = append(out, ',')
			}
			out = types.AppendWire(out, v)
		}
		out = append(out, ']', '\n')
	}
	return string(out)
}

// requireAnswer checks a query's rows, each a JSON array, lines apart.
func (h *harness) requireAnswer(t *testing.T, sql, want string) {
	t.Helper()
	rows, err := h.query(sql)
	require.NoError(t, err, sql)
	require.True(t, sameRows(strings.Split(want, "\n"), rows), "%s\nwant %s\ngot  %s", sql, want, wire(rows))
}

func sameRows(want []string, rows []types.Row) bool {
	got := strings.Split(strings.TrimSuffix(wire(rows), "\n"), "\n")
	if len(rows) == 0 {
		got = nil
	}
	if len(want) == 1 && want[0] == "" {
		want = nil
	}
	if len(got) != len(want) {
		return false
	}
	for i := range got {
		a, errA := types.ParseJSON(want[i])
		b, errB := types.ParseJSON(got[i])
		if errA != nil || errB != nil || types.CompareJSON(a, b) != 0 {
			return false
		}
	}
	return true
}

// requireValue checks an expression's value, as it stands in an answer.
func (h *harness) requireValue(t *testing.T, expr, want string) {
	t.Helper()
	h.requireAnswer(t, "select "+expr, "["+want+"]")
}
