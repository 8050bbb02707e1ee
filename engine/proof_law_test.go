package engine_test

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/golden"
	"github.com/quereus/quereus-migrate/types"
)

// TestMigrationsKeepEveryRule goes from one random schema full of rules to the next, with rows. A plan is empty exactly when the hashes are
// equal. A migration that is carried out leads to the hash that was promised and leaves nothing to do; kept values of kept rows are there;
// and every constraint, generated column, view, assertion and index holds on a full check. An undo gives back the hash and the rows, and an
// undo of that what the migration made. One that is refused by policy or by rows, one that is cancelled, and a dry run change nothing.
// Memory, a database directory and a reopen agree.
//
//	QUEREUS_LONG=10m go test ./engine -run MigrationsKeepEveryRule -timeout 60m -v
func TestMigrationsKeepEveryRule(t *testing.T) {
	var pairs int
	long, err := time.ParseDuration(os.Getenv("QUEREUS_LONG"))
	if err != nil {
		rapid.Check(t, func(t *rapid.T) { proofLaw(t, 3, &pairs) })
		return
	}
	told := 0
	for began := time.Now(); time.Since(began) < long && !t.Failed(); {
		rapid.Check(t, func(t *rapid.T) { proofLaw(t, 15, &pairs) })
		if pairs >= told+1000 {
			told = pairs
			fmt.Fprintf(os.Stderr, "%d pairs in %s\n", pairs, time.Since(began).Round(time.Second))
		}
	}
	t.Logf("%d pairs", pairs)
}

// proofLaw walks through some schemas, and counts the pairs of them that mean something.
func proofLaw(t *rapid.T, steps int, pairs *int) {
	memory, disk := startBare(t, golden.MemorySession), startBare(t, openDirectory)
	defer memory.end()
	defer disk.end()
	now := &proofGen{T: t, last: map[string]int{}}
	for range steps {
		next := now.next()
		text := next.declaration()
		d := declared(t, text)
		if _, err := memory.conn.Verify(d, nil); err != nil {
			if steps == 3 {
				t.Skip("the drawn schema means nothing: ", err)
			}
			continue
		}
		*pairs++
		tries := now.tries()
		reached := memory.migrateTo(text, tries)
		require.Equal(t, reached, disk.migrateTo(text, tries), text)
		if !reached {
			continue
		}
		now = next
		if now.chance(15) {
			memory.reorder(d)
			disk.reorder(d)
		}
		for _, sql := range now.rows() {
			_, err := memory.conn.Exec(ctx, sql, engine.Params{})
			_, other := disk.conn.Exec(ctx, sql, engine.Params{})
			require.Equal(t, types.CodeOf(err), types.CodeOf(other), sql)
		}
		if tries.reopens {
			disk.reopen()
		}
		require.Equal(t, memory.conn.dump(), strings.ReplaceAll(disk.conn.dump(), " USING store\n", " USING memory\n"))
		disk.sound()
	}
}

// proofTries are what is done with a migration besides carrying it out.
type proofTries struct {
	dryRuns, isRefused, cancels, undoes, redoes, writes, reopens bool
	cancelAt                                                     int
}

func (g *proofGen) tries() proofTries {
	return proofTries{
		dryRuns: g.chance(40), isRefused: g.chance(25), cancels: g.chance(25), undoes: g.chance(30), redoes: g.chance(50), writes: g.chance(50), reopens: g.chance(40),
		cancelAt: rapid.IntRange(0, 5).Draw(g.T, "cancel at"),
	}
}

