package engine_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/golden"
	"github.com/quereus/quereus-migrate/types"
)

// trio are three databases that must give one answer: in memory, on disk, and on disk opened again now and then.
type trio struct {
	*rapid.T
	hosts []*host
	conns []*engine.Conn
	rows  [][]*engine.Rows // half read, by host
	inTx  bool
	seen  []string
}

// sameModule leaves out where tables are kept.
var sameModule = strings.NewReplacer(" USING memory", "", " USING store", "")

func startTrio(t *rapid.T) *trio {
	r := &trio{T: t}
	for _, kind := range []string{"memory", "pebble", "pebble"} {
		h := hosts[kind]()
		db, err := h.open(engine.Options{})
		require.NoError(t, err)
		h.db = db
		r.hosts = append(r.hosts, h)
		r.conns = append(r.conns, db.Conn())
	}
	r.rows = make([][]*engine.Rows, len(r.hosts))
	return r
}

func (r *trio) end() {
	for i, h := range r.hosts {
		require.NoError(r, r.conns[i].Close())
		require.NoError(r, h.db.Close())
	}
}

func (r *trio) below(n int) int { return rapid.IntRange(0, n-1).Draw(r.T, "n") }

func (r *trio) of(from ...string) string { return from[r.below(len(from))] }

// all asks each database and demands that the answers are one.
func (r *trio) all(what string, ask func(i int) string) string {
	first := ask(0)
	r.seen = append(r.seen, what+" -> "+first)
	for i := 1; i < len(r.hosts); i++ {
		if got := ask(i); got != first {
			require.Equal(r, first, got, "database %d after\n%s", i, strings.Join(r.seen, "\n"))
		}
	}
	return first
}

// answered renders an answer, which it reads up to most rows; the rows are left open when there are more.
func (r *trio) answered(i int, sql string, most int) string {
	rows, err := r.conns[i].Query(ctx, sql, engine.Params{})
	if err != nil {
		return r.failed(err)
	}
	out := fmt.Sprintf("%d %v", rows.Changes(), rows.Columns())
	for range most {
		row, err := rows.Next()
		if err != nil {
			rows.Close()
			return out + r.failed(err)
		}
		if row == nil {
			require.NoError(r, rows.Close())
			return out
		}
		out += shown(row)
	}
	r.rows[i] = append(r.rows[i], rows)
	return out + " …"
}

// shown renders a row with the kinds of its values.
func shown(row types.Row) (out string) {
	for _, v := range row {
		out += fmt.Sprintf(" %v:%s", v.Kind(), types.ToText(v))
	}
	return out
}

func (r *trio) failed(err error) string {
	require.NotEqual(r, types.INTERNAL, types.CodeOf(err), "%v after\n%s", err, strings.Join(r.seen, "\n"))
	return fmt.Sprintf("%s: %v", types.CodeOf(err), err)
}

func (r *trio) run(sql string) string {
	return r.all(sql, func(i int) string { return r.answered(i, sql, 1<<20) })
}

// content compares everything that there is, and has it judged: no constraint may be broken.
func (r *trio) content() {
	r.all("dump", func(i int) string {
		d, err := golden.Dump(ctx, r.conns[i])
		require.NoError(r, err)
		return sameModule.Replace(d)
	})
	if r.inTx {
		return
	}
	r.all("check", func(i int) string {
		report, err := r.hosts[i].db.Check(ctx)
		require.NoError(r, err)
		require.Empty(r, report.Faults, "after\n%s", strings.Join(r.seen, "\n"))
		var found []string
		for _, b := range report.Broken {
			found = append(found, b.String())
		}
		return strings.Join(found, "; ")
	})
}

// reopen closes the third database and opens it again.
func (r *trio) reopen() {
	r.rows[2] = nil
	r.seen = append(r.seen, "reopen")
	require.NoError(r, r.conns[2].Close())
	require.NoError(r, r.hosts[2].db.Close())
	db, err := r.hosts[2].open(engine.Options{})
	require.NoError(r, err)
	r.hosts[2].db, r.conns[2] = db, db.Conn()
}

// readOn reads on in rows that were left open; in the third database they may have gone with it.
func (r *trio) readOn() {
	for len(r.rows[0]) > 0 {
		var got [2]string
		for i := range got {
			rows := r.rows[i][0]
			r.rows[i] = r.rows[i][1:]
			row, err := rows.Next()
			if err != nil {
				got[i] = r.failed(err)
			} else {
				got[i] = shown(row)
			}
			require.NoError(r, rows.Close())
		}
		r.seen = append(r.seen, "read on -> "+got[0])
		require.Equal(r, got[0], got[1], "rows left open, after\n%s", strings.Join(r.seen, "\n"))
	}
}

func (r *trio) value() string {
	return r.of("null", "0", "1", "2", "3", "-1", "'a'", "'A'", "'1'", "2.5", "'b '", "9007199254740993")
}

func (r *trio) table() string { return r.of("a", "b", "c") }

