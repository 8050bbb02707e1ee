package exec_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

const benchRows = 20_000

// benchDB has wide(id, a … g) with benchRows rows, and small(id, w) with a twentieth of them.
func benchDB(b *testing.B) *testDB {
	db := newDB(b)
	db.mustExec(`create table wide (id integer primary key, a integer, b text, c real, d text, e integer, f integer, g text);
		create table small (id integer primary key, w integer)`)
	fill := func(table string, n int, row func(i int) string) {
		var rows []string
		for i := range n {
			rows = append(rows, row(i))
		}
		db.mustExec("insert into " + table + " values " + strings.Join(rows, ", "))
	}
	fill("wide", benchRows, func(i int) string {
		return fmt.Sprintf("(%d, %d, 'name %d', %d.5, 'some longer text %d', %d, %d, 'x')", i, i*7919%benchRows, i%100, i, i, i%10, i%1000)
	})
	fill("small", benchRows/20, func(i int) string { return fmt.Sprintf("(%d, %d)", i, i*20) })
	return db
}

func benchProgram(b *testing.B, db *testDB, sql string) *exec.Program {
	p, err := db.plan(sql)
	require.NoError(b, err)
	program, err := exec.Build(p)
	require.NoError(b, err)
	return program
}

// drain runs a program and counts its rows.
func drain(b *testing.B, program *exec.Program, rt *exec.Runtime) (n int) {
	rows, err := program.Run(context.Background(), rt)
	require.NoError(b, err)
	defer rows.Close()
	for {
		row, err := rows.Next()
		require.NoError(b, err)
		if row == nil {
			return n
		}
		n++
	}
}

func benchQuery(b *testing.B, sql string, rowsPerRun int) {
	db := benchDB(b)
	program, rt := benchProgram(b, db, sql), db.runtime()
	b.ReportAllocs()
	for b.Loop() {
		drain(b, program, rt)
	}
	b.ReportMetric(float64(rowsPerRun)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

// BenchmarkRawScan is the limit of BenchmarkFilterScan: the module's cursor alone, decoding the same columns.
func BenchmarkRawScan(b *testing.B) {
	db := benchDB(b)
	table, err := db.OpenTable(context.Background(), db.cat.Table("main", "wide"), false)
	require.NoError(b, err)
	defer table.Close()
	batch := vtab.NewBatch(vtab.BatchRows, 8)
	b.ReportAllocs()
	for b.Loop() {
		c, err := table.Scan(context.Background(), &vtab.Filter{Columns: vtab.Columns(1, 5)})
		require.NoError(b, err)
		for {
			n, err := c.Next(context.Background(), batch)
			require.NoError(b, err)
			if n == 0 {
				break
			}
		}
		c.Close()
	}
	b.ReportMetric(benchRows*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
}

func BenchmarkFilterScan(b *testing.B) {
	benchQuery(b, "select a from wide where e = 3", benchRows)
}

func BenchmarkExpressions(b *testing.B) {
	benchQuery(b, "select a + e * 2 - 1, case when f > 500 then 'hi' else 'lo' end from wide where a % 3 = 1 or f between 5 and 900", benchRows)
}

func BenchmarkHashJoin(b *testing.B) {
	benchQuery(b, "select wide.id, small.id from wide join small on small.w = wide.a", benchRows)
}

func BenchmarkSort(b *testing.B) {
	benchQuery(b, "select id, a from wide order by a, id desc", benchRows)
}

func BenchmarkTop(b *testing.B) {
	benchQuery(b, "select id, a from wide order by a limit 10", benchRows)
}

func BenchmarkGroup(b *testing.B) {
	benchQuery(b, "select f, count(*), sum(a) from wide group by f", benchRows)
}

// BenchmarkRawGet is the limit of BenchmarkPointQuery: the module's seek of one key on an open table.
func BenchmarkRawGet(b *testing.B) {
	db := benchDB(b)
	t := db.cat.Table("main", "wide")
	r := &vtab.AccessRequest{Filters: []vtab.Constraint{{Column: 0, Op: vtab.OpEq, Collation: types.Binary}}, Columns: vtab.Columns(2)}
	access, err := db.module.BestAccess(context.Background(), t, r)
	require.NoError(b, err)
	table, err := db.OpenTable(context.Background(), t, false)
	require.NoError(b, err)
	defer table.Close()
	batch := vtab.NewBatch(1, 8)
	i := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		i = (i + 7919) % benchRows
		c, err := table.Scan(context.Background(), &vtab.Filter{Access: access, Eq: []types.Value{types.Int(i)}, Columns: r.Columns})
		require.NoError(b, err)
		n, err := c.Next(context.Background(), batch)
		require.NoError(b, err)
		require.Equal(b, 1, n)
		c.Close()
	}
}

func BenchmarkPointQuery(b *testing.B) {
	db := benchDB(b)
	db.params.Positional = []*types.Type{types.TypeInteger}
	program, rt := benchProgram(b, db, "select b from wide where id = ?"), db.runtime()
	source := &openOnce{testDB: db}
	rt.Source = source
	rt.Positional = []types.Value{types.Int(0)}
	i := int64(0)
	b.ReportAllocs()
	for b.Loop() {
		i = (i + 7919) % benchRows
		rt.Positional[0] = types.Int(i)
		if n := drain(b, program, rt); n != 1 {
			b.Fatal(n)
		}
	}
}

// openOnce keeps tables open between statements, as a transaction does.
type openOnce struct {
	*testDB
	opened map[*catalog.Table]vtab.Table
}

func (s *openOnce) OpenTable(ctx context.Context, t *catalog.Table, committed bool) (vtab.Table, error) {
	if s.opened[t] == nil {
		opened, err := s.testDB.OpenTable(ctx, t, committed)
		if err != nil {
			return nil, err
		}
		if s.opened == nil {
			s.opened = map[*catalog.Table]vtab.Table{}
		}
		s.opened[t] = opened
	}
	return keptOpen{s.opened[t]}, nil
}

type keptOpen struct{ vtab.Table }

func (keptOpen) Close() error { return nil }
