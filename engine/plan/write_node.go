package plan

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Change is a node that changes rows: Insert, Update or Delete. Its rows are those of RETURNING; the change is carried out as a
// whole when the node is opened, which happens once a run.
type Change interface {
	Node
	// Writing gives what all changes have.
	Writing() *Write
}

// Write is what the three kinds of change have in common.
type Write struct {
	common
	// Source makes the rows to insert, or the target's rows to change. It reads the state from before the statement.
	Source Node
	// Rules are what the written row goes through.
	Rules *Rules
	// Or is the action of the statement's OR clause; only an Insert has one.
	Or ast.ConflictAction
	// Context are the values of the table's context variables, in their order.
	Context []ContextValue
	// Returning computes the answer over the frame of Rules. It is empty without RETURNING.
	Returning []Item
	// All are Rules and the rules that foreign-key actions and upserts lead to, each once.
	All []*Rules
}

// Writing gives the Write itself, for the nodes that embed one.
func (w *Write) Writing() *Write { return w }

// Output lists the columns of RETURNING.
func (w *Write) Output() []Column { return itemColumns(w.Returning) }

// ContextValue is the value of a context variable: computed once a statement and converted to the variable's type. X is nil for one
// that is not supplied, which reads NULL.
type ContextValue struct {
	Variable *catalog.ContextVar
	X        Expr
}

// Insert writes the rows of its source as new ones.
type Insert struct {
	Write
	// Columns are the target's columns that the source supplies, by its columns.
	Columns []int
	// Omitted are the ways in which columns are left out, and OmittedBy tells by source row which one is its own; a source that
	// is no VALUES, or has no DEFAULT among its cells, has one way and no OmittedBy.
	Omitted   []Defaults
	OmittedBy []int
	Upserts   []*Upsert
}

// Defaults are the columns that a row leaves out, with what fills them; X is nil where that is NULL.
type Defaults []Computed

// Computed is a column of the target with the expression that gives its value, converted to the column's type unless that is the
// static type of X.
type Computed struct {
	Column int
	X      Expr
}

// Upsert is an ON CONFLICT clause.
type Upsert struct {
	// Targets are the rules that the clause speaks of, each by columns and comparisons. Any tells that it has no target and
	// catches every conflict.
	Targets []UpsertTarget
	Any     bool
	// Rules are those of the row that DO UPDATE writes; nil for DO NOTHING. Set and Where read the stored row as Rules.Old and
	// the proposed one as Rules.New of the Insert.
	Rules *Rules
	Set   []Computed
	Where Expr
}

// UpsertTarget is a uniqueness rule that a clause names.
type UpsertTarget struct {
	Columns []int
	By      []types.Comparator
	// Nulls tells that NULLs are equal under the rule: the primary key.
	Nulls bool
}

// Update changes rows of its target.
type Update struct {
	Write
	// Set is computed over the rows of Source, among whose columns Rules.Old are.
	Set []Computed
	// Present finds the rows of the target as they are when their turn comes; it is set when another part of the statement may
	// have changed them, whose changes to other columns must stay. nil otherwise.
	Present *Probe
}

// Delete removes rows of its target. Rules.Old are columns of Source.
type Delete struct{ Write }

// Rules are what a row of one table goes through when it is inserted, updated or deleted: what is computed, what is checked, and
// what follows for the rows of other tables. The expressions read a frame: the columns New, Old and Context one behind the other.
type Rules struct {
	Table             *catalog.Table
	Op                ast.Operations
	New, Old, Context []Column
	// Generated are in an order in which each can be computed after those it reads.
	Generated []Computed
	NotNull   []NotNull
	Checks    []*Check
	// References are the table's own foreign keys, for rows that are written.
	References []*Reference
	// Changed and Gone are the foreign keys that refer to the table, as far as the operation may change the referenced values of a
	// row, or remove one.
	Changed, Gone []*Action
}

// NotNull is a column that must not be NULL.
type NotNull struct {
	Column int
	Action ast.ConflictAction // never ConflictDefault
	// Substitute takes the place of NULL under REPLACE; nil for none.
	Substitute Expr
}

