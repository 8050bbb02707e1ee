package export

import (
	"io"
	"slices"

	"github.com/parquet-go/parquet-go"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// groupRows is how many rows a row group of a Parquet file holds: they are in memory until it is full.
const groupRows = 64 << 10

// parquetWriter writes a Parquet file.
type parquetWriter struct {
	columns []engine.Column
	file    *parquet.GenericWriter[any]
	row     parquet.Row
	rows    int
}

func newParquet(w io.Writer, columns []engine.Column) (*parquetWriter, error) {
	group := inOrder{Group: parquet.Group{}}
	for _, c := range columns {
		if _, isTwice := group.Group[c.Name]; isTwice {
			return nil, types.Errorf(types.MISUSE, "two columns have the name %s", c.Name)
		}
		node := parquetNode(fieldOf(c))
		if c.Nullable {
			node = parquet.Optional(node)
		}
		group.Group[c.Name], group.names = node, append(group.names, c.Name)
	}
	file := parquet.NewGenericWriter[any](w, parquet.NewSchema("row", group), parquet.Compression(&parquet.Snappy))
	return &parquetWriter{columns: columns, file: file, row: make(parquet.Row, len(columns))}, nil
}

// inOrder is a group whose fields keep the order of the columns: a plain one sorts them by name.
type inOrder struct {
	parquet.Group
	names []string
}

func (g inOrder) Fields() []parquet.Field {
	list := g.Group.Fields()
	slices.SortFunc(list, func(a, b parquet.Field) int { return slices.Index(g.names, a.Name()) - slices.Index(g.names, b.Name()) })
	return list
}

func parquetNode(f field) parquet.Node {
	switch f {
	case intField:
		return parquet.Int(64)
	case floatField:
		return parquet.Leaf(parquet.DoubleType)
	case boolField:
		return parquet.Leaf(parquet.BooleanType)
	case bytesField:
		return parquet.Leaf(parquet.ByteArrayType)
	case dateField:
		return parquet.Date()
	case anyField:
		return parquet.JSON()
	}
	return parquet.String()
}

func (p *parquetWriter) Row(r types.Row) error {
	for i, v := range r {
		value, err := p.value(i, v)
		if err != nil {
			return err
		}
		level := 0
		if p.columns[i].Nullable && !v.IsNull() {
			level = 1
		}
		p.row[i] = value.Level(0, level, i)
	}
	if _, err := p.file.WriteRows([]parquet.Row{p.row}); err != nil {
		return err
	}
	if p.rows++; p.rows%groupRows == 0 {
		return p.file.Flush()
	}
	return nil
}

func (p *parquetWriter) value(i int, v types.Value) (parquet.Value, error) {
	if v.IsNull() {
		return parquet.NullValue(), nil
	}
	c := p.columns[i]
	switch f := fieldOf(c); f {
	case intField:
		n, err := integer(c, v)
		return parquet.Int64Value(n), err
	case floatField:
		return parquet.DoubleValue(v.Float()), nil
	case boolField:
		return parquet.BooleanValue(v.Bool()), nil
	case bytesField:
		return parquet.ByteArrayValue(v.Bytes()), nil
	case dateField:
		d, err := days(c, v)
		return parquet.Int32Value(d), err
	default:
		return parquet.ByteArrayValue([]byte(f.text(v))), nil
	}
}

func (p *parquetWriter) Close() error { return p.file.Close() }