// migrateTo migrates, proves what came of it, and reports whether the schema was reached.
func (b *bare) migrateTo(text string, tries proofTries) bool {
	c := b.conn
	before, kept, held := c.dump(), b.values(), len(b.sound().Broken) == 0
	b.Log(text)
	p := c.plan(text)
	for _, s := range p.Steps {
		b.Log(s.SQL)
	}
	require.Equal(b, p.From == p.To, len(p.Statements()) == 0, "a plan is empty exactly when the hashes are equal")
	if tries.isRefused {
		b.refuse(p, before)
	}
	if tries.cancels && len(p.Steps) > 0 {
		b.cancel(p, tries.cancelAt%len(p.Steps), before)
	}
	var dry error
	if tries.dryRuns {
		_, dry = c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Destructive, DryRun: true})
		require.Equal(b, before, c.dump(), "a dry run")
	}
	_, err := c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Destructive})
	if tries.dryRuns {
		require.Equal(b, fmt.Sprint(dry), fmt.Sprint(err), "a dry run tells what would be")
	}
	if err != nil {
		require.Equal(b, before, c.dump(), "a migration that failed")
		b.refusal(err)
		return false
	}
	if d, ok := b.Session.(*directory); ok && tries.undoes && len(p.Steps) > 0 {
		b.undoAndRedo(d, p, before, tries.redoes)
		c = b.conn
	}
	second := c.plan(text)
	require.Empty(b, second.Statements(), "the second plan")
	require.Equal(b, p.To, second.From)
	if broken := b.sound().Broken; held { // a CHECK that reads another table is not judged by writing that
		require.Empty(b, broken)
		b.proveRules(tries.writes)
	}
	b.proveKept(p, kept)
	return true
}

// refuse runs a plan under a policy that lets no warning through, if it has one.
func (b *bare) refuse(p *differ.Plan, before string) {
	for _, s := range p.Steps {
		if len(s.Hazards) > 0 && s.Hazards[0].Severity > differ.Info {
			_, err := b.conn.Migrate(ctx, p, engine.MigrateOptions{})
			require.ErrorAs(b, err, new(*engine.PolicyError))
			require.Equal(b, before, b.conn.dump(), "a migration that policy refused")
			return
		}
	}
}

// cancel ends a run when a step begins.
func (b *bare) cancel(p *differ.Plan, step int, before string) {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	_, err := b.conn.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Destructive, Progress: func(at engine.Progress) {
		if at.Step == step {
			stop()
		}
	}})
	require.Error(b, err)
	require.Equal(b, before, b.conn.dump(), "a migration that was cancelled in step %d: %v", step+1, err)
}

// undoAndRedo takes the migration back, and carries it out again or takes that back.
func (b *bare) undoAndRedo(d *directory, p *differ.Plan, before string, redoes bool) {
	after := b.conn.dump()
	undo := func(want, hash string) {
		_, err := d.db.Undo(ctx, engine.UndoOptions{})
		require.NoError(b, err)
		b.reopen()
		require.Equal(b, want, b.conn.dump(), "an undo")
		cat, err := b.conn.Catalog()
		require.NoError(b, err)
		require.Equal(b, hash, catalog.Hash(cat, "main"), "an undo")
		b.sound()
	}
	undo(before, p.From)
	if redoes {
		_, err := b.conn.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Destructive})
		require.NoError(b, err, "carried out again")
		require.Equal(b, after, b.conn.dump(), "carried out again")
	} else {
		undo(after, p.To)
	}
}

// reorder puts the columns into the declared order, which changes nothing else.
func (b *bare) reorder(d *catalog.Declared) {
	c, kept := b.conn, b.values()
	p, err := c.Diff(ctx, d, engine.DiffOptions{ColumnOrder: true})
	require.NoError(b, err)
	for _, s := range p.Steps {
		b.Log(s.SQL)
		require.Equal(b, differ.MetadataOnly, s.Effect.Kind)
	}
	_, err = c.Migrate(ctx, p, engine.MigrateOptions{Allow: differ.Destructive})
	require.NoError(b, err)
	second, err := c.Diff(ctx, d, engine.DiffOptions{ColumnOrder: true})
	require.NoError(b, err)
	require.Empty(b, second.Statements())
	require.Equal(b, p.From, second.From)
	b.sound()
	b.proveKept(p, kept)
}

// refusal takes what rows can be the reason of.
func (b *bare) refusal(err error) {
	var failed *engine.MigrateError
	require.ErrorAs(b, err, &failed)
	for _, f := range failed.Failures {
		b.Logf("%s: %v", f.SQL, f.Err)
		if code := types.CodeOf(f.Err); f.Err != nil && code != types.CONSTRAINT && code != types.MISMATCH {
			b.Fatalf("%s: %v", f.SQL, f.Err)
		}
	}
}

