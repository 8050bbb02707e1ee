package engine

import (
	"context"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// Each runs a text like Exec, from a named source, whose name and lines errors then speak of, and shows the rows of every statement:
// f reads them and need not close them. An error of f ends the text like one of a statement.
func (c *Conn) Each(ctx context.Context, src *ast.Source, p Params, f func(*Rows) error) error {
	return c.each(ctx, src, p, func(r *Rows, _ bool) error {
		err := f(r)
		if e := r.Close(); err == nil {
			err = e
		}
		return err
	})
}
