package vtabtest

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// predicate is a constraint with the values that it will have at execution.
type predicate struct {
	vtab.Constraint
	value  types.Value
	list   []types.Value
	ranges []vtab.Range
}

// testAccess compares random accesses over random tables with a judgement of every row.
func testAccess(t *testing.T, h Harness) {
	for seed := range uint64(40) {
		if h.skips(int(seed)) {
			continue
		}
		g := newGen(seed)
		s := newSession(t, h)
		table, indexes := g.schema("t")
		x := s.begin()
		x.create(table, indexes...)
		fill := func(n int) {
			for range n {
				x.do("t", vtab.RowOp{Kind: vtab.OpInsert, New: g.row(x.now["t"].def), OnConflict: ast.ConflictIgnore})
			}
		}
		fill(60)
		x.commit()
		s.check()
		x = s.begin()
		fill(20) // so that reads merge both
		x.check()
		opened, done := x.open("t")
		for range 60 {
			a := accessCase{session: s, g: g, rel: x.now["t"], table: opened}
			a.draw()
			a.run()
			if t.Failed() {
				t.Fatalf("seed %d: %s; %v", seed, table, indexes)
			}
		}
		done()
		x.rollback()
	}
}

// accessCase is one access: a request, and what its filters will compare with.
type accessCase struct {
	*session
	g       *gen
	rel     relation
	table   vtab.Table
	filters []predicate
	request vtab.AccessRequest
}

func (a *accessCase) draw() {
	g, def := a.g, a.rel.def
	for range g.IntN(4) {
		p := a.predicate()
		a.filters = append(a.filters, p)
		a.request.Filters = append(a.request.Filters, p.Constraint)
	}
	for c := range def.Columns {
		if g.chance(3) {
			a.request.Columns.Add(c)
		}
	}
	if g.chance(4) {
		a.request.Columns = vtab.ColumnSet{}
	}
	for _, c := range g.Perm(len(def.Columns))[:g.IntN(3)] {
		a.request.RequiredOrdering = append(a.request.RequiredOrdering, vtab.Ordering{
			Column: c, Desc: g.chance(2), NullsLast: g.chance(3), Collation: def.Columns[c].Collation,
		})
	}
	if g.chance(3) {
		n := int64(1 + g.IntN(5))
		a.request.Limit = &n
	}
	if n := pick(g, 0, 10, 10_000_000); n > 0 {
		rows := int64(n)
		a.request.EstimatedRows = &rows
	}
}

func (a *accessCase) predicate() predicate {
	g, def := a.g, a.rel.def
	c := g.IntN(len(def.Columns))
	p := predicate{Constraint: vtab.Constraint{
		Column: c, Collation: def.Columns[c].Collation,
		Op: pick(g, vtab.OpEq, vtab.OpEq, vtab.OpGt, vtab.OpGe, vtab.OpLt, vtab.OpLe, vtab.OpIn, vtab.OpIsNull, vtab.OpIsNotNull, vtab.OpOrRange),
	}}
	if def.Columns[c].Type.CollationAware && g.chance(6) {
		p.Collation = pick(g, types.Binary, types.NoCase, types.RTrim)
	}
	value := func() types.Value {
		if g.chance(6) {
			return g.any() // no value of the type
		}
		return g.value(def.Columns[c].Type)
	}
	p.value = value()
	switch p.Op {
	case vtab.OpIn:
		for range 1 + g.IntN(4) {
			p.list = append(p.list, value())
		}
		p.Count = len(p.list)
		if g.chance(3) {
			p.Count, p.RuntimeSet = 0, &vtab.RuntimeSet{MaxCount: 8, Estimated: 2}
		}
	case vtab.OpOrRange:
		for range 1 + g.IntN(3) {
			p.ranges = append(p.ranges, vtab.Range{Lower: bound(g, value), Upper: bound(g, value)})
		}
	case vtab.OpIsNull, vtab.OpIsNotNull:
	default:
		if g.chance(2) {
			p.Known, p.Value = true, p.value
		} else if g.chance(20) {
			p.Known, p.Value, p.value = true, types.Null, types.Null
		}
	}
	return p
}

