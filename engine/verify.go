package engine

import (
	"github.com/quereus/quereus-migrate/catalog"
)

// Verify judges a declaration as far as can be told without running it: what catalog.Declared.Verify tells, then whether modules,
// expressions and the bodies of views and assertions can be planned once all of it is there. It does so under the session's settings
// and beside the schemas of a catalog, nil for the session's. Who reads schema files calls it before Diff: its errors point into
// them; several are joined (errors.Join). It gives what the declaration makes of an empty database, for DiffOptions.
func (c *Conn) Verify(d *catalog.Declared, beside *catalog.Snapshot) (*catalog.Resolved, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave(nil)
	if beside == nil {
		var err error
		if beside, err = c.catalog(); err != nil {
			return nil, err
		}
	}
	env := c.buildEnv(nil)
	env.Resolver = c.names(beside)
	r, err := d.Verify(env, beside.Table)
	if r != nil && len(r.Faults) == 0 {
		err = catalog.JoinFaults(err, c.judge(d, r, beside))
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}
