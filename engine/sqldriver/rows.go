package sqldriver

import (
	"database/sql"
	"database/sql/driver"
	"io"
	"reflect"
	"time"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// rows are the rows of a query.
type rows struct {
	r       *engine.Rows
	columns []engine.Column
	// layouts are the forms in which the columns' moments are written, "" for columns of other types.
	layouts []string
}

var (
	_ driver.RowsColumnTypeDatabaseTypeName = (*rows)(nil)
	_ driver.RowsColumnTypeNullable         = (*rows)(nil)
	_ driver.RowsColumnTypeScanType         = (*rows)(nil)
)

func newRows(r *engine.Rows, textTimes bool) *rows {
	out := &rows{r: r, columns: r.ColumnTypes()}
	out.layouts = make([]string, len(out.columns))
	if textTimes {
		return out
	}
	for i, c := range out.columns {
		switch c.Type {
		case types.TypeDate:
			out.layouts[i] = time.DateOnly
		case types.TypeDatetime:
			out.layouts[i] = "2006-01-02T15:04:05.999999999"
		}
	}
	return out
}

// Columns implements driver.Rows.
func (r *rows) Columns() []string { return r.r.Columns() }

// ColumnTypeDatabaseTypeName gives the logical type of a column.
func (r *rows) ColumnTypeDatabaseTypeName(i int) string { return r.columns[i].Type.Name }

// ColumnTypeNullable tells whether a column may be NULL.
func (r *rows) ColumnTypeNullable(i int) (nullable, ok bool) { return r.columns[i].Nullable, true }

// scanTypes are the Go types of storage classes: of columns without NULLs, and of those with.
var scanTypes = map[types.Kind][2]reflect.Type{
	types.KindBoolean: {reflect.TypeFor[bool](), reflect.TypeFor[sql.NullBool]()},
	types.KindInteger: {reflect.TypeFor[int64](), reflect.TypeFor[sql.NullInt64]()},
	types.KindReal:    {reflect.TypeFor[float64](), reflect.TypeFor[sql.NullFloat64]()},
	types.KindText:    {reflect.TypeFor[string](), reflect.TypeFor[sql.NullString]()},
	types.KindJSON:    {reflect.TypeFor[string](), reflect.TypeFor[sql.NullString]()},
	types.KindBlob:    {reflect.TypeFor[[]byte](), reflect.TypeFor[[]byte]()},
}

// ColumnTypeScanType gives a Go type that every value of a column can be scanned into, integers beyond int64 aside; any where there is none.
func (r *rows) ColumnTypeScanType(i int) reflect.Type {
	c := r.columns[i]
	at := 0
	if c.Nullable {
		at = 1
	}
	if r.layouts[i] != "" {
		return [2]reflect.Type{reflect.TypeFor[time.Time](), reflect.TypeFor[sql.NullTime]()}[at]
	}
	found, ok := scanTypes[c.Type.Class]
	if !ok || c.Type == types.TypeNumeric { // which holds integers and reals
		return reflect.TypeFor[any]()
	}
	return found[at]
}

// Close implements driver.Rows.
func (r *rows) Close() error { return r.r.Close() }

// Next implements driver.Rows.
func (r *rows) Next(dest []driver.Value) error {
	row, err := r.r.Next()
	if err != nil {
		return err
	}
	if row == nil {
		return io.EOF
	}
	for i, v := range row {
		dest[i] = out(v)
		if text, ok := dest[i].(string); ok && r.layouts[i] != "" {
			if at, err := time.Parse(r.layouts[i], text); err == nil {
				dest[i] = at
			}
		}
	}
	return nil
}