func bound(g *gen, value func() types.Value) *vtab.Bound {
	if g.chance(3) {
		return nil
	}
	return &vtab.Bound{Value: value(), Inclusive: g.chance(2)}
}

// holds judges the predicate for a row.
func (p *predicate) holds(t *catalog.Table, r types.Row) bool {
	v := r[p.Column]
	compare := comparison(t.Columns[p.Column].Type, p.Collation)
	switch p.Op {
	case vtab.OpIsNull:
		return v.IsNull()
	case vtab.OpIsNotNull:
		return !v.IsNull()
	}
	if v.IsNull() {
		return false
	}
	switch p.Op {
	case vtab.OpIn:
		return slices.ContainsFunc(p.list, func(w types.Value) bool { return compare(v, w) == 0 })
	case vtab.OpOrRange:
		return slices.ContainsFunc(p.ranges, func(rg vtab.Range) bool { return inRange(v, rg, compare) })
	}
	if p.value.IsNull() {
		return false
	}
	c := compare(v, p.value)
	switch p.Op {
	case vtab.OpEq:
		return c == 0
	case vtab.OpGt:
		return c > 0
	case vtab.OpGe:
		return c >= 0
	case vtab.OpLt:
		return c < 0
	}
	return c <= 0
}

// comparison judges a stored value and a probe. A probe outside a type that has an order of its own is judged quite unlike its place
// among the keys, by length: what an engine makes of it is not the module's to know.
func comparison(t *types.Type, c *types.Collation) types.Comparator {
	compare := types.NewComparator(t, c)
	part, err := types.NewKeyPart(t, c, false)
	if err != nil {
		panic(err)
	}
	return func(stored, probe types.Value) int {
		if !part.Holds(probe) {
			return len(types.ToText(stored)) - len(types.ToText(probe))
		}
		return compare(stored, probe)
	}
}

func inRange(v types.Value, rg vtab.Range, compare types.Comparator) bool {
	if rg.Lower != nil {
		if c := compare(v, rg.Lower.Value); c < 0 || c == 0 && !rg.Lower.Inclusive {
			return false
		}
	}
	if rg.Upper != nil {
		if c := compare(v, rg.Upper.Value); c > 0 || c == 0 && !rg.Upper.Inclusive {
			return false
		}
	}
	return true
}

// run plans the access, carries it out as the engine does, and judges what comes.
func (a *accessCase) run() {
	a.t.Helper()
	def := a.rel.def
	plan := must[*vtab.AccessPlan](a.t)(a.m.BestAccess(background, def, &a.request))
	require.NoError(a.t, vtab.ValidateAccess(def, &a.request, plan))
	f := a.filter(plan)
	exact := true
	for i := range a.filters {
		if !plan.Handled[i] || plan.Recheck != nil && plan.Recheck[i] {
			exact = false
			f.Columns.Add(a.filters[i].Column)
		}
	}
	if exact && a.request.Limit != nil {
		f.Limit = *a.request.Limit
	}
	for _, o := range plan.Provides { // to see the order
		if f.Columns.Max() >= 0 {
			f.Columns.Add(o.Column)
		}
	}
	var got []types.Row
	for _, r := range a.scan(a.table, f, len(def.Columns)) {
		if a.applies(plan, r) {
			got = append(got, r)
		}
	}
	a.judge(plan, f, got)
}

// filter gives the values of the claimed filters to the access.
func (a *accessCase) filter(plan *vtab.AccessPlan) *vtab.Filter {
	f := &vtab.Filter{Access: plan, Columns: a.request.Columns.Clone()}
	seeks := [][]types.Value{{}}
	for i, c := range plan.SeekColumns {
		for j := range a.filters {
			p := &a.filters[j]
			if !plan.Handled[j] || p.Column != c {
				continue
			}
			switch p.Op {
			case vtab.OpEq:
				f.Eq = append(f.Eq, p.value)
				seeks = product(seeks, []types.Value{p.value})
			case vtab.OpIsNull:
				f.Eq = append(f.Eq, types.Null)
				seeks = product(seeks, []types.Value{types.Null})
			case vtab.OpIn:
				seeks = product(seeks, p.list)
			case vtab.OpGt, vtab.OpGe:
				f.Lower = &vtab.Bound{Value: p.value, Inclusive: p.Op == vtab.OpGe}
			case vtab.OpLt, vtab.OpLe:
				f.Upper = &vtab.Bound{Value: p.value, Inclusive: p.Op == vtab.OpLe}
			case vtab.OpOrRange:
				require.Equal(a.t, len(plan.SeekColumns)-1, i)
				f.Ranges = p.ranges
			}
		}
	}
	if plan.Kind == vtab.PlanMultiSeek {
		f.Seeks, f.Eq = seeks, nil
		a.g.Shuffle(len(seeks), func(i, j int) { seeks[i], seeks[j] = seeks[j], seeks[i] })
	}
	return f
}

