package golden

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble/crashtest"
)

// crashBefore and crashTarget are two states of one schema. Between them every way lies in which a migration touches rows: columns are
// converted, computed, filled and dropped, a table gets another key, indexes and constraints are built, a table goes and one comes;
// tables with many rows are written anew as bulk files, small ones within the commit.
const crashBefore = `
	create table depot (id integer primary key, name text);
	create table item (id integer primary key, code text, w text, depot integer, note text null, foreign key (depot) references depot(id));
	create index ix_w on item(w);
	create index ix_note on item(note) where note is not null;
	create view v_w as select w from item;
	create table gone (id integer primary key, body text);
	create table few (id integer primary key, n integer);
	insert into depot select value, 'depot ' || value from generate_series(1, 20);
	insert into item select value, 'c' || value, '' || (value * 7919 %% 10007), 1 + value %% 20,
		case when value %% 3 = 0 then 'note ' || value end from generate_series(1, %[1]d);
	insert into gone select value, 'body ' || value from generate_series(1, %[1]d);
	insert into few select value, value * value from generate_series(1, 5)`

const crashTarget = `declare schema main {
	table depot { id integer primary key, name text collate nocase, constraint uq_name unique (name) }
	table item {
		id integer, code text, w integer, depot integer, kind text default 'plain', seq integer default (new.id * 2),
		constraint uq_code unique (code), primary key (code),
		foreign key (depot) references depot(id),
		constraint ck_seq check (seq > 0)
	}
	table few { id integer, n text, primary key (n desc) }
	table fresh { id integer primary key, item text, foreign key (item) references item(code) }
	index ix_w on item(w desc, id)
	unique index ux_seq on item(seq)
	index ix_half on item(id / 2) where w > 5000
	view v_w as select w, seq from item
	assertion some_depot check (exists (select 1 from depot))
}`

// crashRefused is a target that cannot be reached: the last thing that it asks for does not hold.
const crashRefused = `declare schema main {
	table depot { id integer primary key, name text }
	table item {
		id integer, code text, w integer, depot integer, note text null, primary key (code),
		foreign key (depot) references depot(id)
	}
	table gone { id integer primary key, body text }
	table few { id integer primary key, n integer }
	index ix_w on item(w)
	unique index ux_depot on item(depot)
	view v_w as select w from item
}`

// crashVariants say how the engine's work reaches the disk.
var crashVariants = []struct {
	name string
	at   thresholds
}{
	{"batch", thresholds{}},
	{"bulk", thresholds{overlay: 4 << 10}},
	{"bulk commit", thresholds{overlay: 4 << 10, bulkCommit: 1}},
}

// crashRows is the number of rows of the big tables. The short form of a test looks at about eight places of a run, the long one at
// all of them.
func crashRows() int {
	if isLong() {
		return 4000
	}
	return 300
}

// TestCrash migrates a database and cuts the run before every operation that makes something durable. Whatever the crash leaves opens
// wholly before or wholly after the migration, which is in the history exactly then, with nothing left over; and applying the target
// again always ends in the new state.
func TestCrash(t *testing.T) {
	for _, v := range crashVariants {
		t.Run(v.name, func(t *testing.T) {
			t.Parallel()
			r := recordCrash(t, v.at, func(d *durable) { require.NoError(t, d.apply(crashTarget)) })
			requireSameState(t, r.target, r.after, "the target")
			seen := map[string]int{}
			for _, cut := range r.cuts {
				seen[r.requireEither(t, cut)]++
			}
			t.Logf("%d cuts: %d before, %d after", len(r.cuts), seen[r.before], seen[r.after])
			require.NotZero(t, seen[r.before])
			require.NotZero(t, seen[r.after])
		})
	}
}

// TestCrashInRefused does so with migrations that are rolled back.
func TestCrashInRefused(t *testing.T) {
	for name, run := range map[string]func(*durable) error{
		"refused": func(d *durable) error {
			if err := d.apply(crashRefused); err == nil {
				return fmt.Errorf("the migration went through")
			}
			return nil
		},
		"dry run": func(d *durable) error { return d.migrate(crashTarget, engine.MigrateOptions{DryRun: true}) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := recordCrash(t, crashVariants[1].at, func(d *durable) { require.NoError(t, run(d)) })
			requireSameState(t, r.before, r.after, "nothing happened")
			for _, cut := range r.cuts {
				r.requireEither(t, cut)
			}
		})
	}
}

// TestCrashInRecovery cuts the opening of what a crash left.
func TestCrashInRecovery(t *testing.T) {
	r := recordCrash(t, crashVariants[1].at, func(d *durable) { require.NoError(t, d.apply(crashTarget)) })
	for i := 0; i < len(r.cuts); i += max(1, len(r.cuts)/crashRecoveries()) {
		fs := crashtest.On(r.cuts[i].FS, 3)
		fs.Record(1)
		d := mustOpenDurable(t, fs, r.at)
		again, _ := fs.Stop()
		state := d.state(t)
		require.NoError(t, d.Close())
		for _, cut := range again {
			cut.What, cut.Step = r.cuts[i].What+", and again "+cut.What, r.cuts[i].Step
			requireSameState(t, state, r.requireEither(t, cut), cut.What)
		}
	}
}

func crashRecoveries() int {
	if isLong() {
		return 30
	}
	return 2
}

// crashRun is a run on a database, with what crashes at any time of it leave.
type crashRun struct {
	at thresholds
	// before and after are the states around the run, target is the one that crashTarget leads to.
	before, after, target string
	cuts                  []crashtest.Cut
}

// recordCrash makes the database before and runs on it.
func recordCrash(t *testing.T, at thresholds, run func(*durable)) *crashRun {
	r := &crashRun{at: at}
	if isLong() {
		r.record(t, run, 1)
		return r
	}
	const none = 1 << 30
	r.record(t, run, max(1, r.record(t, run, none)/8))
	return r
}

// record keeps a cut before every n-th operation.
func (r *crashRun) record(t *testing.T, run func(*durable), n int) (operations int) {
	fs := crashtest.New(1)
	d := mustOpenDurable(t, fs, r.at)
	d.exec(t, fmt.Sprintf(crashBefore, crashRows()))
	r.before = d.state(t)
	fs.Record(n)
	run(d)
	fs.Step()
	r.cuts, operations = fs.Stop()
	r.after = d.state(t)
	require.NoError(t, d.apply(crashTarget))
	r.target = d.state(t)
	require.NoError(t, d.Close())
	return operations
}

// requireEither opens what a crash left. It must be in the state before or after the run, after it once the run had returned, and
// the target can be applied from there.
func (r *crashRun) requireEither(t *testing.T, cut crashtest.Cut) (state string) {
	t.Helper()
	d := mustOpenDurable(t, cut.FS, r.at)
	state = d.state(t)
	if cut.Step > 0 || state != r.before {
		requireSameState(t, r.after, state, cut.What)
	}
	d.requireSound(t, cut.What)
	require.NoError(t, d.apply(crashTarget), cut.What)
	requireSameState(t, r.target, d.state(t), cut.What)
	require.NoError(t, d.Close())

	d = mustOpenDurable(t, cut.FS, r.at)
	d.requireSound(t, cut.What)
	require.NoError(t, d.apply(crashTarget), "the second time there is nothing to do")
	requireSameState(t, r.target, d.state(t), cut.What)
	require.NoError(t, d.Close())
	return state
}