func (r *trio) column() string { return r.of("k", "l", "n", "s") }

func (r *trio) where() string {
	return r.of("", " where k = "+r.value(), " where k is null", " where "+r.column()+" "+r.of("=", "<", ">=", "is not")+" "+r.value(),
		" where "+r.column()+" in (select "+r.column()+" from "+r.table()+")", " where n > (select min(n) from "+r.table()+")")
}

func (r *trio) rule() string {
	return r.of("", "", ", constraint ck check (n <> 3)", ", constraint dq check (n in (select n from "+r.table()+"))",
		", constraint fk foreign key (n) references "+r.table()+" (k)"+r.of("", " on delete cascade", " on update cascade", " on delete set null"),
		", constraint uq unique ("+r.column()+")", ", constraint od check on delete (old.n is null or old.n < 3)")
}

func (r *trio) definition(t string) string {
	typ := func() string { return r.of("integer", "text", "any", "real") }
	return fmt.Sprintf("create table %s (k %s%s, l %s null default 7, n %s null, s text null%s, primary key (%s)%s%s)", t, typ(), r.of("", " null"), typ(), typ(),
		r.of("", " collate nocase", " collate binary", " collate rtrim"), r.of("k", "k", "k desc", "k, l", ""), r.rule(), strings.NewReplacer(" ck ", " ck2 ", " fk ", " fk2 ", " uq ", " uq2 ", " dq ", " dq2 ", " od ", " od2 ").Replace(r.rule()))
}

func (r *trio) statement() string {
	t := r.table()
	switch r.below(20) {
	case 0, 1, 2, 3, 4:
		return fmt.Sprintf("insert %sinto %s (k, l, n, s) values (%s, %s, %s, %s), (%s, %s, %s, %s)%s", r.of("", "", "", "or ignore ", "or replace ", "or fail ", "or abort ", "or replace "), t,
			r.value(), r.value(), r.value(), r.value(), r.value(), r.value(), r.value(), r.value(), r.of("", "", " returning *", " on conflict do nothing"))
	case 5, 6, 7:
		return fmt.Sprintf("update %s set %s = %s%s%s", t, r.column(), r.of(r.value(), r.column(), "n + 1"), r.where(), r.of("", " returning k, n"))
	case 8, 9:
		return fmt.Sprintf("delete from %s%s%s", t, r.where(), r.of("", "", " returning *"))
	case 10:
		return r.definition(t)
	case 11:
		return r.of("drop table "+t, "create index i"+t+" on "+t+" ("+r.column()+r.of("", " desc", " collate nocase")+")", "drop index i"+t)
	case 12, 13, 14:
		c := r.column()
		return "alter table " + t + " " + r.of("alter primary key (k)", "alter primary key (l, k)", "alter primary key (n)", "alter primary key (k, n)", "alter column "+c+" set data type "+r.of("text", "integer", "any", "real"),
			"alter column "+c+" set collate "+r.of("nocase", "binary", "rtrim"), "alter column "+c+" "+r.of("set", "drop")+" not null", "rename column "+c+" to z", "rename column z to "+c,
			"drop column "+c, "add column "+c+" integer null default 1", "rename to d", "add constraint ck check (n <> 3)", "drop constraint ck", "drop constraint fk", "drop constraint dq",
			"add constraint uq unique ("+c+")", "add constraint fk foreign key (n) references "+r.table()+" (k)")
	case 15:
		return "alter table d rename to " + t
	default:
		return fmt.Sprintf("select %s, count(*), min(%s) from %s%s group by 1 order by 1, 2, 3", r.column(), r.column(), t, r.where())
	}
}

// step does one thing on all three.
func (r *trio) step() {
	switch n := r.below(40); {
	case n < 4 && !r.inTx:
		r.run("begin")
		r.inTx = true
	case n < 4:
		r.run(r.of("commit", "commit", "rollback"))
		r.inTx = false
		r.content()
	case n < 8 && r.inTx:
		r.run(r.of("savepoint s", "savepoint v", "rollback to s", "rollback to v", "release s"))
	case n == 8 && !r.inTx:
		r.reopen()
	case n == 9:
		sql := "select * from " + r.table() + " order by k, l, n, s"
		r.all("open "+sql, func(i int) string { return r.answered(i, sql, 1) })
	case n == 10:
		r.readOn()
	default:
		r.run(r.statement())
	}
}

// TestThreeEnginesOneAnswer: whatever statements run, the engine in memory, on disk and opened again gives the same answers, errors and rows,
// and no constraint is ever found broken.
func TestThreeEnginesOneAnswer(t *testing.T) {
	steps := 60
	if os.Getenv("QUEREUS_LONG") != "" {
		steps = 400
	}
	rapid.Check(t, func(t *rapid.T) {
		r := startTrio(t)
		defer r.end()
		for _, name := range []string{"a", "b", "c"} {
			r.run(r.definition(name))
		}
		for range steps {
			r.step()
		}
		r.run("commit")
		r.inTx = false
		r.content()
	})
}
