package engine_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/golden"
	"github.com/quereus/quereus-migrate/types"
)

// modelGen draws tables for the model and statements over them: each a text with what it does to the model.
type modelGen struct {
	*relGen
	model
}

func (g *modelGen) value() modelValue { return modelValue{1 + g.below(7), !g.chance(15)} }

func (g *modelGen) action(percent int) string {
	if !g.chance(percent) {
		return ""
	}
	return g.pick("abort", "ignore", "replace", "fail", "rollback")
}

func (g *modelGen) schema() {
	g.rows = modelRows{}
	for i := range 2 + g.below(2) {
		t := g.table(fmt.Sprintf("t%d", i))
		g.tables, g.rows[t] = append(g.tables, t), map[int]modelRow{}
	}
	for _, t := range g.tables {
		for _, c := range g.some(len(t.columns)-1, 2) {
			p := g.tables[g.below(len(g.tables))]
			referred := append([]int{0}, p.unique...)
			t.keys = append(t.keys, &modelKey{
				child: t, parent: p, column: c + 1, referred: referred[g.below(len(referred))],
				onDelete: g.pick("delete", "restrict", "set null", "set default"), onUpdate: g.pick("cascade", "restrict", "set null", "set default"),
			})
		}
	}
}

func (g *modelGen) table(name string) *modelTable {
	t := &modelTable{name: name, check: -1, desc: g.chance(50), uniqueAct: g.action(25)}
	for i := range 3 + g.below(2) {
		null, act, def := i > 0 && g.chance(88), "", modelValue{}
		if i > 0 && !null {
			act = g.action(20)
		}
		if i > 0 && g.chance(40) {
			def = modelValue{1 + g.below(4), true}
		}
		if i > 0 && g.chance(30) {
			t.unique = append(t.unique, i)
		}
		t.columns, t.null, t.nullActs, t.defaults = append(t.columns, fmt.Sprintf("c%d", i)), append(t.null, null), append(t.nullActs, act), append(t.defaults, def)
	}
	if g.chance(30) {
		t.check, t.checkAct = 1+g.below(len(t.columns)-1), g.action(25)
	}
	return t
}

// define gives the statements that make a table, with an index or without.
func (g *modelGen) define(t *modelTable) string {
	on := func(action string) string {
		if action == "" {
			return ""
		}
		return " on conflict " + action
	}
	var parts []string
	for i, c := range t.columns {
		part := c + " integer not null" + on(t.nullActs[i])
		if t.null[i] {
			part = c + " integer null"
		}
		if t.defaults[i].ok {
			part += " default " + t.defaults[i].String()
		}
		parts = append(parts, part)
	}
	key := "primary key (c0)"
	if t.desc {
		key = "primary key (c0 desc)"
	}
	parts = append(parts, key+on(t.uniqueAct))
	for _, u := range t.unique {
		parts = append(parts, "unique ("+t.columns[u]+")"+on(t.uniqueAct))
	}
	if t.check >= 0 {
		parts = append(parts, "check ("+t.columns[t.check]+" <> 5)"+on(t.checkAct))
	}
	for _, k := range t.keys {
		parts = append(parts, fmt.Sprintf("foreign key (%s) references %s (%s) on delete %s on update %s",
			t.columns[k.column], k.parent.name, k.parent.columns[k.referred], strings.Replace(k.onDelete, "delete", "cascade", 1), k.onUpdate))
	}
	return "create table " + t.name + " (" + strings.Join(parts, ", ") + ")" +
		g.pick("", fmt.Sprintf("; create index ix_%s on %s (c1%s, c2)", t.name, t.name, g.pick("", " desc")))
}

func (g *modelGen) condition(t *modelTable) (sql string, holds func(modelRow) bool) {
	i, n := g.below(len(t.columns)), 1+g.below(6)
	c := t.name + "." + t.columns[i]
	switch g.below(5) {
	case 0:
		return "true", func(modelRow) bool { return true }
	case 1:
		return c + " is null", func(r modelRow) bool { return !r[i].ok }
	case 2:
		return fmt.Sprintf("%s = %d", c, n), func(r modelRow) bool { return r[i].ok && r[i].n == n }
	case 3:
		return fmt.Sprintf("%s < %d", c, n), func(r modelRow) bool { return r[i].ok && r[i].n < n }
	}
	return fmt.Sprintf("%s >= %d", c, n), func(r modelRow) bool { return r[i].ok && r[i].n >= n }
}

// set draws assignments, which may read the proposed row of an upsert.
func (g *modelGen) set(t *modelTable, upsert bool) (sql string, apply func(old, proposed modelRow) modelRow) {
	var texts []string
	var eval []func(old, proposed modelRow) modelValue
	targets := append([]int{g.below(len(t.columns))}, g.some(len(t.columns), g.below(2))...)
	targets = slices.Compact(targets)
	for _, c := range targets {
		i, k, v := g.below(len(t.columns)), g.below(3)-1, g.value()
		text := v.String()
		f := func(_, _ modelRow) modelValue { return v }
		switch n := g.below(4); {
		case n == 1 && upsert:
			text = fmt.Sprintf("new.%s + %d", t.columns[i], k)
			f = func(_, p modelRow) modelValue { return modelValue{p[i].n + k, p[i].ok} }
		case n > 0:
			text = fmt.Sprintf("%s.%s + %d", t.name, t.columns[i], k)
			f = func(old, _ modelRow) modelValue { return modelValue{old[i].n + k, old[i].ok} }
		}
		texts, eval = append(texts, t.columns[c]+" = "+text), append(eval, f)
	}
	return strings.Join(texts, ", "), func(old, proposed modelRow) modelRow {
		r := slices.Clone(old)
		for i, c := range targets {
			r[c] = eval[i](old, proposed)
		}
		return r
	}
}

