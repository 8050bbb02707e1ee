package export_test

import (
	"bytes"
	"context"
	"testing"

	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/transfer/export"
	"github.com/quereus/quereus-migrate/types"
)

// written gives what a format makes of the rows of a query over a table with a column of each type.
func written(t *testing.T, format, query string, o export.Options) (*bytes.Buffer, error) {
	db, err := engine.OpenMemory(context.Background(), engine.Options{})
	require.NoError(t, err)
	defer db.Close()
	conn := db.Conn()
	defer conn.Close()
	_, err = conn.Exec(context.Background(), `
		create table v (id integer primary key, z text null, f real null, ok boolean null, b blob null, d date null, at datetime null, j json null, x any null, n numeric null);
		insert into v values (1, 'Ann, "A"', 1.5, true, x'00ff', '2024-02-29', '2024-02-29T12:00:00', '{"a": [1]}', x'01', 12345678901234567890),
			(2, null, null, null, null, null, null, null, null, null), (3, '', -0.25, false, x'', '1969-12-31', null, '[]', 'text', 2.5)`, engine.Params{})
	require.NoError(t, err)
	rows, err := conn.Query(context.Background(), query, engine.Params{})
	require.NoError(t, err)
	defer rows.Close()
	var out bytes.Buffer
	w, err := export.NewWriter(format, &out, rows.ColumnTypes(), o)
	require.NoError(t, err)
	for {
		row, err := rows.Next()
		require.NoError(t, err)
		if row == nil {
			return &out, w.Close()
		}
		if err := w.Row(row); err != nil {
			return nil, err
		}
	}
}

func TestCSV(t *testing.T) {
	out, err := written(t, "csv", "select * from v", export.Options{})
	require.NoError(t, err)
	require.Equal(t, `id,z,f,ok,b,d,at,j,x,n
1,"Ann, ""A""",1.5,true,00ff,2024-02-29,2024-02-29T12:00:00,"{""a"":[1]}",01,12345678901234567890
2,,,,,,,,,
3,"",-0.25,false,,1969-12-31,,[],text,2.5
`, out.String())
}

func TestCSVSafe(t *testing.T) {
	out, err := written(t, "csv", "select '=1+1' as \"@a\", -5 as n, '\tx' as t, 'plain' as p", export.Options{CSVSafe: true})
	require.NoError(t, err)
	require.Equal(t, "'@a,n,t,p\n'=1+1,-5,'\tx,plain\n", out.String())
}

func TestJSONLines(t *testing.T) {
	out, err := written(t, "jsonl", "select id, z, b, j, n from v where id < 3", export.Options{})
	require.NoError(t, err)
	require.Equal(t, `{"id":1,"z":"Ann, \"A\"","b":{"$blob":"00ff"},"j":{"a":[1]},"n":12345678901234567890}
{"id":2,"z":null,"b":null,"j":null,"n":null}
`, out.String())
}

func TestArrow(t *testing.T) {
	out, err := written(t, "arrow", "select * from v", export.Options{})
	require.NoError(t, err)
	r, err := ipc.NewFileReader(bytes.NewReader(out.Bytes()))
	require.NoError(t, err)
	require.False(t, r.Schema().Field(0).Nullable)
	require.True(t, r.Schema().Field(1).Nullable)
	batch, err := r.RecordBatch(0)
	require.NoError(t, err)
	defer batch.Release()
	require.EqualValues(t, 3, batch.NumRows())
	var got []string
	for i := range int(batch.NumCols()) {
		c := batch.Column(i)
		require.Equal(t, i > 0, c.IsNull(1), r.Schema().Field(i).Name)
		got = append(got, r.Schema().Field(i).Type.String()+" "+c.ValueStr(0))
	}
	require.Equal(t, []string{
		"int64 1", `utf8 Ann, "A"`, "float64 1.5", "bool true", "binary AP8=", "date32 2024-02-29", "utf8 2024-02-29T12:00:00", `utf8 {"a":[1]}`,
		`utf8 {"$blob":"01"}`, "utf8 12345678901234567890",
	}, got)
	require.Equal(t, "1969-12-31", batch.Column(5).(*array.Date32).ValueStr(2))
}

func TestParquet(t *testing.T) {
	out, err := written(t, "parquet", "select * from v", export.Options{})
	require.NoError(t, err)
	f, err := parquet.OpenFile(bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	var names []string
	for _, c := range f.Schema().Fields() {
		names = append(names, c.Name())
	}
	require.Equal(t, []string{"id", "z", "f", "ok", "b", "d", "at", "j", "x", "n"}, names)
	rows := make([]parquet.Row, 4)
	n, _ := f.RowGroups()[0].Rows().ReadRows(rows)
	require.Equal(t, 3, n)
	var got []string
	for _, v := range rows[0] {
		got = append(got, v.String())
	}
	require.Equal(t, []string{
		"1", `Ann, "A"`, "1.5", "true", "\x00\xff", "19782", "2024-02-29T12:00:00", `{"a":[1]}`, `{"$blob":"01"}`, "12345678901234567890",
	}, got)
	for i, v := range rows[1] {
		require.Equal(t, i > 0, v.IsNull(), names[i])
	}
	require.EqualValues(t, -1, rows[2][5].Int32())
}

func TestIntegersBeyondTheFormat(t *testing.T) {
	for _, format := range []string{"arrow", "parquet"} {
		_, err := written(t, format, "select 9223372036854775807 + 1 as big", export.Options{})
		require.Equal(t, types.MISMATCH, types.CodeOf(err), format)
	}
}
