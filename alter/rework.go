package alter

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// rework is a change of one table's definition that its module carries out.
type rework struct {
	before, after *catalog.Table
	what          string // the statement's kind, for a module that cannot
	ddl           string
	// convert and changed are those of vtab.Alteration.
	convert func(dst, src types.Row) error
	changed []int
}

// rework has the module do the row work and installs the result.
func (c *change) rework(w rework) error {
	m, err := c.alterer(w.before, w.what)
	if err != nil {
		return err
	}
	conn, err := c.env.Conn(c.ctx, m.Name)
	if err != nil {
		return err
	}
	c.numberUniques(w.after)
	a := &vtab.Alteration{
		Before: w.before, After: w.after, DDL: w.ddl, Convert: w.convert, Changed: w.changed, Progress: c.env.Progress,
	}
	cat := c.env.Catalog()
	if a.BeforeSpec, err = c.env.TableSpec(c.ctx, cat, w.before); err != nil {
		return err
	}
	if a.AfterSpec, err = c.env.TableSpec(c.ctx, with(cat, w.after), w.after); err != nil {
		return err
	}
	t, err := m.Alterer.Alter(c.ctx, conn, a)
	if err != nil {
		return c.blame(err, func(o Offenders) error { return o.Rework(c.ctx, a) })
	}
	c.put(t)
	return nil
}

// blame has the rows collected that a refusal is about, where somebody wants to know them, and gives the refusal. That they cannot be
// told is no reason for another error.
func (c *change) blame(refusal error, collect func(o Offenders) error) error {
	o := c.env.Offenders()
	if code := types.CodeOf(refusal); o == nil || c.ctx.Err() != nil || code != types.CONSTRAINT && code != types.MISMATCH && code != types.ERROR {
		return refusal
	}
	if err := collect(o); err != nil {
		c.env.Untold(err)
	}
	return refusal
}

// blameRows blames the rows of a table that test picks.
func (c *change) blameRows(refusal error, t *catalog.Table, test func(types.Row) bool) error {
	return c.blame(refusal, func(o Offenders) error {
		return c.env.EachRow(c.ctx, t, func(row types.Row) error {
			if test(row) {
				o.Row(t, row)
			}
			return nil
		})
	})
}

// numberUniques gives ids to the UNIQUE constraints that are new in t, which is not shared yet.
func (c *change) numberUniques(t *catalog.Table) {
	e := c.env.Catalog().Edit()
	taken := false
	for i, u := range t.Uniques {
		if u.ID == 0 {
			own := *u
			own.ID = e.NewID()
			t.Uniques[i], taken = &own, true
		}
	}
	if taken {
		c.env.Install(e.Done())
	}
}

// buildEnv is what definitions are built with that take their numbers from edit. Expressions are judged in the pending catalog, with their
// table as it is to be.
func (c *change) buildEnv(edit *catalog.Edit) catalog.BuildEnv {
	cat := c.env.Catalog()
	build := c.env.BuildEnv(edit)
	build.Resolver = c.env.Names(cat)
	build.CheckExpression = func(t *catalog.Table, e catalog.Expression) error { return c.env.CheckExpression(with(cat, t), t, e) }
	return build
}

// with gives a catalog in which t has its new definition.
func with(cat *catalog.Snapshot, t *catalog.Table) *catalog.Snapshot {
	e := cat.Edit()
	e.PutTable(t)
	return e.Done()
}

// replace installs a definition that differs from the present one in the catalog alone: no row and no structure is touched.
func (c *change) replace(t *catalog.Table) error {
	c.put(t)
	return nil
}
