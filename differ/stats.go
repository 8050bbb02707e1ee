package differ

import (
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Stats are facts about the rows at the moment the plan is made. The zero value knows nothing.
type Stats struct {
	// Rows are row counts by folded name of the live table.
	Rows map[string]int64
	// Columns answer the questions of a plan that was made without them (Plan.Questions).
	Columns map[Question]ColumnFacts
}

// Question asks what a live column holds that a plan drops, retypes or makes NOT NULL. Names are folded.
type Question struct {
	Table string
	// Column is "" for a table that is dropped: does it hold anything but NULL?
	Column string
	// To is the type that its values shall convert to, nil to ask only how many there are.
	To *types.Type
}

// ColumnFacts are what a live column holds.
type ColumnFacts struct {
	// Values counts those that are not NULL; of a table that is dropped it is 0 or more.
	Values int64
	// Refused counts the values that do not convert, Lost those that lose something by it (Loses), Changed others that cannot be had
	// back (Changes).
	Refused, Lost, Changed int64
	// LostExamples and ChangedExamples show the first of them, at most MaxExamples.
	LostExamples, ChangedExamples []Example
}

// MaxExamples is how many examples are kept of a kind.
const MaxExamples = 3

// Example is a value that a step changes for good, with the key of its row.
type Example struct {
	Key           types.Row
	Before, After types.Value
}

// Unknown stands for a number of rows that nobody counted.
const Unknown int64 = -1

// rows gives the number of rows of a live table; nil is a table that does not exist yet.
func (s Stats) rows(t *catalog.Table) int64 {
	if t == nil {
		return 0
	}
	if n, ok := s.Rows[types.Fold(t.Name)]; ok {
		return n
	}
	return Unknown
}

// facts gives the answer to the question that a step raises; ok is false when nobody has answered it.
func (c *comparison) facts(s *step) (f ColumnFacts, ok bool) {
	q, asks := c.question(s)
	if !asks {
		return f, false
	}
	f, ok = c.opts.Stats.Columns[q]
	return f, ok
}

// question gives what has to be known about the rows to tell the hazards of a step.
func (c *comparison) question(s *step) (q Question, asks bool) {
	if !c.hasRows(s) {
		return q, false
	}
	q.Table = types.Fold(s.table.Name)
	switch n := s.Stmt.(type) {
	case *ast.DropStmt:
		return q, n.Kind == ast.TableObject && s.table.Maintained == nil
	case *ast.AlterStmt:
		switch a := n.Action.(type) {
		case *ast.DropColumn:
			i := s.pair.after.ColumnIndex(a.Column.Text)
			q.Column = types.Fold(s.table.Columns[i].Name)
			return q, s.table.Columns[i].Generated == nil
		case *ast.SetDataType:
			q.Column, q.To = types.Fold(s.table.Columns[s.column.live].Name), s.column.decl.Type
			return q, s.column.decl.Generated == nil
		case *ast.SetGenerated:
			q.Column = types.Fold(s.table.Columns[s.column.live].Name)
			return q, a.X != nil && s.column.from.Generated == nil
		case *ast.SetNotNull:
			q.Column = types.Fold(s.table.Columns[s.column.live].Name)
			return q, !a.Drop
		}
	}
	return q, false
}

// questions lists what the steps ask and nobody has answered.
func (c *comparison) questions(steps []*step) []Question {
	var out []Question
	for _, s := range steps {
		if q, asks := c.question(s); asks && !slices.Contains(out, q) {
			if _, known := c.opts.Stats.Columns[q]; !known {
				out = append(out, q)
			}
		}
	}
	return out
}
