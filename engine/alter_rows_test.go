package engine_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/golden"
	"github.com/quereus/quereus-migrate/types"
)

// alterGen draws changes of table t, each with what it makes of the rows.
type alterGen struct {
	*relGen
	b *bare
	n int
}

// content is rows by id, and by column what they hold as JSON.
type content map[string]map[string]string

func (g *alterGen) table() *catalog.Table {
	cat, err := g.b.conn.Catalog()
	require.NoError(g, err)
	return cat.Table("main", "t")
}

func (g *alterGen) content() content {
	lines, err := g.b.Query(ctx, "select * from t")
	require.NoError(g, err)
	var names []string
	require.NoError(g, json.Unmarshal([]byte(lines[0]), &names))
	out := content{}
	for _, l := range lines[1:] {
		var values []json.RawMessage
		require.NoError(g, json.Unmarshal([]byte(l), &values))
		row := map[string]string{}
		for i, v := range values {
			row[names[i]] = string(v)
		}
		out[row["id"]] = row
	}
	return out
}

// written gives what an expression over t is, by id, when it is written to a column of a type; nil when that fails.
func (g *alterGen) written(x, typ string) map[string]string {
	c := g.b.conn
	c.exec("create table other (id integer primary key, v " + typ + " null)")
	defer c.exec("drop table other")
	if _, err := c.Exec(ctx, "insert into other select id, "+x+" from t", engine.Params{}); err != nil {
		return nil
	}
	lines, err := g.b.ask("select * from other")
	require.NoError(g, err)
	out := map[string]string{}
	for _, l := range lines {
		var values []json.RawMessage
		require.NoError(g, json.Unmarshal([]byte(l), &values))
		out[string(values[0])] = string(values[1])
	}
	return out
}

// becomes is the effect of values that a column takes.
func becomes(column string, values map[string]string) func(content) {
	return func(c content) {
		for id, row := range c {
			row[column] = values[id]
		}
	}
}

func (g *alterGen) step() (sql string, effect func(content)) {
	t := g.table()
	c := t.Columns[1+g.below(len(t.Columns)-1)] // never id, which stands first
	g.n++
	fresh, typ := fmt.Sprintf("n%d", g.n), g.pick(slices.Sorted(maps.Keys(sample))...)
	switch g.below(17) {
	case 0, 1:
		literal := g.literal(typ)
		return "alter table t add column " + fresh + " " + typ + g.pick(" null", " not null") + " default (" + literal + ")" + g.pick("", "", " unique", " check ("+fresh+" is not null)"),
			becomes(fresh, g.written(literal, typ))
	case 2:
		x := g.pick("id + 1", "coalesce("+c.Name+", 1)", c.Name, "typeof("+c.Name+")")
		return "alter table t add column " + fresh + " " + typ + " null generated always as (" + x + ")", becomes(fresh, g.written(x, typ))
	case 3:
		if len(t.Columns) == 2 {
			return "alter table t alter primary key (id)", nil
		}
		return "alter table t drop column " + c.Name, func(rows content) {
			for _, row := range rows {
				delete(row, c.Name)
			}
		}
	case 4:
		return "alter table t rename column " + c.Name + " to " + fresh, func(rows content) {
			for _, row := range rows {
				row[fresh] = row[c.Name]
				delete(row, c.Name)
			}
		}
	case 5, 6, 7:
		return "alter table t alter column " + c.Name + " set data type " + typ, becomes(c.Name, g.written(c.Name, typ))
	case 8:
		return "alter table t alter column " + c.Name + " set not null", g.fillNulls(c)
	case 9, 10:
		return "alter table t alter primary key (" + g.pick("id", "id desc", "", c.Name+", id", c.Name+" desc, id", c.Name) + ")", nil
	case 11:
		return "alter table t alter column " + c.Name + g.pick(" drop not null", " drop default", " set default "+g.literal(types.Fold(c.Type.Name))), nil
	case 12:
		return "alter table t alter column " + c.Name + " set collate " + g.pick("nocase", "rtrim", "binary"), nil
	case 13, 14:
		member := g.pick(c.Name, c.Name, "lower("+c.Name+")", c.Name+" collate nocase") + g.pick("", " desc") + g.pick("", ", id")
		return fmt.Sprintf("create %sindex i%d on t (%s)%s", g.pick("", "", "unique "), g.below(4), member, g.pick("", "", " where id > 2", " where "+c.Name+" is not null")), nil
	case 15:
		return fmt.Sprintf("drop index i%d", g.below(4)), nil
	}
	return g.pick("alter table t add constraint k unique ("+c.Name+")", "alter table t drop constraint k"), nil
}

