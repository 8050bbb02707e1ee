package engine

import (
	"github.com/quereus/quereus-migrate/catalog"
)

// Verify judges a declaration as far as can be told without running it (catalog.Declared.Verify), under the session's settings and
// beside the schemas that are there. Who reads schema files calls it before Diff: its errors point into them.
func (c *Conn) Verify(d *catalog.Declared) error {
	if err := c.enter(); err != nil {
		return err
	}
	defer c.leave(nil)
	cat, err := c.catalog()
	if err != nil {
		return err
	}
	_, err = d.Verify(c.buildEnv(nil), func(schema, table string) bool { return cat.Table(schema, table) != nil })
	return err
}
