package alter

import (
	"fmt"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// addConstraint adds a CHECK, which binds from the next write on, or a UNIQUE or FOREIGN KEY, which the rows that are there must
// satisfy.
func (c *change) addConstraint(t *catalog.Table, a *ast.AddConstraint, ddl string) error {
	k := a.Constraint
	if err := catalog.CheckItemTags(k); err != nil {
		return err
	}
	if !k.Name.IsZero() {
		if err := checkConstraintName(t, k.Name.Text); err != nil {
			return err
		}
	}
	if k.Kind != ast.CheckClause {
		if _, err := c.alterer(t, "ADD CONSTRAINT"); err != nil {
			return err
		}
	}
	after, err := c.withConstraint(t, k, "")
	if err != nil {
		return err
	}
	if k.Kind == ast.UniqueClause {
		return c.rework(rework{before: t, after: after, what: "ADD CONSTRAINT", ddl: ddl})
	}
	c.put(after)
	if k.Kind == ast.ForeignKeyClause {
		return c.proveForeignKey(after, after.ForeignKeys[len(after.ForeignKeys)-1])
	}
	return nil
}

// checkConstraintName refuses a constraint name that is taken on the table.
func checkConstraintName(t *catalog.Table, name string) error {
	if _, err := t.FindConstraint(name); err != nil && types.CodeOf(err) == types.NOTFOUND {
		return nil
	}
	return types.Errorf(types.CONSTRAINT, "Cannot add constraint '%s' to table '%s': a constraint with that name already exists", name, t.Name)
}

// withConstraint gives the table with one more constraint, judged as far as no row is needed. column is the column in whose definition it
// stands, "" for one of the table.
func (c *change) withConstraint(t *catalog.Table, k *ast.TableConstraint, column string) (*catalog.Table, error) {
	switch k.Kind {
	case ast.CheckClause:
		return c.withCheck(t, k, column)
	case ast.UniqueClause:
		return withUnique(t, k)
	case ast.ForeignKeyClause:
		return c.withForeignKey(t, k)
	case ast.PrimaryKeyClause:
		return nil, types.Errorf(types.UNSUPPORTED, "ADD PRIMARY KEY is not supported; write ALTER TABLE %s ALTER PRIMARY KEY (…)", t.Name)
	}
	return nil, types.Errorf(types.INTERNAL, "constraint kind %d cannot be added", k.Kind)
}

func (c *change) withCheck(t *catalog.Table, k *ast.TableConstraint, column string) (*catalog.Table, error) {
	check := catalog.BuildCheck(k)
	if check.Name == "" {
		if column != "" {
			check.Name = t.InlineCheckName(column)
		} else {
			check.Name = t.AddedCheckName()
		}
	}
	after := t.Clone()
	after.Checks = append(after.Checks, check)
	build := c.buildEnv(c.env.Catalog().Edit())
	for e := range after.Expressions() {
		if e.Kind == catalog.CheckExpression && e.Check == len(t.Checks) {
			if err := build.CheckRowExpression(after, e); err != nil {
				return nil, err
			}
		}
	}
	return after, nil
}

func withUnique(t *catalog.Table, k *ast.TableConstraint) (*catalog.Table, error) {
	u, err := catalog.BuildUnique(k, t)
	if err != nil {
		return nil, err
	}
	if err := t.CheckUnique(u, fmt.Sprintf("Cannot add UNIQUE constraint to table '%s'", t.Name)); err != nil {
		return nil, err
	}
	after := t.Clone()
	after.Uniques = append(after.Uniques, u)
	return after, nil
}

func (c *change) withForeignKey(t *catalog.Table, k *ast.TableConstraint) (*catalog.Table, error) {
	fk, err := catalog.BuildForeignKey(k, t)
	if err != nil {
		return nil, err
	}
	if err := catalog.CheckForeignKeyCollation(t, fk, with(c.env.Catalog(), t)); err != nil {
		return nil, err
	}
	if _, _, err := c.parent(t, fk); err != nil && c.env.ForeignKeys() {
		return nil, err
	}
	after := t.Clone()
	after.ForeignKeys = append(after.ForeignKeys, fk)
	return after, nil
}

// parent finds the parent table of a foreign key and the positions of the referenced columns; nil when the table does not exist.
func (c *change) parent(child *catalog.Table, fk *catalog.ForeignKey) (*catalog.Table, []int, error) {
	schema, name := fk.ParentName(child)
	p := c.env.Catalog().Table(schema, name)
	if p == nil || p.ID == child.ID {
		if p == nil && (!types.EqualFold(name, child.Name) || !types.EqualFold(schema, child.Schema)) {
			return nil, nil, nil
		}
		p = child
	}
	columns, ok := fk.ParentPositions(p)
	if !ok {
		return nil, nil, missingParentColumn(child, fk, p)
	}
	return p, columns, nil
}

func missingParentColumn(child *catalog.Table, fk *catalog.ForeignKey, p *catalog.Table) error {
	for _, name := range fk.ParentColumns {
		if p.ColumnIndex(name) < 0 {
			return types.Errorf(types.ERROR, "Referenced column '%s' not found in table '%s'", name, p.Name).WithHint(p.NearColumn(name))
		}
	}
	return types.Errorf(types.ERROR, "Foreign key '%s' on table '%s.%s': child column count (%d) does not match the key of '%s' (%d)",
		fk.Name, child.Schema, child.Name, len(fk.Columns), p.Name, len(p.Key.Columns))
}

// proveForeignKey tests the rows that are there: each without NULL in the key has a parent. Nothing is tested while foreign keys are off.
func (c *change) proveForeignKey(t *catalog.Table, fk *catalog.ForeignKey) error {
	if !c.env.ForeignKeys() {
		return nil
	}
	p, columns, err := c.parent(t, fk)
	if err != nil {
		return err
	}
	n, err := c.env.Count(c.ctx, Orphans(t, fk, p, columns), 1)
	if err != nil || n == 0 {
		return err
	}
	schema, name := fk.ParentName(t)
	refusal := types.Errorf(types.CONSTRAINT, "FOREIGN KEY constraint failed: %s ('%s' references '%s'): rows that are there have no parent",
		fk.Name, t.Name, name)
	if p == nil {
		refusal = types.Errorf(types.CONSTRAINT, "FOREIGN KEY constraint failed: %s: referenced table '%s.%s' does not exist", fk.Name, schema, name)
	}
	return c.blame(refusal, func(o Offenders) error { return o.Orphans(c.ctx, t, fk) })
}

// dropConstraint removes a named constraint.
func (c *change) dropConstraint(t *catalog.Table, a *ast.DropConstraint, ddl string) error {
	ref, err := t.AddressConstraint(a.Name.Text)
	if err != nil {
		return err
	}
	if ref.Class == catalog.UniqueIndexClass {
		return indexConstraint(a.Name.Text, "dropped")
	}
	after := t.WithoutConstraint(ref)
	if ref.Class == catalog.UniqueClass {
		return c.rework(rework{before: t, after: after, what: "DROP CONSTRAINT", ddl: ddl})
	}
	return c.replace(after)
}

// alterPrimaryKey gives the table another key; rows and all structures are written anew.
func (c *change) alterPrimaryKey(t *catalog.Table, a *ast.AlterPrimaryKey, ddl string) error {
	var key []catalog.KeyColumn
	for _, k := range a.Key {
		i, err := column(t, k.Name)
		if err != nil {
			return err
		}
		for _, other := range key {
			if other.Column == i {
				return types.Errorf(types.ERROR, "Duplicate column '%s' in PRIMARY KEY definition", k.Name.Text)
			}
		}
		key = append(key, catalog.KeyColumn{Column: i, Desc: k.Desc})
	}
	after, err := t.WithKey(key)
	if err != nil {
		return err
	}
	if err := c.rework(rework{before: t, after: after, what: "ALTER PRIMARY KEY", ddl: ddl}); err != nil {
		return err
	}
	c.env.Rekeyed(after)
	return nil
}
