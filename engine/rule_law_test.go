package engine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// uniqueRule draws a unique index over t, with the query that counts the pairs of rows that break it.
func (g *relGen) uniqueRule(r *rel) (index, broken string) {
	var members []string
	conds := []string{"a.id < b.id"}
	for range 1 + g.below(2) {
		c := r.cols[g.below(len(r.cols))]
		x := "%s" + c.name
		if g.chance(20) {
			x = g.pick("typeof(%s"+c.name+")", "coalesce(%s"+c.name+", 1)", "lower(%s"+c.name+")") + " collate binary"
		} else if (c.typ == "text" || c.typ == "any") && g.chance(40) {
			x += " collate " + g.pick("nocase", "rtrim", "binary")
		}
		a, b := fmt.Sprintf(x, "a."), fmt.Sprintf(x, "b.")
		members, conds = append(members, fmt.Sprintf(x, "")+g.pick("", " desc")), append(conds, a+" = "+b, "("+a+") is not null")
	}
	where := ""
	if g.chance(40) {
		p := strings.ReplaceAll(g.predicate([]*rel{r}, 1), "t.", "")
		where = " where " + p
		conds = append(conds, "a.id in (select id from t where "+p+")", "b.id in (select id from t where "+p+")")
	}
	return "create unique index rule on t (" + strings.Join(members, ", ") + ")" + where,
		"select count(*) from t a join t b on true where " + strings.Join(conds, " and ")
}

// TestUniqueRules: a unique index, of whatever members and predicate, refuses exactly the rows that would break it, and cannot be made over
// rows that do.
func TestUniqueRules(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := startPair(t)
		defer p.end()
		r := p.rel("t")
		p.plain.conn.exec(r.create("id"))
		p.rich.do(r.create(p.pick("id", "id desc")))
		index, twins := p.uniqueRule(r)
		isBroken := func() bool {
			n, err := p.plain.ask(twins)
			if err != nil {
				require.ErrorIs(t, err, types.ErrCollationConflict)
				t.Skip("the drawn predicate means nothing")
			}
			return n[0] != "[0]"
		}
		isBroken()
		early := p.chance(70)
		if early {
			p.rich.do(index)
		}
		for i := range 10 {
			sql := "insert into t values " + p.row(r, i+1)
			c := r.cols[p.below(len(r.cols))]
			if p.chance(40) {
				sql = p.pick(fmt.Sprintf("update t set %s = %s where id = %d", c.name, p.literal(c.typ), 1+p.below(i+1)), fmt.Sprintf("delete from t where id = %d", 1+p.below(i+1)))
			}
			p.plain.conn.exec("begin; " + sql)
			refused := early && isBroken()
			p.plain.conn.exec(map[bool]string{true: "rollback", false: "commit"}[refused])
			_, err := p.rich.conn.Exec(ctx, sql, engine.Params{})
			t.Logf("%s; -- %v", sql, err)
			if refused {
				require.Equal(t, types.CONSTRAINT, types.CodeOf(err), "%s: %v", sql, err)
			} else {
				require.NoError(t, err, sql)
			}
			p.compare("select * from t order by id", true)
		}
		if !early {
			_, err := p.rich.conn.Exec(ctx, index, engine.Params{})
			require.Equal(t, isBroken(), err != nil, "%s: %v", index, err)
		}
		p.rich.sound()
	})
}

// referenceTypes are pairs of types, of a referenced column and of one that refers to it.
var referenceTypes = [][2]string{
	{"integer", "integer"}, {"integer", "real"}, {"numeric", "integer"}, {"text", "text"}, {"text collate nocase", "text"}, {"text", "text collate nocase"},
	{"text collate rtrim", "text"}, {"timespan", "timespan"}, {"json", "json"}, {"any", "integer"}, {"blob", "blob"}, {"any", "text"}, {"date", "date"}, {"date", "text"},
	{"integer", "text"}, {"boolean", "integer"}, {"any", "any"}, {"timespan", "text"}, {"json", "text"}, {"real", "numeric"},
}

// TestForeignKeysHold: after no commit does a row refer to nothing, by the comparison of the two columns; and indexes on either side change
// nothing of what actions do.
func TestForeignKeysHold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		p := startPair(t)
		defer p.end()
		pair := referenceTypes[p.below(len(referenceTypes))]
		parent, _, _ := strings.Cut(pair[0], " ")
		child, _, _ := strings.Cut(pair[1], " ")
		over, cond := "k", "c.k = p.k"
		if p.chance(30) {
			over, cond = "n, k", "c.n = p.n and c.k = p.k"
		}
		action := func() string { return p.pick("cascade", "set null", "set default", "restrict") }
		p.both(fmt.Sprintf("create table p (id integer primary key, k %s null, n integer null)", pair[0]))
		p.both(fmt.Sprintf("create table c (id integer primary key, k %s null default (%s), n integer null, foreign key (%s) references p (%s) on delete %s on update %s)",
			pair[1], p.literal(child), over, over, action(), action()))
		for _, index := range []string{"create index pk on p (k desc)", "create index ck on c (k, n)", "create index cn on c (n, k)"} {
			if p.chance(50) {
				p.rich.do(index)
			}
		}
		for range 12 {
			p.try(p.referring(parent))
			p.compare("select * from p order by id", true)
			p.compare("select * from c order by id", true)
			if !p.plain.InTransaction() {
				lines, err := p.plain.ask("select * from c where k is not null and n is not null and not exists (select 1 from p where " + cond + ")")
				require.NoError(t, err)
				require.Empty(t, lines)
			}
		}
		p.both("rollback")
		p.rich.sound()
	})
}

// referring draws a change of p or c, or where a transaction begins or ends.
func (p *pair) referring(typ string) string {
	table, id, v := p.pick("p", "c"), 1+p.below(9), p.literal(typ)
	n := p.pick("1", "1", "2", "null")
	insert := p.pick("insert", "insert", "insert or replace", "insert or ignore")
	edge := "begin"
	if p.plain.InTransaction() {
		edge = "commit"
	}
	row := fmt.Sprintf(" into %s values (%d, %s, %s)", table, id, v, n)
	return p.pick(insert+row, insert+row+fmt.Sprintf(", (%d, %s, 1)", 1+p.below(9), p.literal(typ)), insert+row, edge,
		fmt.Sprintf("update %s set k = %s where id %% 3 = %d", table, v, id%3), fmt.Sprintf("update %s set n = %s where id %% 3 = %d", table, n, id%3),
		fmt.Sprintf("delete from %s where id %% 4 = %d", table, id%4), "update "+table+" set k = k where id > 4",
		fmt.Sprintf("insert into %s (id, n) values (%d, %s) on conflict do update set k = %s", table, id, n, v))
}
