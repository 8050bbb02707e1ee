// Package export writes rows in the forms of other programs: CSV, JSON lines, Arrow and Parquet.
package export

import (
	"io"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// Writer writes the rows of one relation. It keeps no row beyond the call that hands it over, and memory for a batch of them at most. It
// is used by one goroutine at a time.
type Writer interface {
	// Row writes a row; its values are in step with the columns.
	Row(types.Row) error
	// Close writes what is left. It does not close what is written to.
	Close() error
}

// Options say how rows are written.
type Options struct {
	// CSVSafe writes texts that a spreadsheet would take for a formula with an apostrophe before them.
	CSVSafe bool
}

// Formats are the names of the forms, each with the ending of its files.
var Formats = map[string]string{"csv": ".csv", "jsonl": ".jsonl", "arrow": ".arrow", "parquet": ".parquet"}

// NewWriter begins to write rows of the columns in a format of Formats; MISUSE for any other.
func NewWriter(format string, w io.Writer, columns []engine.Column, o Options) (Writer, error) {
	switch format {
	case "csv":
		return newCSV(w, columns, o)
	case "jsonl":
		return newJSONLines(w, columns), nil
	case "arrow":
		return newArrow(w, columns)
	case "parquet":
		return newParquet(w, columns)
	}
	return nil, types.Errorf(types.MISUSE, "there is no format %s to export to", format)
}