// fillNulls is the effect of SET NOT NULL, which puts a literal default in the place of NULL.
func (g *alterGen) fillNulls(c *catalog.Column) func(content) {
	var values map[string]string
	if c.Default != nil {
		values = g.written(ast.Format(c.Default), types.Fold(c.Type.Name))
	}
	return func(rows content) {
		for id, row := range rows {
			if row[c.Name] == "null" {
				row[c.Name] = values[id]
			}
		}
	}
}

// write draws a data change that keeps ids apart.
func (g *alterGen) write() string {
	var names, values []string
	for i, c := range g.table().Columns {
		switch {
		case i == 0:
			names, values = append(names, c.Name), append(values, fmt.Sprint(1+g.below(12)))
		case c.Generated == nil && !g.chance(20):
			names, values = append(names, c.Name), append(values, g.literal(types.Fold(c.Type.Name)))
		}
	}
	i := len(names) - 1
	row := " into t (" + strings.Join(names, ", ") + ") values (" + strings.Join(values, ", ") + ")"
	return g.pick("insert or ignore"+row, "insert or replace"+row, fmt.Sprintf("delete from t where id %% 5 = %d", g.below(5)), fmt.Sprintf("update t set %s = %s where id %% 3 = %d and id > 1", names[i], values[i], g.below(3)))
}

// TestAlterKeepsRows: whatever a table has gone through, its rows are what each change makes of them, in memory and, in a transaction or
// reopened after each statement, on Pebble; the database finds itself sound; and a table that is made anew of the definition and
// the rows is the same.
func TestAlterKeepsRows(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		alone, other := startBare(t, golden.MemorySession), startBare(t, golden.PebbleSession)
		defer alone.end()
		defer other.end()
		p := &pair{&relGen{T: t}, alone, other}
		r := p.rel("t")
		for _, sql := range append([]string{strings.Replace(r.create("id"), ", primary key", ", unique (id), primary key", 1), "create index i0 on t (" + p.members(r, 2, true) + ")"}, p.fill(r, 7)...) {
			p.both(sql)
		}
		g := &alterGen{relGen: p.relGen, b: alone}
		mode := g.pick("begin", "reopen", "pragma memory_budget = 1")
		if mode != "reopen" {
			other.do(mode)
		}
		for range 5 {
			before, state := g.content(), alone.conn.dump()
			sql, effect := g.step()
			if g.chance(30) {
				sql = g.write()
				p.try(sql)
			} else if p.try(sql); alone.conn.dump() != state {
				if effect != nil {
					effect(before)
				}
				require.Equal(t, g.plain(before), g.plain(g.content()), sql)
			}
			g.fresh(sql)
			require.Equal(t, alone.conn.dump(), other.conn.dump(), sql)
			alone.sound()
			if mode == "reopen" {
				other.reopen()
				other.sound()
				require.Equal(t, alone.conn.dump(), other.conn.dump(), sql)
			}
		}
		g.rebuild()
		if mode == "begin" {
			other.do("commit")
		}
		other.sound()
		other.reopen()
		require.Equal(t, alone.conn.dump(), other.conn.dump())
	})
}

// plain leaves generated columns out.
func (g *alterGen) plain(rows content) content {
	for _, c := range g.table().Columns {
		for _, row := range rows {
			if c.Generated != nil {
				delete(row, c.Name)
			}
		}
	}
	return rows
}

// fresh proves that each generated column holds what its expression gives: writing the rows changes nothing.
func (g *alterGen) fresh(sql string) {
	c := g.b.conn
	before := c.dump()
	c.exec("begin; update t set id = id")
	require.Equal(g, before, c.dump(), "generated columns after %s", sql)
	c.exec("rollback")
}

// rebuild makes the table anew and compares.
func (g *alterGen) rebuild() {
	b := startBare(g.T, golden.MemorySession)
	defer b.end()
	t := g.table()
	for _, d := range catalog.FormatDefinition(t) {
		b.conn.exec(d)
	}
	var names, marks []string
	for _, c := range t.Columns {
		if c.Generated == nil {
			names, marks = append(names, `"`+c.Name+`"`), append(marks, "?")
		}
	}
	list := strings.Join(names, ", ")
	rows, err := g.b.conn.Query(ctx, "select "+list+" from t", engine.Params{})
	require.NoError(g, err)
	for {
		row, err := rows.Next()
		require.NoError(g, err)
		if row == nil {
			break
		}
		for i, v := range row {
			if t.Columns[t.ColumnIndex(strings.Trim(names[i], `"`))].Type == types.TypeJSON && !v.IsNull() {
				row[i] = types.Text(string(types.AppendWire(nil, v))) // its text, which is read as JSON
			}
		}
		b.conn.exec("insert into t ("+list+") values ("+strings.Join(marks, ", ")+")", row...)
	}
	require.NoError(g, rows.Close())
	require.Equal(g, g.b.conn.dump(), b.conn.dump())
}
