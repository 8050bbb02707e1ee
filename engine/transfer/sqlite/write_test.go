package sqlite_test

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/transfer"
	"github.com/quereus/quereus-migrate/engine/transfer/sqlite"
	"github.com/quereus/quereus-migrate/types"
)

var ctx = context.Background()

// export writes what a script makes, and runs the text on SQLite.
func export(t require.TestingT, script string) (*engine.Conn, *sql.DB, []transfer.Note) {
	db, err := engine.OpenMemory(ctx, engine.Options{})
	require.NoError(t, err)
	conn := db.Conn()
	_, err = conn.Exec(ctx, script, engine.Params{})
	require.NoError(t, err, script)
	cat, err := conn.Catalog()
	require.NoError(t, err)
	var text bytes.Buffer
	notes, err := sqlite.Write(ctx, conn, &text, sqlite.WriteOptions{Schema: "main", Tables: cat.TablesInOrder("main")})
	require.NoError(t, err)
	there, err := sql.Open("sqlite", ":memory:")
	require.NoError(t, err)
	there.SetMaxOpenConns(1)
	_, err = there.Exec(text.String())
	require.NoError(t, err, text.String())
	return conn, there, notes
}

func TestWriteNotesWhatSQLiteHasNot(t *testing.T) {
	_, there, notes := export(t, `
		create table p (id integer primary key, n integer null, check on insert (n > 0), check (n in (select n from p)), m integer not null default (new.id + 1), w text null generated always as (lpad('x', 3, ' ')));
		insert into p (id, n) values (1, null);
		create view v as select id from p diff select 1;
		create view ok as select id, n from p;
		create assertion a check ((select count(*) from p) < 9)`)
	var got []string
	for _, n := range notes {
		got = append(got, string(n.Kind)+" "+n.Object+": "+n.Text)
	}
	require.Equal(t, []string{
		"left out p: DEFAULT (\"new\".\"id\" + 1)", "left out p: GENERATED ALWAYS AS (lpad('x', 3, ' ')) VIRTUAL", "left out p: check on insert (n > 0)",
		"left out p: check (n in (select n from p))", "left out v: create view \"v\" as select \"id\" from \"p\" diff select 1",
		"left out a: create assertion main.a check ((select count(*) from p) < 9)",
	}, got)
	var m int
	var w string
	require.NoError(t, there.QueryRow("select m, w from p").Scan(&m, &w), "what is computed here is a value there")
	require.Equal(t, 2, m)
	require.Equal(t, "  x", w)
}

// TestWrittenRowsAreThere writes random rows of all types, and reads them back from SQLite.
func TestWrittenRowsAreThere(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var script strings.Builder
		script.WriteString(`create table "Odd ""table" (k integer null, t text null collate nocase, r real null, b blob null, o boolean null, d date null, j json null, x any null, "group" numeric null, primary key (k))`)
		for range rapid.IntRange(0, 20).Draw(t, "rows") {
			text := rapid.SampledFrom([]string{"''", "'it''s'", "'é\u202e'", "'a\nb'", "'12'", "'1e5'", "cast(x'610062' as text)"})
			fmt.Fprintf(&script, `; insert or ignore into "Odd ""table" values (%s, %s, %s, %s, %s, %s, %s, %s, %s)`,
				rapid.SampledFrom([]string{"null", "0", "-7", "9223372036854775807", "42"}).Draw(t, "k"), text.Draw(t, "t"),
				rapid.SampledFrom([]string{"0.1", "-1e300", "3.0", "1e999", "null"}).Draw(t, "r"), rapid.SampledFrom([]string{"x''", "x'00ff'", "null"}).Draw(t, "b"),
				rapid.SampledFrom([]string{"true", "false", "null"}).Draw(t, "o"), rapid.SampledFrom([]string{"'2024-02-29'", "null"}).Draw(t, "d"),
				rapid.SampledFrom([]string{`'{"a":"x''y"}'`, "'[]'", "null"}).Draw(t, "j"), rapid.OneOf(text, rapid.SampledFrom([]string{"5", "x'01'", "null"})).Draw(t, "x"),
				rapid.SampledFrom([]string{"5", "2.5", "null"}).Draw(t, "n"))
		}
		conn, there, notes := export(t, script.String())
		defer conn.DB().Close()
		defer there.Close()
		require.Empty(t, notes)
		const query = `select k, t, r, b, o, d, j, x, "group", typeof(x) from "Odd ""table" order by k, t collate binary`
		require.Equal(t, literals(t, ours(t, conn, query)), theirs(t, there, query))
	})
}

func ours(t require.TestingT, conn *engine.Conn, query string) (out []types.Row) {
	rows, err := conn.Query(ctx, query, engine.Params{})
	require.NoError(t, err)
	defer rows.Close()
	for {
		row, err := rows.Next()
		require.NoError(t, err)
		if row == nil {
			return out
		}
		out = append(out, row.Clone())
	}
}

// literals spells values as theirs does.
func literals(t require.TestingT, rows []types.Row) (out []string) {
	for _, r := range rows {
		line := ""
		for _, v := range r {
			switch v.Kind() {
			case types.KindBlob:
				line += fmt.Sprintf("%x ", v.Bytes())
			case types.KindBoolean:
				line += map[bool]string{true: "1 ", false: "0 "}[v.Bool()]
			case types.KindReal:
				line += fmt.Sprint(v.Float(), " ")
			case types.KindNull:
				line += "<nil> "
			case types.KindText:
				line += string(ast.AppendString(nil, v.Str())) + " "
			case types.KindJSON:
				line += string(ast.AppendString(nil, types.ToText(v))) + " "
			default:
				line += types.ToText(v) + " "
			}
		}
		out = append(out, line)
	}
	return out
}

func theirs(t require.TestingT, db *sql.DB, query string) (out []string) {
	rows, err := db.Query(query)
	require.NoError(t, err)
	defer rows.Close()
	names, err := rows.Columns()
	require.NoError(t, err)
	for rows.Next() {
		values, to := make([]any, len(names)), make([]any, len(names))
		for i := range to {
			to[i] = &values[i]
		}
		require.NoError(t, rows.Scan(to...))
		line := ""
		for _, v := range values {
			switch v := v.(type) {
			case []byte:
				line += fmt.Sprintf("%x ", v)
			case string:
				line += string(ast.AppendString(nil, v)) + " "
			case bool:
				line += map[bool]string{true: "1 ", false: "0 "}[v]
			default:
				line += fmt.Sprint(v, " ")
			}
		}
		out = append(out, line)
	}
	require.NoError(t, rows.Err())
	return out
}
