package exec_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/exec"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
	"github.com/quereus/quereus-migrate/vtab/store"
)

// Inserting is measured in rows of eight columns that come as parameters, the commit to Pebble included. Its limit is "raw": sorted
// batches of the same bytes to the bare store.

const (
	insertedRows = 100_000
	insertedWide = `create table big (id integer primary key, name text, n integer, r real, note text null, flag boolean, d text, code text)`
	insertWide   = `insert into big values (?, ?, ?, ?, ?, ?, ?, ?)`
)

// newDiskDB is a writeDB over Pebble in a directory of its own.
func newDiskDB(b *testing.B) (*writeDB, *pebble.Store) {
	db := newWriteDB(b)
	s, err := pebble.Open(b.TempDir(), pebble.Options{Create: true})
	require.NoError(b, err)
	db.module, err = store.New(context.Background(), "memory", s, store.Options{})
	require.NoError(b, err)
	return db, s
}

func wideParams(i int) []types.Value {
	return []types.Value{
		types.Int(int64(i)), types.Text(fmt.Sprintf("name %d", i*7919%100_003)), types.Int(int64(i * 31 % 1000)), types.Real(float64(i) / 8),
		types.Null, types.Bool(i%2 == 0), types.Text("2024-02-29"), types.Text(fmt.Sprintf("c%07d", i)),
	}
}

func perInserted(b *testing.B) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/insertedRows, "ns/row")
}

func BenchmarkInsertRaw(b *testing.B) {
	rows := make([][]types.Value, insertedRows)
	for i := range rows {
		rows[i] = wideParams(i)
	}
	b.ResetTimer()
	for b.Loop() {
		s, err := pebble.Open(b.TempDir(), pebble.Options{Create: true})
		require.NoError(b, err)
		var key, value []byte
		for i := 0; i < len(rows); {
			batch := s.NewBatch()
			for range 10_000 {
				key = binary.BigEndian.AppendUint64(append(key[:0], 1, 1, 40), uint64(i))
				value = value[:0]
				for _, v := range rows[i] {
					value = types.AppendWire(value, v)
				}
				require.NoError(b, batch.Set(key, value[:min(len(value), 56)]))
				i++
			}
			require.NoError(b, s.Commit(batch, false))
		}
		require.NoError(b, s.Close())
	}
	perInserted(b)
}

// insertBatches runs an INSERT for all rows, in batches of 1000 within one transaction.
func insertBatches(b *testing.B, db *writeDB, sql string, params func(i int) []types.Value) {
	rows := make([][]types.Value, insertedRows)
	for i := range rows {
		rows[i] = params(i)
	}
	program := db.prepare(b, sql, rows[0])
	b.StartTimer()
	require.NoError(b, db.begin())
	for i := 0; i < len(rows); i += 1000 {
		_, err := db.runProgram(program, func(tx *writeTx) ([]string, error) {
			_, err := program.RunBatch(context.Background(), tx.runtime(), rows[i:i+1000])
			return nil, err
		})
		require.NoError(b, err)
	}
	require.NoError(b, db.commit())
	b.StopTimer()
}

// prepare compiles a statement for parameters of the types of some values.
func (db *writeDB) prepare(t testing.TB, sql string, like []types.Value) *exec.Program {
	src := ast.NewSource("", sql)
	stmts, err := parse.Stmts(src)
	require.NoError(t, err)
	env := db.env(src)
	for _, v := range like {
		env.Params.Positional = append(env.Params.Positional, kindTypes[v.Kind()])
	}
	p, err := plan.PrepareStmt(stmts[0], env)
	require.NoError(t, err)
	return build(t, p)
}

var kindTypes = map[types.Kind]*types.Type{
	types.KindBoolean: types.TypeBoolean, types.KindInteger: types.TypeInteger, types.KindReal: types.TypeReal, types.KindText: types.TypeText,
}

func BenchmarkInsertBatch(b *testing.B) {
	b.ReportAllocs()
	b.StopTimer()
	for range b.N {
		db, s := newDiskDB(b)
		db.mustExec(insertedWide)
		insertBatches(b, db, insertWide, wideParams)
		require.NoError(b, db.module.Close())
		_ = s
	}
	perInserted(b)
}

// BenchmarkInsertBatchWithKey inserts rows that refer to a parent each, which is looked up.
func BenchmarkInsertBatchWithKey(b *testing.B) {
	b.ReportAllocs()
	b.StopTimer()
	for range b.N {
		db, _ := newDiskDB(b)
		db.mustExec(`create table parent (id integer primary key, v text);
			create table child (id integer primary key, p integer references parent (id), v text)`)
		_, err := db.do(`insert into parent select value, 'p' from generate_series(0, 9999)`)
		require.NoError(b, err)
		insertBatches(b, db, `insert into child values (?, ?, ?)`, func(i int) []types.Value {
			return []types.Value{types.Int(int64(i)), types.Int(int64(i * 7919 % 10_000)), types.Text("child")}
		})
		require.NoError(b, db.module.Close())
	}
	perInserted(b)
}

// BenchmarkInsertOne inserts single rows by a prepared statement, within one transaction.
func BenchmarkInsertOne(b *testing.B) {
	for name, define := range map[string]string{
		"plain": insertedWide,
		"checks": `create table big (id integer primary key check (id >= 0), name text, n integer default 5, r real, note text null,
			flag boolean, d text, code text check (length(code) = 8), g integer generated always as (n * 2))`,
		"key": `create table p (id integer primary key); insert into p values (0), (1);
			create table big (id integer primary key, name text, n integer, r real, note text null, flag boolean references p (id), d text, code text)`,
	} {
		b.Run(name, func(b *testing.B) {
			db := newWriteDB(b)
			for _, sql := range strings.Split(define, ";") {
				_, err := db.do(sql)
				require.NoError(b, err)
			}
			program := db.prepare(b, insertWide, wideParams(0))
			require.NoError(b, db.begin())
			i := 0
			b.ReportAllocs()
			for b.Loop() {
				_, err := db.runProgram(program, func(tx *writeTx) ([]string, error) {
					rt := tx.runtime()
					rt.Positional = wideParams(i)
					rows, err := program.Run(context.Background(), rt)
					if err != nil {
						return nil, err
					}
					return nil, rows.Close()
				})
				if err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}