func (g *modelGen) statement() (sql string, apply func() error) {
	t := g.tables[g.below(len(g.tables))]
	where, holds := g.condition(t)
	switch g.below(4) {
	case 0:
		return "delete from " + t.name + " where " + where, func() error { return g.delete(t, holds) }
	case 1:
		set, f := g.set(t, false)
		return "update " + t.name + " set " + set + " where " + where, func() error { return g.update(t, holds, f) }
	}
	return g.insertion(t)
}

func (g *modelGen) insertion(t *modelTable) (sql string, apply func() error) {
	columns, names := []int{0}, "c0"
	for i := 1; i < len(t.columns); i++ {
		if !g.chance(15) {
			columns, names = append(columns, i), names+", "+t.columns[i]
		}
	}
	var rows []modelRow
	var values []string
	for range 1 + g.below(3) {
		r := slices.Clone(modelRow(t.defaults))
		var list []string
		for _, c := range columns {
			if r[c] = g.value(); c == 0 {
				r[c].ok = true
			}
			list = append(list, r[c].String())
		}
		rows, values = append(rows, r), append(values, "("+strings.Join(list, ", ")+")")
	}
	or := g.action(50)
	text := " into " + t.name + " (" + names + ") values " + strings.Join(values, ", ")
	if or != "" {
		return "insert or " + or + text, func() error { return g.insert(t, rows, or, nil) }
	}
	if g.chance(50) {
		return "insert" + text, func() error { return g.insert(t, rows, "", nil) }
	}
	clause, u := g.upsert(t)
	return "insert" + text + clause, func() error { return g.insert(t, rows, "", u) }
}

func (g *modelGen) upsert(t *modelTable) (sql string, u *modelUpsert) {
	u = &modelUpsert{target: -1}
	sql = " on conflict do "
	if g.chance(80) {
		over := append([]int{0}, t.unique...)
		u.target = over[g.below(len(over))]
		sql = " on conflict (" + t.columns[u.target] + ") do "
	}
	if g.chance(30) {
		return sql + "nothing", u
	}
	set, where := "", ""
	set, u.set = g.set(t, true)
	where, u.where = g.condition(t)
	return sql + "update set " + set + " where " + where, u
}

// TestWritesFollowTheModel runs random data changes, in and out of transactions, on Pebble and on the model: the same ones fail, with what
// their conflict actions make of it, and the same rows are there.
func TestWritesFollowTheModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := startBare(t, golden.PebbleSession)
		defer b.end()
		g := &modelGen{relGen: &relGen{T: t}}
		g.schema()
		for _, t := range g.tables {
			b.do(g.define(t))
		}
		b.do("pragma memory_budget = " + g.pick("1", "67108864", "67108864"))
		run := &modelRun{modelGen: g, b: b}
		for range 20 {
			run.step()
		}
		if run.inside {
			run.commit()
		}
		b.sound()
		b.reopen()
		run.check()
	})
}

// modelRun is a session on both sides.
type modelRun struct {
	*modelGen
	b      *bare
	inside bool
	base   modelRows // before the transaction
	saved  []modelRows
}

func (r *modelRun) step() {
	switch n := r.below(20); {
	case n == 0 && !r.inside:
		r.b.do("begin")
		r.inside, r.base, r.saved = true, r.clone(), nil
	case n == 0 && r.inside:
		r.b.do("rollback")
		r.inside, r.rows = false, r.base
	case n == 1 && r.inside:
		r.commit()
	case n == 2 && r.inside:
		r.saved = append(r.saved, r.clone())
		r.b.do(fmt.Sprintf("savepoint s%d", len(r.saved)))
	case n == 3 && len(r.saved) > 0 && r.inside:
		to := 1 + r.below(len(r.saved))
		r.b.do(fmt.Sprintf("rollback to s%d", to))
		r.rows, r.saved = r.saved[to-1], r.saved[:to]
		r.saved[to-1] = r.clone()
	default:
		r.change()
	}
	r.check()
}

func (r *modelRun) check() {
	var rows strings.Builder
	for _, t := range r.tables {
		lines, err := r.b.ask("select * from " + t.name + " order by c0")
		require.NoError(r, err)
		for _, l := range lines {
			fmt.Fprintln(&rows, t.name, strings.ReplaceAll(l, ",", " "))
		}
	}
	require.Equal(r, r.dump(), rows.String())
	require.Equal(r, r.inside, r.b.InTransaction())
}

func (r *modelRun) commit() {
	err := r.orphans()
	if err != nil {
		r.rows = r.base
	}
	r.inside = false
	r.exec("commit", err)
}

func (r *modelRun) change() {
	sql, apply := r.statement()
	before := r.clone()
	err := apply()
	if !r.inside && (err == nil || failed(err)) {
		if orphan := r.orphans(); orphan != nil {
			err = orphan
		}
	}
	if v, ok := err.(*violation); ok && v.action == "rollback" && r.inside {
		r.rows, r.inside = r.base, false
	} else if ok && v.action != "fail" {
		r.rows = before
	}
	r.exec(sql, err)
}

func (r *modelRun) exec(sql string, want error) {
	_, err := r.b.conn.Exec(ctx, sql, engine.Params{})
	r.Logf("%s; -- %v, %v", sql, err, want)
	if want == nil {
		require.NoError(r, err, sql)
	} else {
		require.Equal(r, types.CONSTRAINT, types.CodeOf(err), "%s: %v, %v", sql, err, want)
	}
}
