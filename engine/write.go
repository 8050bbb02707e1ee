package engine

import (
	"context"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

func (c *Conn) write(ctx context.Context, src *ast.Source, s ast.Stmt, p Params) (*Rows, error) {
	return nil, types.Errorf(types.UNSUPPORTED, "data changes are not supported yet")
}

func (t *tx) write(ctx context.Context, s ast.Stmt) error {
	return types.Errorf(types.UNSUPPORTED, "data changes are not supported yet")
}

func (c *Conn) explain(ctx context.Context, src *ast.Source, s *ast.ExplainStmt) (*Rows, error) {
	return nil, types.Errorf(types.UNSUPPORTED, "EXPLAIN is not supported yet")
}
