package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/golden"
)

// TestEveryTargetIsReached goes from one random schema to the next without rows that could stand in the way: every migration is carried
// out, whatever the order in which the items are written, and leaves nothing to do. Names pass from one kind of object to another, columns
// come and go below stars, and collations of what is compared change together.
func TestEveryTargetIsReached(t *testing.T) { rapid.Check(t, reachLaw) }

func reachLaw(t *rapid.T) {
	db := startBare(t, golden.MemorySession)
	defer db.end()
	now := &proofGen{T: t, last: map[string]int{}}
	for range 3 {
		next := now.next()
		text := db.meaningful(next)
		if text == "" {
			continue
		}
		now = next
		t.Log(text)
		p := db.conn.plan(text)
		isForetold := false
		for _, s := range p.Steps {
			t.Log(s.SQL)
			isForetold = isForetold || len(s.Hazards) > 0 && s.Hazards[0].Severity == differ.Failure
		}
		if isForetold { // a key member is retyped
			return
		}
		_, err := db.conn.Migrate(ctx, p, engine.MigrateOptions{
			Allow: differ.Failure, Allowances: []differ.Allowance{{Code: string(differ.LikelyRename)}},
		})
		if failed := (*engine.MigrateError)(nil); errors.As(err, &failed) {
			for _, f := range failed.Failures {
				t.Logf("%s: %v", f.SQL, f.Err)
			}
		}
		require.NoError(t, err)
		require.Empty(t, db.conn.plan(text).Statements(), "the second plan")
	}
}

// meaningful gives a declaration of what is drawn, its items in any order, and of further items as far as they mean something beside the
// others; "" when the first do not.
func (b *bare) meaningful(g *proofGen) string {
	items := g.items()
	means := func(items []string) bool {
		_, err := b.conn.Verify(declared(b.T, spelled(items)), nil)
		return err == nil
	}
	if !means(items) {
		return ""
	}
	for _, x := range g.wild() {
		if more := append(items[:len(items):len(items)], x); means(more) {
			items = more
		}
	}
	return spelled(rapid.Permutation(items).Draw(b.T, "order"))
}

// wild draws objects whose needs do not show in their texts, or whose names others may have had.
func (g *proofGen) wild() []string {
	t, u := g.anyTable(), g.anyTable()
	x, y := t.name+"."+g.anyColumn(t).name, "u."+g.anyColumn(u).name
	list := make([]string, len(t.columns)+1)
	for i := range list {
		list[i] = fmt.Sprintf("x%d", i)
	}
	var out []string
	add := func(percent int, format string, args ...any) {
		if g.chance(percent) {
			out = append(out, fmt.Sprintf(format, args...))
		}
	}
	add(70, "%s", g.pick("table r { id integer primary key, x text null }", "view r as select id, "+g.anyColumn(t).name+" as x from "+t.name, "view r as select id, 1 as x from "+t.name))
	add(50, "view q as select id from r where x is not null")
	add(50, "table s { id integer primary key, %sn integer null, %s }", g.pick("", "r integer null, "), g.pick(
		"constraint k check (n in (select id from r))", "check (n in (select id from r))", "constraint m unique (n)", "foreign key (n) references r(id)", "constraint m check (n > 0)",
		"constraint k foreign key (n) references "+t.name, "n2 integer null"))
	add(40, "%sindex %s on s (n)", g.pick("unique ", ""), g.pick("k", "m"))
	add(50, "view w (%s) as select * from %s", strings.Join(list, ", "), t.name)
	add(30, "view w2 (%s) as select * from w", strings.Join(list, ", "))
	add(40, "view z as select * from %s union all select * from %s", t.name, g.pick(u.name, "s", "r"))
	add(40, "view i as select id from %s where id in (select * from s)", t.name)
	add(50, "view j as select u.id from %s join %s as u on %s = %s", t.name, u.name, x, y)
	add(40, "assertion e check (not exists (select 1 from %s, %s as u where %s = %s))", t.name, u.name, x, y)
	add(30, "assertion e2 check ((select count(*) from (select * from r union all select * from s)) < 9)")
	return out
}

func spelled(items []string) string {
	return "declare schema main {\n" + strings.Join(items, "\n") + "\n}"
}
