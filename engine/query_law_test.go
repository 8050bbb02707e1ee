package engine_test

import (
	"encoding/json"
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

// pair is two databases with the same rows. One is in memory and has nothing but the key id; the other is on Pebble and has indexes,
// other keys and, at times, hardly any memory to work in.
type pair struct {
	*relGen
	plain, rich *bare
}

func startPair(t *rapid.T) *pair {
	return &pair{&relGen{T: t}, startBare(t, golden.MemorySession), startBare(t, golden.PebbleSession)}
}

func (p *pair) end() {
	p.plain.end()
	p.rich.end()
}

func (p *pair) both(sql string) {
	p.plain.conn.exec(sql)
	p.rich.do(sql)
}

// setUp makes and fills the tables t and u.
func (p *pair) setUp(rows int, key func(*rel) string) {
	for _, name := range []string{"t", "u"} {
		r := p.rel(name)
		p.plain.conn.exec(r.create("id"))
		p.rich.do(r.create(key(r)))
		late := p.chance(30)
		fill, indexes := p.fill(r, rows), p.indexes(r)
		if late {
			fill, indexes = nil, append(fill, indexes...)
		}
		for _, sql := range indexes {
			if strings.HasPrefix(sql, "insert") {
				p.plain.conn.exec(sql)
			}
			p.rich.do(sql)
		}
		for _, sql := range fill {
			p.both(sql)
		}
	}
	if p.chance(50) {
		p.rich.do("analyze") // statistics change no answer
	}
}

func (p *pair) limitMemory() {
	p.rich.do("pragma memory_budget = " + p.pick("1", "600", "3000", "67108864", "67108864"))
}

// try runs a statement on both, which must meet the same fate.
func (p *pair) try(sql string) {
	n, errA := p.plain.conn.Exec(ctx, sql, engine.Params{})
	m, errB := p.rich.conn.Exec(ctx, sql, engine.Params{})
	p.Logf("%s; -- %v", sql, errA)
	require.Equal(p, types.CodeOf(errA), types.CodeOf(errB), "%s: %v, %v", sql, errA, errB)
	require.NotEqual(p, types.INTERNAL, types.CodeOf(errA), "%s: %v", sql, errA)
	require.Equal(p, n, m, sql)
}

// compare asks both the same.
func (p *pair) compare(sql string, ordered bool) {
	want, errA := p.plain.ask(sql)
	got, errB := p.rich.ask(sql)
	require.Equal(p, types.CodeOf(errA), types.CodeOf(errB), "%s: %v, %v", sql, errA, errB)
	if !ordered {
		want, got = sorted(want), sorted(got)
	}
	require.Equal(p, want, got, "%s;", sql)
}

// TestIndexesChangeNoAnswer: keys, indexes, spilling and the engine change no answer; nor does a LIMIT around a table, which keeps
// conditions and seeks out of it.
func TestIndexesChangeNoAnswer(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := startPair(t)
		defer p.end()
		p.setUp(9, p.key)
		g := &queryGen{relGen: p.relGen}
		for range 4 {
			sql, ordered := g.query()
			p.limitMemory()
			p.compare(sql, ordered)
			walled := sql
			for _, r := range p.rels {
				walled = strings.ReplaceAll(walled, " "+r.name+" s", " (select * from "+r.name+" limit 100000) s")
			}
			want, errA := p.plain.ask(sql)
			got, errB := p.plain.ask(walled)
			require.Equal(t, types.CodeOf(errA), types.CodeOf(errB), "%s: %v, %v", walled, errA, errB)
			require.Equal(t, sorted(want), sorted(got), walled)
		}
	})
}

// TestIndexesChangeNoWrite: nor do they change what data changes do, in and out of transactions with savepoints, and what is read between.
func TestIndexesChangeNoWrite(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := startPair(t)
		defer p.end()
		p.limitMemory()
		p.setUp(9, func(*rel) string { return p.pick("id", "id desc") })
		depth, inside := 0, p.chance(60)
		if inside {
			p.both("begin")
		}
		for range 10 {
			switch n := p.below(10); {
			case n == 0 && inside:
				depth++
				p.both(fmt.Sprintf("savepoint s%d", depth))
			case n < 3 && depth > 0:
				depth = 1 + p.below(depth)
				p.both(fmt.Sprintf("rollback to s%d", depth))
			case n == 3 && !inside:
				p.rich.reopen()
			case n < 8:
				r := p.rels[p.below(2)]
				p.try(p.change(r))
				p.compare("select * from "+r.name+" order by id", true)
			default:
				p.compare("select * from t where "+p.predicate(p.rels[:1], 2), false)
			}
		}
		if inside {
			p.both(p.pick("commit", "commit", "rollback"))
		}
		p.rich.sound()
		p.rich.reopen()
		p.compare("select * from t where "+p.predicate(p.rels[:1], 2), false)
	})
}