// Check is a CHECK that applies to an operation.
type Check struct {
	// Position is that in the table's Checks.
	Position int
	// Message is the text of the violation.
	Message string
	Action  ast.ConflictAction // never ConflictDefault
	// X is evaluated when the row is written; Deferred at commit. One of them is nil.
	X        Expr
	Deferred *TableExpr
}

// Reference is the child's side of a foreign key.
type Reference struct {
	Child *catalog.Table
	Key   *catalog.ForeignKey
	// Parent is nil when there is no such table, and Find too then.
	Parent *catalog.Table
	// ParentColumns are the referenced columns, in the order of Key.Columns.
	ParentColumns []int
	// Find tells which of the child's values have a parent.
	Find *Probe
	// AtOnce is set when the key is judged before each row is written and not at commit.
	AtOnce bool
	Action ast.ConflictAction // never ConflictDefault
	// Catalog is what the names were looked up in.
	Catalog *catalog.Snapshot
}

// Action is the parent's side of a foreign key: what happens to the rows that hold a referenced value when it changes or goes.
type Action struct {
	Child, Parent *catalog.Table
	Key           *catalog.ForeignKey
	ParentColumns []int
	// Op is OnDelete or OnUpdate.
	Op ast.Operations
	Do ast.FKAction
	// Find finds the child's rows by referenced values.
	Find *Probe
	// Rules are those of the child's row; nil for RESTRICT.
	Rules *Rules
	// Set are the child's columns that are written: to X over the frame of Rules, nil for NULL, and under CASCADE to the parent's new
	// values.
	Set []Computed
}

// Probe looks rows of a table up by a list of keys: its plan reads Keys, and gives for each match the number of the key, then the
// row's columns if Rows is set. A key that holds NULL matches nothing.
type Probe struct {
	Table *catalog.Table
	// Columns are the table's columns that are compared, Keys those of the list, with one behind them for the number.
	Columns []int
	Keys    *WorkRead
	// By says how each pair compares.
	By []Order
	// Rows asks for the rows, not only for the keys that are there; InOrder for those of a key before those of the next.
	Rows, InOrder bool
	// NullSafe finds NULL by NULL.
	NullSafe bool
	Plan     *Plan
}

// changeReads lists the columns of the source that a change reads besides those of its expressions: all that the row is made of.
func changeReads(c Change) []Column {
	if _, ok := c.(*Insert); ok {
		return c.Writing().Source.Output()
	}
	return c.Writing().Rules.Old
}

// frame lists the columns that the expressions of rules read.
func (r *Rules) frame() []Column {
	out := make([]Column, 0, len(r.New)+len(r.Old)+len(r.Context))
	return append(append(append(out, r.New...), r.Old...), r.Context...)
}

// eachChangeExpr shows f the slots of the expressions of a change and of all rules that it leads to.
func eachChangeExpr(c Change, f func(slot *Expr)) {
	w := c.Writing()
	for i := range w.Context {
		one(&w.Context[i].X, f)
	}
	switch c := c.(type) {
	case *Insert:
		for _, d := range c.Omitted {
			eachComputed(d, f)
		}
		for _, u := range c.Upserts {
			eachComputed(u.Set, f)
			one(&u.Where, f)
		}
	case *Update:
		eachComputed(c.Set, f)
	}
	for _, r := range w.All {
		r.eachExpr(f)
	}
	eachItem(w.Returning, f)
}

func (r *Rules) eachExpr(f func(slot *Expr)) {
	eachComputed(r.Generated, f)
	for i := range r.NotNull {
		one(&r.NotNull[i].Substitute, f)
	}
	for _, c := range r.Checks {
		one(&c.X, f)
	}
	for _, list := range [][]*Action{r.Changed, r.Gone} {
		for _, a := range list {
			eachComputed(a.Set, f)
		}
	}
}

func eachComputed(list []Computed, f func(slot *Expr)) {
	for i := range list {
		one(&list[i].X, f)
	}
}
