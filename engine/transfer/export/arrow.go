package export

import (
	"io"

	"github.com/apache/arrow-go/v18/arrow"
	"github.com/apache/arrow-go/v18/arrow/array"
	"github.com/apache/arrow-go/v18/arrow/ipc"
	"github.com/apache/arrow-go/v18/arrow/memory"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// batchRows is how many rows a record batch of an Arrow file holds.
const batchRows = 8192

// arrowWriter writes an Arrow IPC file.
type arrowWriter struct {
	columns []engine.Column
	builder *array.RecordBuilder
	file    *ipc.FileWriter
	rows    int
}

func newArrow(w io.Writer, columns []engine.Column) (*arrowWriter, error) {
	list := make([]arrow.Field, len(columns))
	for i, c := range columns {
		list[i] = arrow.Field{Name: c.Name, Type: arrowType(fieldOf(c)), Nullable: c.Nullable}
	}
	schema := arrow.NewSchema(list, nil)
	file, err := ipc.NewFileWriter(w, ipc.WithSchema(schema))
	if err != nil {
		return nil, err
	}
	return &arrowWriter{columns: columns, builder: array.NewRecordBuilder(memory.DefaultAllocator, schema), file: file}, nil
}

func arrowType(f field) arrow.DataType {
	switch f {
	case intField:
		return arrow.PrimitiveTypes.Int64
	case floatField:
		return arrow.PrimitiveTypes.Float64
	case boolField:
		return arrow.FixedWidthTypes.Boolean
	case bytesField:
		return arrow.BinaryTypes.Binary
	case dateField:
		return arrow.FixedWidthTypes.Date32
	}
	return arrow.BinaryTypes.String
}

func (a *arrowWriter) Row(r types.Row) error {
	for i, v := range r {
		if err := a.add(i, v); err != nil {
			return err
		}
	}
	if a.rows++; a.rows < batchRows {
		return nil
	}
	return a.flush()
}

func (a *arrowWriter) add(i int, v types.Value) error {
	to := a.builder.Field(i)
	if v.IsNull() {
		to.AppendNull()
		return nil
	}
	c := a.columns[i]
	switch to := to.(type) {
	case *array.Int64Builder:
		n, err := integer(c, v)
		to.Append(n)
		return err
	case *array.Float64Builder:
		to.Append(v.Float())
	case *array.BooleanBuilder:
		to.Append(v.Bool())
	case *array.BinaryBuilder:
		to.Append(v.Bytes())
	case *array.Date32Builder:
		d, err := days(c, v)
		to.Append(arrow.Date32(d))
		return err
	case *array.StringBuilder:
		to.Append(fieldOf(c).text(v))
	}
	return nil
}

func (a *arrowWriter) flush() error {
	if a.rows == 0 {
		return nil
	}
	a.rows = 0
	batch := a.builder.NewRecordBatch()
	defer batch.Release()
	return a.file.Write(batch)
}

func (a *arrowWriter) Close() error {
	defer a.builder.Release()
	if err := a.flush(); err != nil {
		return err
	}
	return a.file.Close()
}