func product(tuples [][]types.Value, values []types.Value) [][]types.Value {
	var out [][]types.Value
	for _, t := range tuples {
		for _, v := range values {
			out = append(out, append(slices.Clone(t), v))
		}
	}
	return out
}

// applies runs the filters that stay with the engine.
func (a *accessCase) applies(plan *vtab.AccessPlan, r types.Row) bool {
	for i := range a.filters {
		if plan.Handled[i] && (plan.Recheck == nil || !plan.Recheck[i]) {
			continue
		}
		if !a.filters[i].holds(a.rel.def, r) {
			return false
		}
	}
	return true
}

func (a *accessCase) judge(plan *vtab.AccessPlan, f *vtab.Filter, got []types.Row) {
	a.t.Helper()
	def := a.rel.def
	var want []types.Row
	for _, r := range a.rel.rows {
		if !slices.ContainsFunc(a.filters, func(p predicate) bool { return !p.holds(def, r) }) {
			m := make(types.Row, len(r))
			for c := range r {
				if f.Columns.Has(c) {
					m[c] = r[c]
				}
			}
			want = append(want, m)
		}
	}
	if f.Limit > 0 && int64(len(want)) > f.Limit {
		require.Len(a.t, got, int(f.Limit), plan.Explain)
		require.Subset(a.t, rowTexts(want), rowTexts(got), plan.Explain)
	} else {
		require.ElementsMatch(a.t, rowTexts(want), rowTexts(got), "%s; %+v", plan.Explain, a.filters)
	}
	if plan.Unique {
		require.LessOrEqual(a.t, len(got), 1, plan.Explain)
	}
	if plan.Kind == vtab.PlanEmpty {
		require.Empty(a.t, want, plan.Explain)
	}
	a.judgeOrder(plan, f, got)
}

func (a *accessCase) judgeOrder(plan *vtab.AccessPlan, f *vtab.Filter, got []types.Row) {
	a.t.Helper()
	var terms []types.OrderTerm
	for _, o := range plan.Provides {
		if !f.Columns.Has(o.Column) {
			return
		}
		terms = append(terms, types.OrderTerm{
			Column: o.Column, Desc: o.Desc, NullsLast: o.NullsLast, Cmp: types.NewComparator(a.rel.def.Columns[o.Column].Type, o.Collation),
		})
	}
	if len(terms) == 0 {
		return
	}
	require.True(a.t, slices.IsSortedFunc(got, types.NewRowComparator(terms...)),
		"%s: rows do not come in the order that was promised: %v of %v", plan.Explain, plan.Provides, rowTexts(got))
}

// testStrayValues probes keys with values outside a type that has an order of its own, which have no place among them.
func testStrayValues(t *testing.T, h Harness) {
	s := newSession(t, h)
	s.exec(func(x *txn) {
		x.create(`create table spans (d timespan null, n integer, primary key (d, n))`, `create index by_n on spans (n, d desc)`)
		for i, d := range []any{"PT1H", "PT90M", "P1D", nil} {
			for n := range 4 {
				x.insert("spans", row(d, 4*i+n))
			}
		}
	})
	x := s.begin()
	opened, done := x.open("spans")
	many := int64(1_000_000)
	for _, stray := range []types.Value{types.Int(5), types.Text("four"), types.Text("A stray"), types.Text("PT90M"), types.Blob([]byte("PT1H"))} {
		for _, n := range []vtab.Op{vtab.OpEq, vtab.OpGt, vtab.OpLe} {
			for _, d := range []vtab.Op{vtab.OpEq, vtab.OpGe, vtab.OpLt} {
				a := accessCase{session: s, g: newGen(1), rel: x.now["spans"], table: opened}
				a.filters = []predicate{
					{Constraint: vtab.Constraint{Column: 0, Op: d}, value: stray},
					{Constraint: vtab.Constraint{Column: 1, Op: n}, value: types.Int(5)},
				}
				for _, f := range a.filters {
					a.request.Filters = append(a.request.Filters, f.Constraint)
				}
				a.request.EstimatedRows, a.request.Columns = &many, vtab.AllColumns(2)
				a.run()
			}
		}
	}
	done()
	x.rollback()
}

