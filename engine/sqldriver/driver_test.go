package sqldriver

import (
	"context"
	"database/sql"
	"fmt"
	"math/big"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

func openMemory(t *testing.T) *sql.DB {
	db, err := sql.Open(Name, "mem:")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close()) })
	return db
}

func TestValuesComeBack(t *testing.T) {
	db := openMemory(t)
	_, err := db.Exec("create table v (id integer primary key, i integer null, r real null, t text null, b blob null, f boolean null, d datetime null, j json null)")
	require.NoError(t, err)
	at := time.Date(2026, 11, 30, 12, 30, 0, 5e8, time.FixedZone("", 3600))
	res, err := db.Exec("insert into v values (?, ?, ?, ?, ?, ?, ?, ?)", 1, 7, 2.5, "ö", []byte{0, 255}, true, at, `{"a":[1]}`)
	require.NoError(t, err)
	n, err := res.RowsAffected()
	require.NoError(t, err)
	require.EqualValues(t, 1, n)
	_, err = res.LastInsertId()
	require.ErrorIs(t, err, types.UNSUPPORTED)

	var (
		i    int64
		r    float64
		s, j string
		d    time.Time
		b    []byte
		f    bool
	)
	row := db.QueryRow("select i, r, t, b, f, d, j from v where id = :id", sql.Named("id", 1))
	require.NoError(t, row.Scan(&i, &r, &s, &b, &f, &d, &j))
	require.Equal(t, []any{int64(7), 2.5, "ö", []byte{0, 255}, true, at.UTC(), `{"a":[1]}`}, []any{i, r, s, b, f, d, j})
}

// Columns tell what they hold, and how to take it.
func TestColumnTypes(t *testing.T) {
	db := openMemory(t)
	_, err := db.Exec("create table v (i integer primary key, r real null, t text, d date null, at datetime, n numeric, a any null, b blob)")
	require.NoError(t, err)
	_, err = db.Exec("insert into v values (1, 2.5, 'x', '2024-02-29', '2024-02-29T10:00:00', 3, 'y', x'00')")
	require.NoError(t, err)
	rows, err := db.Query("select * from v")
	require.NoError(t, err)
	defer rows.Close()
	columns, err := rows.ColumnTypes()
	require.NoError(t, err)
	var got []string
	targets := make([]any, len(columns))
	for i, c := range columns {
		nullable, ok := c.Nullable()
		require.True(t, ok)
		got = append(got, fmt.Sprintf("%s %s %v", c.DatabaseTypeName(), c.ScanType(), nullable))
		targets[i] = reflect.New(c.ScanType()).Interface()
	}
	require.Equal(t, []string{
		"INTEGER int64 false", "REAL sql.NullFloat64 true", "TEXT string false", "DATE sql.NullTime true", "DATETIME time.Time false",
		"NUMERIC interface {} false", "ANY interface {} true", "BLOB []uint8 false",
	}, got)
	require.True(t, rows.Next())
	require.NoError(t, rows.Scan(targets...))
	require.Equal(t, time.Date(2024, 2, 29, 10, 0, 0, 0, time.UTC), *targets[4].(*time.Time))

	texts, err := sql.Open(Name, "mem:?times=text&memory_budget=100000")
	require.NoError(t, err)
	defer texts.Close()
	var day, budget string
	require.NoError(t, texts.QueryRow("select cast('2024-02-29' as date)").Scan(&day))
	require.Equal(t, "2024-02-29", day)
	require.NoError(t, texts.QueryRow("pragma memory_budget").Scan(new(string), &budget))
	require.Equal(t, "100000", budget)
}

// Options of the name make a database, protect it, and are refused when they mean nothing.
func TestSourceOptions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "what?", "db")
	require.NoError(t, os.MkdirAll(filepath.Dir(dir), 0o700))
	run := func(options, statement string) error {
		db, err := sql.Open(Name, dir+options)
		if err != nil {
			return err
		}
		defer db.Close()
		_, err = db.Exec(statement)
		return err
	}
	require.ErrorIs(t, run("?readonly=false", "select 1"), types.CANTOPEN)
	require.NoError(t, run("?create=true", "create table t (id integer primary key)"))
	require.ErrorIs(t, run("?readonly=true", "insert into t values (1)"), types.READONLY)
	require.NoError(t, run("?create=0", "insert into t values (1)"))
	for _, bad := range []string{"?create=perhaps", "?times=none", "?nonsense=1"} {
		require.Error(t, run(bad, "select 1"), bad)
	}
}