// proveRules tests everything that is declared by queries of its own, and by writing every row as it is where that is asked for.
func (b *bare) proveRules(writes bool) {
	cat, err := b.conn.Catalog()
	require.NoError(b, err)
	for t := range cat.Tables("main") {
		for _, k := range t.Checks {
			b.none("select 1 from " + t.Name + " where not (" + ast.Format(k.X) + ")")
		}
		for _, fk := range t.ForeignKeys {
			up := fk.ParentColumns
			parent := cat.Table("main", fk.ParentTable)
			if up == nil {
				up = parent.ColumnNames(parent.KeyColumns())
			}
			child := t.Columns[fk.Columns[0]].Name
			b.none(fmt.Sprintf("select 1 from %s as c where c.%s is not null and not exists (select 1 from %s as p where p.%s = c.%s)", t.Name, child, fk.ParentTable, up[0], child))
		}
	}
	for v := range cat.Views("main") {
		_, err := b.Query(ctx, "select * from "+v.Name)
		require.NoError(b, err, "view %s", v.Name)
	}
	for a := range cat.Assertions("main") {
		b.none("select 1 where not (" + ast.Format(a.X) + ")")
	}
	if !writes {
		return
	}
	before := b.conn.dump()
	for t := range cat.Tables("main") {
		_, err := b.conn.Exec(ctx, "begin; update "+t.Name+" set id = id", engine.Params{})
		require.NoError(b, err, "writing %s as it is", t.Name)
		require.Equal(b, before, b.conn.dump(), "generated columns of %s", t.Name)
		b.conn.exec("rollback")
		_, err = b.conn.Exec(ctx, "begin; update "+t.Name+" set id = id; commit", engine.Params{})
		require.NoError(b, err, "committing %s as it is", t.Name)
	}
}

// none proves that a query finds nothing.
func (b *bare) none(sql string) {
	lines, err := b.Query(ctx, sql)
	require.NoError(b, err, sql)
	require.Len(b, lines, 1, sql)
}

// keptValues are the values of plain columns, by table, id and column; ids stand for rows.
type keptValues map[string]map[string]types.Value

func (b *bare) values() keptValues {
	cat, err := b.conn.Catalog()
	require.NoError(b, err)
	out := keptValues{}
	for t := range cat.Tables("main") {
		rows, err := b.conn.Query(ctx, "select * from "+t.Name, engine.Params{})
		require.NoError(b, err)
		for {
			row, err := rows.Next()
			require.NoError(b, err)
			if row == nil {
				break
			}
			for i, c := range t.Columns {
				if c.Generated == nil {
					key := fmt.Sprintf("%d %s", c.ID, types.ToText(row[t.ColumnIndex("id")]))
					at := fmt.Sprint(t.ID)
					if out[at] == nil {
						out[at] = map[string]types.Value{}
					}
					out[at][key] = row[i].Clone()
				}
			}
		}
		require.NoError(b, rows.Close())
	}
	return out
}

// proveKept proves that each row that was there, of a table that still is, has its values: as they were, converted to another type, or for
// NULL the default that fills it.
func (b *bare) proveKept(p *differ.Plan, before keptValues) {
	now := b.values()
	cat, err := b.conn.Catalog()
	require.NoError(b, err)
	for t := range cat.Tables("main") {
		was := before[fmt.Sprint(t.ID)]
		for key, v := range was {
			id, _, _ := strings.Cut(key, " ")
			var col *catalog.Column
			for _, c := range t.Columns {
				if fmt.Sprint(c.ID) == id {
					col = c
				}
			}
			if col == nil || col.Generated != nil {
				continue
			}
			is, ok := now[fmt.Sprint(t.ID)][key]
			require.True(b, ok, "%s: row and column %s", t.Name, key)
			want, err := types.WriteConverter(col.Type, col.Name)(v)
			require.NoError(b, err)
			if v.IsNull() && col.NotNull {
				want, _, err = col.LiteralDefault()
				require.NoError(b, err)
			}
			require.True(b, want.IsNull() == is.IsNull() && types.Compare(want, is, types.Binary) == 0, "%s.%s was %s and is %s", t.Name, col.Name, types.ToText(v), types.ToText(is))
		}
	}
}