// change draws a data change whose outcome does not depend on the order in which rows are visited.
func (p *pair) change(r *rel) string {
	where := " where (" + p.predicate([]*rel{r}, 1) + ")"
	c := r.cols[p.below(len(r.cols))]
	switch p.below(7) {
	case 0:
		return "delete from " + r.name + where
	case 1, 2:
		return "update " + r.name + " set " + c.name + " = " + p.literal(c.typ) + where
	case 3:
		return "update " + r.name + " set id = " + r.name + ".id + 1000" + where + " and " + r.name + ".id < 1000"
	case 4:
		return "insert or ignore into " + r.name + " select id + 50, " + r.names() + " from " + r.name + where
	}
	return "insert " + p.pick("or replace", "or ignore") + " into " + r.name + " values " + p.row(r, 1+p.below(20)) + ", " + p.row(r, 1+p.below(20))
}

// oracle knows what expressions say of rows and derives from it what queries must answer.
type oracle struct {
	*relGen
	b    *bare
	t, u *rel
}

// TestQueriesFollowValues: what WHERE, joins, EXISTS, IN, grouping, DISTINCT and ORDER BY answer is what the values of their expressions for
// every row, or pair of rows, say.
func TestQueriesFollowValues(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		b := startBare(t, golden.MemorySession)
		defer b.end()
		o := &oracle{relGen: &relGen{T: t}, b: b}
		for _, name := range []string{"t", "u"} {
			r := o.rel(name)
			b.do(r.create(o.key(r)))
			for _, sql := range append(o.indexes(r), o.fill(r, 7)...) {
				b.do(sql)
			}
		}
		o.t, o.u = o.rels[0], o.rels[1]
		b.do("pragma memory_budget = " + o.pick("1", "600", "67108864", "67108864"))
		o.partition()
		o.join()
		o.membership()
		o.grouping()
	})
}

// values gives, by the ids that are its first columns, what the last column of a query is: null, true, false.
func (o *oracle) values(sql string, ids int) (map[[2]int]string, bool) {
	lines, err := o.b.ask(sql)
	if err != nil {
		require.Equal(o, types.ERROR, types.CodeOf(err), "%s: %v", sql, err) // collations that conflict
		return nil, false
	}
	out := map[[2]int]string{}
	for _, l := range lines {
		var row []json.RawMessage
		require.NoError(o, json.Unmarshal([]byte(l), &row))
		var key [2]int
		for i := range ids {
			require.NoError(o, json.Unmarshal(row[i], &key[i]))
		}
		out[key] = string(row[ids])
	}
	return out, true
}

func (o *oracle) expect(sql string, want []string) {
	got, err := o.b.ask(sql)
	require.NoError(o, err, sql)
	require.Equal(o, sorted(want), sorted(got), "%s;", sql)
}

func (o *oracle) partition() {
	p := o.predicate([]*rel{o.t}, 2)
	v, ok := o.values("select id, ("+p+") from t", 1)
	if !ok {
		return
	}
	for where, is := range map[string]string{p: "true", "not (" + p + ")": "false", "(" + p + ") is null": "null"} {
		var want []string
		for id, x := range v {
			if x == is {
				want = append(want, fmt.Sprintf("[%d]", id[0]))
			}
		}
		o.expect("select id from t where "+where, want)
		o.expect("select count(*) from t where "+where, []string{fmt.Sprintf("[%d]", len(want))})
	}
}

func (o *oracle) join() {
	both := []*rel{o.t, o.u}
	on := o.predicate(both, 1)
	if o.chance(50) {
		x, typ := o.column(o.t)
		on = x + " = " + o.like(typ, o.u) + o.pick("", " and "+o.predicate(both, 0))
	}
	v, ok := o.values("select t.id, u.id, ("+on+") from t cross join u", 2)
	if !ok {
		return
	}
	var matches, exists, missing, counts, noLeft, noRight []string
	inT, inU := map[int]int{}, map[int]int{}
	for k, x := range v {
		if x == "true" {
			inT[k[0]]++
			inU[k[1]]++
			matches = append(matches, fmt.Sprintf("[%d,%d]", k[0], k[1]))
		}
	}
	for id := 1; id <= o.t.rows; id++ {
		counts = append(counts, fmt.Sprintf("[%d,%d]", id, inT[id]))
		if inT[id] > 0 {
			exists = append(exists, fmt.Sprintf("[%d]", id))
			continue
		}
		missing, noRight = append(missing, fmt.Sprintf("[%d]", id)), append(noRight, fmt.Sprintf("[%d,null]", id))
	}
	for id := 1; id <= o.u.rows; id++ {
		if inU[id] == 0 {
			noLeft = append(noLeft, fmt.Sprintf("[null,%d]", id))
		}
	}
	for kind, want := range map[string][]string{
		"join": matches, "left join": slices.Concat(matches, noRight), "right join": slices.Concat(matches, noLeft), "full join": slices.Concat(matches, noLeft, noRight),
	} {
		o.expect("select t.id, u.id from t "+kind+" u on "+on, want)
		o.expect("select t.id, u.id from t "+kind+" u on "+on+" order by u.id, t.id", want)
	}
	o.expect("select id from t where exists (select 1 from u where "+on+")", exists)
	o.expect("select id from t where not exists (select * from u where "+on+")", missing)
	o.expect("select id, (select count(*) from u where "+on+") from t", counts)
	o.expect("select t.id, x.n from t cross join lateral (select count(*) as n from u where "+on+") x", counts)
	o.expect("select t.id, count(u.id) from t left join u on "+on+" group by t.id", counts)
}