// testAccessPlans pins down which access is chosen for requests with an obvious one.
func testAccessPlans(t *testing.T, h Harness) {
	s := newSession(t, h)
	s.exec(func(x *txn) { x.create(people, peopleIndexes[0]) })
	def := s.tables["people"].def
	many, one := int64(1_000_000), int64(1)
	eq := func(c int) vtab.Constraint {
		return vtab.Constraint{Column: c, Op: vtab.OpEq, Collation: def.Columns[c].Collation}
	}
	all := vtab.AllColumns(4)
	for _, c := range []struct {
		name    string
		request vtab.AccessRequest
		check   func(p *vtab.AccessPlan)
	}{
		{"key", vtab.AccessRequest{Filters: []vtab.Constraint{eq(0)}}, func(p *vtab.AccessPlan) {
			require.True(t, p.Unique)
			require.True(t, p.Index.Primary)
			require.Equal(t, vtab.PlanEqSeek, p.Kind)
		}},
		{"second equality stays with the engine", vtab.AccessRequest{Filters: []vtab.Constraint{eq(0), eq(0)}}, func(p *vtab.AccessPlan) {
			require.Equal(t, []bool{true, false}, p.Handled)
		}},
		{"unique structure", vtab.AccessRequest{Filters: []vtab.Constraint{eq(3)}}, func(p *vtab.AccessPlan) {
			require.True(t, p.Unique)
			require.Zero(t, p.Index.Unique)
		}},
		{"index", vtab.AccessRequest{Filters: []vtab.Constraint{eq(1)}}, func(p *vtab.AccessPlan) {
			require.False(t, p.Unique)
			require.Zero(t, p.Index.Index)
			require.Equal(t, "by_name", p.Index.Name)
		}},
		{"other collation", vtab.AccessRequest{Filters: []vtab.Constraint{{Column: 1, Op: vtab.OpEq, Collation: types.Binary}}}, func(p *vtab.AccessPlan) {
			require.Equal(t, vtab.PlanScan, p.Kind)
		}},
		{"order from an index with a limit", vtab.AccessRequest{
			RequiredOrdering: []vtab.Ordering{{Column: 1, Collation: types.NoCase}, {Column: 2, Desc: true}}, Limit: &one,
		}, func(p *vtab.AccessPlan) {
			require.Equal(t, "by_name", p.Index.Name)
			require.Len(t, p.Provides, 2)
		}},
		{"order by the key backwards", vtab.AccessRequest{RequiredOrdering: []vtab.Ordering{{Column: 0, Desc: true}}}, func(p *vtab.AccessPlan) {
			require.True(t, p.Reverse)
			require.Len(t, p.Provides, 1)
		}},
		{"NULL equals nothing", vtab.AccessRequest{Filters: []vtab.Constraint{{Column: 2, Op: vtab.OpEq, Known: true}}}, func(p *vtab.AccessPlan) {
			require.Equal(t, vtab.PlanEmpty, p.Kind)
			require.Zero(t, p.Rows)
		}},
	} {
		c.request.Columns, c.request.EstimatedRows = all, &many
		p := must[*vtab.AccessPlan](t)(s.m.BestAccess(background, def, &c.request))
		require.NoError(t, vtab.ValidateAccess(def, &c.request, p), c.name)
		t.Run(c.name, func(t *testing.T) { c.check(p) })
	}
}
