package engine

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// rules judges every CHECK, foreign key, generated column and assertion on the rows that are there.
func (k *checking) rules(ctx context.Context) error {
	t := &tx{db: k.conn.db, conn: k.conn, base: k.read.base, cat: k.read.cat(), parts: make([]vtab.Conn, len(k.conn.db.modules))}
	p := newProof(t, 0, true)
	for _, schema := range t.cat.Schemas() {
		for table := range t.cat.Tables(schema) {
			if err := k.tableRules(ctx, p, table); err != nil {
				return err
			}
		}
		for a := range t.cat.Assertions(schema) {
			if err := p.judgeAssertion(ctx, a); err != nil {
				if ctx.Err() != nil {
					return err
				}
				k.broken(schema+"."+a.Name, err.Error(), nil)
			}
		}
	}
	return nil
}

// tableRules judges the rules of one table: all CHECKs and generated columns in one pass, then each foreign key.
func (k *checking) tableRules(ctx context.Context, p *proof, t *catalog.Table) error {
	var rules []*provenRule
	for i, c := range t.Checks {
		if c.Ops&(ast.OnInsert|ast.OnUpdate) != 0 && !t.SeesWrite(c.X) {
			rules = append(rules, &provenRule{table: t, check: i, isNew: true})
		}
	}
	if err := p.judgeChecks(ctx, t, rules); err != nil {
		return err
	}
	for _, r := range rules {
		if r.err != nil {
			k.broken(nameOfTable(t), r.err.Error(), r.rows)
		}
	}
	if err := k.generated(ctx, p, t); err != nil {
		return err
	}
	for _, fk := range t.ForeignKeys {
		found := &Offending{}
		if err := p.tx.orphans(ctx, t, fk, found); err != nil {
			if ctx.Err() != nil {
				return err
			}
			k.broken(nameOfTable(t), "foreign key "+fk.Name+" cannot be judged: "+err.Error(), nil)
		}
		if found.Count > 0 {
			k.broken(nameOfTable(t), "FOREIGN KEY constraint failed: "+fk.Name+": rows have no parent in "+fk.ParentTable, found)
		}
	}
	return nil
}

// generated compares what generated columns hold with what their expressions give.
func (k *checking) generated(ctx context.Context, p *proof, t *catalog.Table) (err error) {
	env := &alterEnv{tx: p.tx}
	defer func() {
		if e := env.close(); err == nil {
			err = e
		}
	}()
	type column struct {
		at    int
		eval  func(types.Row) (types.Value, error)
		store func(types.Value) (types.Value, error)
		stale Offending
	}
	var columns []*column
	for x := range t.Expressions() {
		if x.Kind != catalog.GeneratedExpression {
			continue
		}
		c, err := env.CompileExpression(ctx, p.tx.cat, t, x)
		if err != nil {
			k.broken(nameOfTable(t), "generated column "+t.Columns[x.Column].Name+" cannot be computed: "+err.Error(), nil)
			continue
		}
		columns = append(columns, &column{at: x.Column, eval: c.Eval, store: types.Converter(t.Columns[x.Column].Type)})
	}
	if columns == nil {
		return nil
	}
	key := t.KeyColumns()
	err = env.EachRow(ctx, t, func(row types.Row) error {
		for _, c := range columns {
			v, err := c.eval(row)
			if err == nil && !v.IsNull() {
				v, err = c.store(v)
			}
			if ctx.Err() != nil {
				return err
			}
			if err != nil || types.Compare(v, row[c.at], nil) != 0 {
				c.stale.add(pick(row, key))
			}
		}
		return nil
	})
	for _, c := range columns {
		if c.stale.Count > 0 {
			k.broken(nameOfTable(t), "generated column "+t.Columns[c.at].Name+" holds other values than its expression gives", &c.stale)
		}
	}
	return err
}

// broken notes a rule that rows break, or that cannot be judged.
func (k *checking) broken(object, message string, rows *Offending) {
	f := newCheckFault(object, vtab.CheckFaultf("%s", message))
	if rows != nil {
		f.Rows = *rows
	}
	k.report.Broken = append(k.report.Broken, f)
}