func (o *oracle) membership() {
	x, typ := o.operand([]*rel{o.t})
	y := o.like(typ, o.u)
	where := o.pick("true", o.predicate([]*rel{o.u}, 0), o.predicate([]*rel{o.t, o.u}, 0))
	equal, ok := o.values("select t.id, u.id, "+x+" = "+y+" from t cross join u", 2)
	member, also := o.values("select t.id, u.id, ("+where+") from t cross join u", 2)
	if !ok || !also {
		return
	}
	null, _ := o.values("select id, "+x+" is null from t", 1)
	var in, notIn []string
	for id := 1; id <= o.t.rows; id++ {
		found, unknown := false, null[[2]int{id}] == "true"
		for other := 1; other <= o.u.rows; other++ {
			k := [2]int{id, other}
			found = found || member[k] == "true" && equal[k] == "true"
			unknown = unknown || member[k] == "true" && equal[k] == "null"
		}
		switch {
		case found:
			in = append(in, fmt.Sprintf("[%d]", id))
		case !unknown:
			notIn = append(notIn, fmt.Sprintf("[%d]", id))
		}
	}
	o.expect("select id from t where "+x+" in (select "+y+" from u where "+where+")", in)
	o.expect("select id from t where "+x+" not in (select "+y+" from u where "+where+")", notIn)
}

func (o *oracle) grouping() {
	x, _ := o.column(o.t)
	y := strings.Replace(x, "t.", "v.", 1)
	same, ok := o.values("select t.id, v.id, "+x+" is "+y+" from t cross join t v", 2)
	if !ok {
		return
	}
	var groups []string
	grouped := map[int]bool{}
	for id := 1; id <= o.t.rows; id++ {
		if grouped[id] {
			continue
		}
		var ids []string
		for other := id; other <= o.t.rows; other++ {
			if same[[2]int{id, other}] == "true" {
				ids, grouped[other] = append(ids, fmt.Sprint(other)), true
			}
		}
		groups = append(groups, `["`+strings.Join(ids, ",")+`"]`)
	}
	n := []string{fmt.Sprintf("[%d]", len(groups))}
	o.expect("select group_concat(id order by id) from t group by "+x, groups)
	o.expect("select group_concat(id order by id) from (select * from t order by "+x+" desc, id) t group by "+x, groups)
	o.expect("select count(*) from (select distinct "+x+" from t)", n)
	o.expect("select count(*) from (select "+x+" from t union select "+x+" from t)", n)
	o.expect("select count(*) from (select "+x+" from t intersect select "+x+" from t)", n)
	o.expect("select count(*) from (select "+x+" from t except select "+x+" from t)", []string{"[0]"})
	o.inOrder(x, y)
}

// inOrder checks that no row comes before one that is less, and NULLs before all others.
func (o *oracle) inOrder(x, y string) {
	less, _ := o.values("select t.id, v.id, coalesce("+x+" < "+y+", "+x+" is null and "+y+" is not null) from t cross join t v", 2)
	for _, desc := range []string{"", " desc"} {
		lines, err := o.b.ask("select id from t order by " + x + desc + ", id")
		require.NoError(o, err)
		require.Len(o, lines, o.t.rows)
		null, _ := o.values("select id, "+x+" is null from t", 1)
		ids := make([]int, len(lines))
		for i, l := range lines {
			require.NoError(o, json.Unmarshal([]byte(l[1:len(l)-1]), &ids[i]))
			for _, before := range ids[:i] {
				wrong := less[[2]int{ids[i], before}]
				if desc != "" && null[[2]int{before}] == "false" && null[[2]int{ids[i]}] == "false" {
					wrong = less[[2]int{before, ids[i]}]
				}
				if desc != "" && null[[2]int{before}] == "true" {
					wrong = "false"
				}
				require.NotEqual(o, "true", wrong, "order by %s%s: %v", x, desc, lines)
			}
		}
	}
}
