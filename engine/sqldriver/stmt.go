package sqldriver

import (
	"context"
	"database/sql/driver"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// stmt is a prepared statement.
type stmt struct {
	s         *engine.Stmt
	textTimes bool
}

var (
	_ driver.StmtExecContext  = (*stmt)(nil)
	_ driver.StmtQueryContext = (*stmt)(nil)
)

// Close implements driver.Stmt; a statement holds nothing between runs.
func (s *stmt) Close() error { return nil }

// NumInput implements driver.Stmt: the engine counts parameters when it reads them.
func (s *stmt) NumInput() int { return -1 }

// Exec implements driver.Stmt.
func (s *stmt) Exec(args []driver.Value) (driver.Result, error) {
	return s.ExecContext(context.Background(), named(args))
}

// Query implements driver.Stmt.
func (s *stmt) Query(args []driver.Value) (driver.Rows, error) {
	return s.QueryContext(context.Background(), named(args))
}

// ExecContext implements driver.StmtExecContext.
func (s *stmt) ExecContext(ctx context.Context, args []driver.NamedValue) (driver.Result, error) {
	p, err := params(args)
	if err != nil {
		return nil, err
	}
	n, err := s.s.Exec(ctx, p)
	return result(n), err
}

// QueryContext implements driver.StmtQueryContext.
func (s *stmt) QueryContext(ctx context.Context, args []driver.NamedValue) (driver.Rows, error) {
	p, err := params(args)
	if err != nil {
		return nil, err
	}
	r, err := s.s.Query(ctx, p)
	if err != nil {
		return nil, err
	}
	return newRows(r, s.textTimes), nil
}

func named(args []driver.Value) []driver.NamedValue {
	list := make([]driver.NamedValue, len(args))
	for i, v := range args {
		list[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
	}
	return list
}

// result is the number of rows that a statement changed.
type result int64

// LastInsertId implements driver.Result: keys are what the statement says, so there is nothing to tell.
func (r result) LastInsertId() (int64, error) {
	return 0, types.Errorf(types.UNSUPPORTED, "the engine gives out no row ids; use RETURNING")
}

// RowsAffected implements driver.Result.
func (r result) RowsAffected() (int64, error) { return int64(r), nil }
