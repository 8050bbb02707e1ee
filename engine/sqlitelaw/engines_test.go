package sqlitelaw

import (
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	_ "modernc.org/sqlite"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

var ctx = context.Background()

// both are two empty databases that are to answer alike.
type both struct {
	*rapid.T
	lite *sql.DB
	db   *engine.DB
	conn *engine.Conn
	log  []string // what was done to both, in the words of each
}

func start(t *rapid.T) *both {
	lite, err := sql.Open("sqlite", ":memory:")
	require.NoError(t, err)
	lite.SetMaxOpenConns(1)
	db, err := engine.OpenMemory(ctx, engine.Options{})
	require.NoError(t, err)
	return &both{T: t, lite: lite, db: db, conn: db.Conn()}
}

func (b *both) end() {
	b.lite.Close()
	b.conn.Close()
	b.db.Close()
}

// do runs a statement on both, in the words of each.
func (b *both) do(here, there string) {
	b.log = append(b.log, here+";")
	_, err := b.conn.Exec(ctx, here, engine.Params{})
	require.NoError(b, err, here)
	_, err = b.lite.Exec(there)
	require.NoError(b, err, there)
}

// compare asks both the same.
func (b *both) compare(query string, ordered bool) {
	want, errThere := b.askThere(query)
	got, errHere := b.askHere(query)
	if errThere != nil && errHere != nil {
		return
	}
	history := strings.Join(b.log, "\n")
	require.NoError(b, errHere, "%s\n%s;", history, query)
	require.NoError(b, errThere, "%s\n%s;", history, query)
	if !ordered {
		slices.Sort(want)
		slices.Sort(got)
	}
	require.Equal(b, want, got, "want SQLite's, got ours\n%s\n%s;", history, query)
}

// askHere gives the rows of our answer as texts.
func (b *both) askHere(query string) ([]string, error) {
	rows, err := b.conn.Query(ctx, query, engine.Params{})
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	var out []string
	for {
		row, err := rows.Next()
		if err != nil || row == nil {
			return out, err
		}
		cells := make([]string, len(row))
		for i, v := range row {
			cells[i] = cellHere(v)
		}
		out = append(out, strings.Join(cells, "|"))
	}
}

func cellHere(v types.Value) string {
	switch v.Kind() {
	case types.KindNull:
		return "null"
	case types.KindBoolean:
		if v.Bool() {
			return "1"
		}
		return "0"
	case types.KindReal:
		return realText(v.Float())
	case types.KindText:
		return fmt.Sprintf("%q", v.Str())
	}
	return types.ToText(v)
}

// realText writes a real so that whole ones equal integers and the last digits, which depend on the order of sums, do not count.
func realText(f float64) string {
	if f == math.Trunc(f) && math.Abs(f) < 1e15 {
		return fmt.Sprintf("%d", int64(f))
	}
	return fmt.Sprintf("%.10g", f)
}

// askThere gives the rows of SQLite's answer as texts.
func (b *both) askThere(query string) ([]string, error) {
	rows, err := b.lite.Query(query)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	cols, err := rows.Columns()
	if err != nil {
		return nil, err
	}
	var out []string
	values := make([]any, len(cols))
	at := make([]any, len(cols))
	for i := range values {
		at[i] = &values[i]
	}
	for rows.Next() {
		if err := rows.Scan(at...); err != nil {
			return nil, err
		}
		cells := make([]string, len(values))
		for i, v := range values {
			cells[i] = cellThere(v)
		}
		out = append(out, strings.Join(cells, "|"))
	}
	return out, rows.Err()
}

func cellThere(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case float64:
		return realText(v)
	case string:
		return fmt.Sprintf("%q", v)
	case []byte:
		return fmt.Sprintf("%q", string(v))
	case bool:
		if v {
			return "1"
		}
		return "0"
	}
	return fmt.Sprint(v)
}
