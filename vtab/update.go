package vtab

import (
	"context"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// RowOpKind is a row operation.
type RowOpKind uint8

// The row operations.
const (
	OpInsert RowOpKind = iota
	OpUpdate
	OpDelete
)

// RowOp is one row operation. Values have their declared types already: conversion happens once, above.
type RowOp struct {
	Kind RowOpKind
	// New is the row to write (insert, update).
	New types.Row
	// Old is the full row as it is stored (update, delete).
	Old types.Row
	// OnConflict is the statement's action for uniqueness conflicts; ConflictDefault leaves it to the violated rule's own.
	OnConflict ast.ConflictAction
}

// Status is the outcome of a row operation.
type Status uint8

// The outcomes. Nothing: a conflict that was resolved by leaving the row out. Conflict: a uniqueness rule is violated; nothing is written.
const (
	Done Status = iota
	Nothing
	Conflict
)

// UpdateResult says what one call did.
type UpdateResult struct {
	Status Status
	// Replaced is the row displaced at the same key by REPLACE; Evicted are rows removed at other keys by it.
	Replaced types.Row
	Evicted  []types.Row
	// Failed describes the violated rule when Status is Conflict.
	Failed *Violation
}

// Violation is a uniqueness conflict.
type Violation struct {
	// Primary is true for the key; else Name is the rule's, "" for an unnamed constraint.
	Primary bool
	Name    string
	// Columns are the rule's members as positions in the table; -1 for an expression.
	Columns []int
	// Message is the text of the error, "UNIQUE constraint failed: t (a, b)".
	Message string
	// Action is the effective action: the statement's, else the rule's own, else ABORT.
	Action ast.ConflictAction
	// Existing is the stored row in the way.
	Existing types.Row
}

// StatisticsProvider is a table that knows its size without a scan. Absent: plans guess at it, and the effects of a migration on the
// table are of an unknown number of rows.
type StatisticsProvider interface {
	// RowCount gives the number of rows, or an estimate with exact false.
	RowCount(ctx context.Context) (n int64, exact bool, err error)
}
