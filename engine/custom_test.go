package engine_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// registered makes options with a collation that orders by length, then text, and a type of coded values.
func registered(t testing.TB) engine.Options {
	o := engine.Options{Types: types.NewRegistry()}
	byLength := func(s string) string { return string(rune('0'+len(s))) + s }
	require.NoError(t, o.Types.RegisterCollation(&types.Collation{
		Name: "LENGTH", Compare: func(a, b string) int { return strings.Compare(byLength(a), byLength(b)) }, Normalize: byLength, OrderPreserving: true,
	}))
	require.NoError(t, o.Types.RegisterType(&types.Type{
		Name: "SKU", Class: types.KindText, CollationAware: true,
		Parse: func(v types.Value) (types.Value, error) {
			text := strings.ToUpper(types.ToText(v))
			if !strings.HasPrefix(text, "S-") {
				return types.Null, types.Errorf(types.MISMATCH, "Cannot convert '%s' to SKU", text)
			}
			return types.Text(text), nil
		},
		Valid: func(v types.Value) bool { return v.Kind() == types.KindText && strings.HasPrefix(v.Str(), "S-") },
	}))
	return o
}

// Types and collations of the embedding program shape columns, keys and indexes, and last.
func TestRegisteredTypesAndCollations(t *testing.T) {
	for name, make := range hosts {
		t.Run(name, func(t *testing.T) {
			h := make()
			h.t = t
			h.start(registered(t))
			c := h.conn()
			c.exec("create table part (sku sku primary key, name text collate length); create index ix on part(name); insert into part values ('s-2', 'bb'), ('s-1', 'ccc'), ('S-3', 'a')")
			check := func() {
				require.Equal(t, "S-1 S-2 S-3", c.rows("select sku from part order by sku"))
				require.Equal(t, "a bb ccc", c.rows("select name from part order by name"))
				require.Equal(t, "ccc", c.rows("select name from part where name > 'zz'"))
				c.fails(types.MISMATCH, "SKU", "insert into part (sku, name) values ('x', 'dddd')")
				c.fails(types.CONSTRAINT, "UNIQUE", "insert into part (sku, name) values ('s-1', 'dddd')")
			}
			check()
			c.exec("alter table part add column alt sku default 's-9'; alter table part alter column name set collate binary")
			require.Equal(t, "S-9", c.rows("select distinct alt from part"))
			c.fails(types.ERROR, "Unknown collation", "alter table part alter column name set collate klingon")
			c.exec("alter table part alter column name set collate LENGTH")
			check()
			require.Empty(t, c.plan("declare schema main { table part { sku sku primary key, name text collate length, alt sku default 's-9' } index ix on part(name) }").Statements())
			if h.durable {
				require.NoError(t, c.Close())
				h.reopen(registered(t))
				c = h.conn()
				check()
			}
		})
	}
}

// A database whose collation or type nobody has registered is not opened, with an error that names it, and loses nothing.
func TestReopenWithoutTheRegistered(t *testing.T) {
	h := hosts["pebble"]()
	h.t = t
	h.start(registered(t))
	c := h.conn()
	c.exec("create table plain (id integer primary key); insert into plain values (1); create table part (id integer primary key, name text collate length); insert into part values (1, 'bb'), (2, 'a')")
	before := c.dump()
	require.NoError(t, c.Close())
	require.NoError(t, h.db.Close())

	for range 2 {
		_, err := h.open(engine.Options{})
		require.Error(t, err)
		require.ErrorContains(t, err, "part")
		require.ErrorContains(t, err, "LENGTH")
	}
	h.start(registered(t))
	require.Equal(t, before, h.conn().dump())
}
