package exec_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/exec"
)

// TestWriteLaws runs random statements over tables that refer to each other and themselves, on one database with accesses and on one
// that only scans. Both give the same answers; a statement that fails leaves no trace; no row is ever an orphan after a commit, and
// no uniqueness rule broken.
func TestWriteLaws(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		define := lawTables(rt)
		dbs := []*writeDB{newWriteDB(t), newWriteDB(t)}
		dbs[1].noSeek = true
		for _, db := range dbs {
			_, err := db.do(define)
			require.NoError(t, err)
		}
		for range rapid.IntRange(1, 6).Draw(rt, "statements") {
			sql := lawStatement(rt)
			before := lawDump(t, dbs[0])
			var answers []string
			for _, db := range dbs {
				rows, err := db.do(sql)
				answers = append(answers, fmt.Sprint(rows, err))
				var c *exec.Conflict
				kept := errors.As(err, &c) && c.Action == ast.ConflictFail
				if err != nil && !kept {
					require.Equal(t, before, lawDump(t, db), "%s failed with %v and left something", sql, err)
				}
			}
			require.Equal(t, answers[0], answers[1], "with and without accesses: %s\n%s", define, sql)
			require.Equal(t, lawDump(t, dbs[0]), lawDump(t, dbs[1]), "with and without accesses: %s\n%s", define, sql)
			for _, orphans := range lawOrphans {
				rows, err := dbs[0].do(orphans)
				require.NoError(t, err)
				require.Empty(t, rows, "%s\n%s\n%s", define, sql, orphans)
			}
		}
	})
}

var lawOrphans = []string{
	`select 'kid.p', * from kid where p is not null and p not in (select id from par)`,
	`select 'kid.u', * from kid where u is not null and u not in (select u from par where u is not null)`,
	`select 'par.up', * from par where up is not null and up not in (select id from par)`,
	`select 'twins', u from par where u is not null group by u having count(*) > 1`,
}

func lawDump(t *testing.T, db *writeDB) string {
	var out []string
	for _, table := range []string{"par", "kid"} {
		rows, err := db.do("select * from " + table)
		require.NoError(t, err)
		out = append(out, table+": "+strings.Join(rows, " "))
	}
	return strings.Join(out, "\n")
}

func lawTables(t *rapid.T) string {
	action := func() string {
		return rapid.SampledFrom([]string{"cascade", "restrict", "set null", "set default"}).Draw(t, "action")
	}
	conflict := rapid.SampledFrom([]string{"", "on conflict ignore", "on conflict replace"}).Draw(t, "conflict")
	return fmt.Sprintf(`create table par (id integer primary key, u integer null unique %s, up integer null references par (id) on delete %s on update %s);
		create table kid (id integer primary key, p integer null default 1 references par (id) on delete %s on update %s,
			u integer null references par (u) on delete %s on update %s);
		insert into par values (1, 1, null), (2, 2, 1), (3, null, 2), (4, 4, 4);
		insert into kid values (1, 1, 1), (2, 2, null), (3, 2, 4), (4, null, 2)`,
		conflict, action(), action(), action(), action(), action(), action())
}

func lawStatement(t *rapid.T) string {
	n := func() string {
		return rapid.SampledFrom([]string{"null", "1", "2", "3", "4", "5", "6"}).Draw(t, "value")
	}
	table := rapid.SampledFrom([]string{"par", "kid"}).Draw(t, "table")
	column := rapid.SampledFrom(map[string][]string{"par": {"id", "u", "up"}, "kid": {"id", "p", "u"}}[table]).Draw(t, "column")
	condition := fmt.Sprintf("%s %s %s", column, rapid.SampledFrom([]string{"=", "<", ">="}).Draw(t, "op"), n())
	row := func() string { return fmt.Sprintf("(%s, %s, %s)", n(), n(), n()) }
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0, 1, 2:
		or := rapid.SampledFrom([]string{"", "or replace", "or ignore", "or fail"}).Draw(t, "or")
		return fmt.Sprintf("insert %s into %s values %s, %s, %s returning *", or, table, row(), row(), row())
	case 3:
		return fmt.Sprintf("insert into %s values %s, %s on conflict (id) do update set %s = new.%s returning *", table, row(), row(), column, column)
	case 4:
		return fmt.Sprintf("delete from %s where %s returning *", table, condition)
	}
	value := rapid.SampledFrom([]string{column + " + 1", column + " - 1", n()}).Draw(t, "set")
	return fmt.Sprintf("update %s set %s = %s where %s returning *", table, column, value, condition)
}