func TestIntegersOfAnySize(t *testing.T) {
	db := openMemory(t)
	big, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	var text string
	require.NoError(t, db.QueryRow("select ? + 1", big).Scan(&text))
	require.Equal(t, "123456789012345678901234567891", text)
	require.NoError(t, db.QueryRow("select ?", uint64(1)<<63).Scan(&text))
	require.Equal(t, "9223372036854775808", text)
}

func TestTransactions(t *testing.T) {
	db := openMemory(t)
	_, err := db.Exec("create table t (id integer primary key); insert into t values (1)")
	require.NoError(t, err)
	count := func() (n int) {
		require.NoError(t, db.QueryRow("select count(*) from t").Scan(&n))
		return n
	}
	tx, err := db.Begin()
	require.NoError(t, err)
	_, err = tx.Exec("insert into t values (2)")
	require.NoError(t, err)
	require.Equal(t, 1, count(), "other connections do not see it")
	require.NoError(t, tx.Rollback())
	require.Equal(t, 1, count())

	tx, err = db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelSnapshot})
	require.NoError(t, err)
	stmt, err := tx.Prepare("insert into t values (?)")
	require.NoError(t, err)
	for id := 10; id < 13; id++ {
		_, err = stmt.Exec(id)
		require.NoError(t, err)
	}
	require.NoError(t, tx.Commit())
	require.Equal(t, 4, count())

	_, err = db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelReadCommitted})
	require.ErrorIs(t, err, types.UNSUPPORTED)
	tx, err = db.BeginTx(context.Background(), &sql.TxOptions{ReadOnly: true})
	require.NoError(t, err)
	for _, change := range []string{"insert into t values (99)", "create view v as select 1", "analyze"} {
		_, err = tx.Exec(change)
		require.ErrorIs(t, err, types.READONLY, change)
	}
	require.NoError(t, tx.QueryRow("select count(*) from t").Scan(new(int)))
	require.NoError(t, tx.Commit())

	tx, err = db.BeginTx(context.Background(), &sql.TxOptions{Isolation: sql.LevelSerializable})
	require.NoError(t, err)
	short, cancel := context.WithTimeout(context.Background(), time.Millisecond)
	_, err = db.BeginTx(short, &sql.TxOptions{Isolation: sql.LevelSerializable})
	cancel()
	require.Error(t, err, "the first one holds the right to write")
	_, err = tx.Exec("insert into t values (99)")
	require.NoError(t, err)
	require.NoError(t, tx.Commit())
	require.Equal(t, 5, count())
}

// A pooled connection that a text left in a transaction is given up, so that the next user does not find it there.
func TestForgottenTransaction(t *testing.T) {
	db := openMemory(t)
	db.SetMaxOpenConns(1)
	_, err := db.Exec("create table t (id integer primary key); begin; insert into t values (1)")
	require.NoError(t, err)
	var n int
	require.NoError(t, db.QueryRow("select count(*) from t").Scan(&n))
	require.Zero(t, n)
}

func TestErrorsKeepTheirCode(t *testing.T) {
	db := openMemory(t)
	_, err := db.Exec("create table t (id integer primary key)")
	require.NoError(t, err)
	_, err = db.Exec("insert into t values (1), (1)")
	require.ErrorIs(t, err, types.CONSTRAINT)
	_, err = db.Query("select nosuch from t")
	require.ErrorIs(t, err, types.ERROR)
}

func TestDirectoryAndBorrowedDatabase(t *testing.T) {
	ctx, dir := context.Background(), filepath.Join(t.TempDir(), "db")
	_, err := sqlOpenAndPing(dir)
	require.Error(t, err, "a database that does not exist is not made")

	own, err := engine.OpenDir(ctx, dir, pebble.Options{Create: true}, engine.Options{})
	require.NoError(t, err)
	borrowed := sql.OpenDB(NewConnector(own))
	_, err = borrowed.Exec("create table t (id integer primary key); insert into t values (5)")
	require.NoError(t, err)
	require.NoError(t, borrowed.Close())
	require.NoError(t, own.Close())

	id, err := sqlOpenAndPing(dir)
	require.NoError(t, err)
	require.Equal(t, 5, id)
}

// sqlOpenAndPing reads the one row of t in a database directory.
func sqlOpenAndPing(dir string) (id int, err error) {
	db, err := sql.Open(Name, dir)
	if err != nil {
		return 0, err
	}
	defer db.Close()
	err = db.QueryRow("select id from t").Scan(&id)
	return id, err
}
