package differ

import (
	"cmp"
	"slices"
)

// NoteKind is the code of a note.
type NoteKind string

// The notes. Those that are differences say so in their comment.
const (
	// NoteUnnamedConstraint: a constraint that nobody can address by name is on one side only. A difference.
	NoteUnnamedConstraint NoteKind = "unnamed-constraint"
	// NoteModule: the module that a plain table is declared with is not the one that it is in. A difference.
	NoteModule NoteKind = "module"
	// NoteColumnOrder: the columns stand in another order.
	NoteColumnOrder NoteKind = "column-order"
	// NoteOpenNullability: the declaration leaves NULL or NOT NULL open, and a fresh CREATE would choose the other.
	NoteOpenNullability NoteKind = "open-nullability"
	// NoteConflictAction: the ON CONFLICT action of the key or of NOT NULL differs.
	NoteConflictAction NoteKind = "conflict-action"
	// NoteDeferral: a foreign key is initially deferred on one side only.
	NoteDeferral NoteKind = "deferral"
	// NoteIdleHint: a rename hint of something new names nothing that is there.
	NoteIdleHint NoteKind = "hint-names-nothing"
	// NoteMisplacedHint: a rename hint that names a column belongs to the constraint which it stands behind.
	NoteMisplacedHint NoteKind = "hint-of-constraint"
	// NoteContext: the mutation-context variables differ.
	NoteContext NoteKind = "context"
)

// Note is a finding that no statement carries out: what the comparison leaves alone on purpose (docs/reference/declarative-schema.md), said
// aloud.
type Note struct {
	Kind NoteKind
	// Object is the table, as stored; for a hint of a new object that.
	Object  string
	Message string
	// Difference tells that the schemas are not the same because of it: a plan with such a note is not Empty.
	Difference bool
}

// note appends a note about a table.
func (c *comparison) note(p *tablePair, kind NoteKind, isDifference bool, message string) {
	c.notes = append(c.notes, Note{Kind: kind, Object: p.name, Message: message, Difference: isDifference})
	p.isNoted = p.isNoted || isDifference
}

// sortNotes puts differences first, otherwise leaving the order of discovery: table by table as declared.
func sortNotes(notes []Note) {
	rank := func(n Note) int {
		if n.Difference {
			return 0
		}
		return 1
	}
	slices.SortStableFunc(notes, func(a, b Note) int { return cmp.Compare(rank(a), rank(b)) })
}
