// Package limit is the one table of what the engine refuses for its size: how long a value may be, how deep a statement, how much memory
// and time it may take. Everything that checks a limit reads it here, and its error says how the limit is raised.
//
// A limit is checked before the memory is taken or the time is spent.
package limit

import (
	"fmt"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// ID names a limit.
type ID uint8

// The limits, as Table describes them.
const (
	ValueLength ID = iota
	IntegerDigits
	StatementLength
	StatementDepth
	Columns
	CompoundTerms
	Arguments
	PatternLength
	CascadeDepth
	Iterations
	SchemaFileLength
	YAMLExpansion
	StatementTime
	StatementMemory
	DatabaseMemory
	count
)

// Limit describes one limit.
type Limit struct {
	ID ID
	// Name is what --limit takes; Pragma, unless empty, the name of the session option, which is "limit_" and the name for all but the
	// statement's time. A limit without is one of files, which no session reads.
	Name, Pragma string
	// Default holds unless it is set; it is set within Min and Max. Each is in Unit.
	Default, Min, Max int64
	Unit              Unit
	// Code is that of the error beyond the limit.
	Code types.Code
	// Of says what is limited.
	Of string
}

// Unit is what a limit counts.
type Unit uint8

// The units.
const (
	Count        Unit = iota
	Bytes             // written as a number, or with KiB, MiB, GiB
	Milliseconds      // written as a number, or as a duration such as 30s; 0 is no limit
)

const (
	mib = 1 << 20
	gib = 1 << 30
)

// Table lists the limits by ID.
var Table = [count]Limit{
	{ValueLength, "value_length", "limit_value_length", 256 * mib, 1, gib, Bytes, types.TOOBIG,
		"a text, blob or JSON document, in bytes"},
	{IntegerDigits, "integer_digits", "limit_integer_digits", types.MaxIntegerDigits, 20, types.MaxIntegerDigits, Count, types.TOOBIG,
		"the decimal digits of an integer"},
	{StatementLength, "statement_length", "limit_statement_length", 64 * mib, 1, gib, Bytes, types.TOOBIG,
		"one statement of a text, in bytes"},
	{StatementDepth, "statement_depth", "limit_statement_depth", 12_000, 16, 12_000, Count, types.TOOBIG,
		"the levels of a statement: queries, expressions and brackets within one another"},
	{Columns, "columns", "limit_columns", 32_767, 1, 1_000_000, Count, types.TOOBIG,
		"the columns of a table or of a query's result"},
	{CompoundTerms, "compound_terms", "limit_compound_terms", 12_000, 1, 12_000, Count, types.TOOBIG,
		"the queries that UNION, INTERSECT, EXCEPT and DIFF join in one query"},
	{Arguments, "arguments", "limit_arguments", 32_767, 1, 1_000_000, Count, types.TOOBIG,
		"the arguments of a function"},
	{PatternLength, "pattern_length", "limit_pattern_length", 50_000, 1, 16 * mib, Bytes, types.TOOBIG,
		"the pattern of LIKE, GLOB or REGEXP, in bytes"},
	{CascadeDepth, "cascade_depth", "limit_cascade_depth", 1 << 20, 1, 1_000_000_000_000, Count, types.CONSTRAINT,
		"the rounds in which the actions of foreign keys lead to further ones"},
	{Iterations, "iterations", "limit_iterations", 10_000, 0, 1_000_000_000_000, Count, types.ERROR,
		"the rounds of a recursive query that says nothing of its own with OPTION (MAXRECURSION n); 0 is no limit"},
	{SchemaFileLength, "schema_file_length", "", 64 * mib, 1, gib, Bytes, types.TOOBIG,
		"a schema file, in bytes"},
	{YAMLExpansion, "yaml_expansion", "", 1_000_000, 1, 1_000_000_000, Count, types.TOOBIG,
		"the nodes that the aliases of a YAML file stand for"},
	{StatementTime, "statement_timeout", "statement_timeout", 0, 0, 1_000_000_000, Milliseconds, types.INTERRUPT,
		"the time of a statement; 0 is no limit"},
	{StatementMemory, "statement_memory", "limit_statement_memory", gib, mib, 1 << 50, Bytes, types.NOMEM,
		"what a statement holds in memory that cannot go to disk: large values and the lists of aggregates"},
	{DatabaseMemory, "database_memory", "", 4 * gib, mib, 1 << 50, Bytes, types.NOMEM,
		"the same of all statements of a database together"},
}

// Find finds a limit by name; ok is false when there is none.
func Find(name string) (l Limit, ok bool) {
	for _, l := range Table {
		if l.Name == types.Fold(name) {
			return l, true
		}
	}
	return Limit{}, false
}

// Names lists the names of the limits in their order.
func Names() []string {
	names := make([]string, len(Table))
	for i, l := range Table {
		names[i] = l.Name
	}
	return names
}

// Set holds a value for every limit. A nil *Set holds the defaults. It is safe for concurrent reads.
type Set [count]int64

// Defaults gives the limits that hold unless something is said.
func Defaults() *Set {
	s := new(Set)
	for i, l := range Table {
		s[i] = l.Default
	}
	return s
}

// Of gives the value of a limit.
func (s *Set) Of(id ID) int64 {
	if s == nil {
		return Table[id].Default
	}
	return s[id]
}

// Check fails when n is beyond a limit. what names the thing that is, as the subject of the message: "the result".
func (s *Set) Check(id ID, n int64, what string) error {
	if limit := s.Of(id); n <= limit {
		return nil
	}
	return s.Exceeded(id, "%s would have %d %s", what, n, Table[id].noun())
}

// noun is what the limit counts, in messages.
func (l *Limit) noun() string {
	switch {
	case l.Unit == Bytes:
		return "bytes"
	case l.ID == IntegerDigits:
		return "digits"
	}
	return strings.ReplaceAll(l.Name, "_", " ")
}

// Exceeded is the error of going beyond a limit: its code, the message, and a hint that names the limit and how to raise it.
func (s *Set) Exceeded(id ID, format string, args ...any) *types.Error {
	l, at := &Table[id], s.Of(id)
	e := types.Errorf(l.Code, format, args...)
	e.Hint = fmt.Sprintf("the limit %s is %s: ", l.Name, l.Format(at)) + l.remedy(at)
	return e
}

// remedy says how a limit that is at a value is raised.
func (l *Limit) remedy(at int64) string {
	switch {
	case at >= l.Max:
		return "it cannot be raised"
	case l.Pragma == "":
		return fmt.Sprintf("raise it with --limit %s=N", l.Name)
	case l.ID == StatementTime:
		return "raise it with pragma statement_timeout = N or --statement-timeout"
	}
	return fmt.Sprintf("raise it with pragma %s = N or --limit %s=N", l.Pragma, l.Name)
}
