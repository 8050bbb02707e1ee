package engine

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"os"
	"os/user"
	"slices"
	"time"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// What an entry of the history tells of.
const (
	// Migrated: a migration was applied.
	Migrated = ""
	// Adopted: the schema was recorded as it was found.
	Adopted = "adopt"
	// Undone: the database was put back to what it was before an entry.
	Undone = "undo"
)

// HistoryEntry tells of one migration that was applied, of an adoption, or of an undo. It commits with what it tells of.
type HistoryEntry struct {
	// Number counts the entries from 1.
	Number uint64 `json:"number"`
	// Kind is Migrated, Adopted or Undone.
	Kind   string `json:"kind,omitempty"`
	Schema string `json:"schema"`
	// Before is set for an undo: the number of the first entry that it took back. All between the two are.
	Before uint64 `json:"before,omitempty"`
	// Version is the declared version, "" without one.
	Version string `json:"version,omitempty"`
	// From and To are the hashes of the schema before and after (catalog.Hash), as it was and as it became.
	From string `json:"from"`
	To   string `json:"to"`
	// Plan is the checksum of the plan file that was applied, "" when a schema was.
	Plan string `json:"plan,omitempty"`
	// Statements are the steps, in the order in which they ran.
	Statements []string `json:"statements"`
	// At is when the migration began, Duration how long its steps took.
	At       time.Time     `json:"at"`
	Duration time.Duration `json:"duration"`
	// Tool is the program and version that applied it, By who ran that.
	Tool string `json:"tool,omitempty"`
	By   string `json:"by,omitempty"`
}

// HasApplied reports whether a history says that the plan file of that checksum was applied, and not undone.
func HasApplied(history []HistoryEntry, plan string) bool {
	undone := Taken(history)
	return slices.ContainsFunc(history, func(e HistoryEntry) bool { return e.Plan == plan && !undone[e.Number] })
}

// Taken gives the numbers of the entries that were undone. An undo that was undone itself takes nothing back.
func Taken(history []HistoryEntry) map[uint64]bool {
	undone := map[uint64]bool{}
	for _, e := range slices.Backward(history) {
		if e.Kind != Undone || undone[e.Number] {
			continue
		}
		for n := e.Before; n < e.Number; n++ {
			undone[n] = true
		}
	}
	return undone
}

// History gives the migrations that were applied, oldest first.
func (db *DB) History(ctx context.Context) (entries []HistoryEntry, err error) {
	c := db.Conn()
	defer c.Close()
	err = c.reads(func(read *reading) (err error) {
		entries, err = db.history(ctx, read.base)
		return err
	})
	return entries, err
}

func (db *DB) history(ctx context.Context, v *view) ([]HistoryEntry, error) {
	var entries []HistoryEntry
	err := db.home.records.ReadRecords(ctx, v.pins[db.home.index], vtab.HistoryRecords, func(_, value []byte) error {
		var e HistoryEntry
		if err := json.Unmarshal(value, &e); err != nil {
			return types.Wrapf(types.CORRUPT, err, "history entry %d cannot be read", len(entries)+1)
		}
		entries = append(entries, e)
		return nil
	})
	return entries, err
}

// record gives the entry as it is written with the commit.
func (e *HistoryEntry) record() (vtab.Record, error) {
	value, err := json.Marshal(e)
	if err != nil {
		return vtab.Record{}, types.Wrapf(types.INTERNAL, err, "writing history")
	}
	return vtab.Record{Space: vtab.HistoryRecords, Key: binary.BigEndian.AppendUint64(nil, e.Number), Value: value}, nil
}

// enter puts an entry into the history by the transaction's commit, and beside it the schema that is reached. It sets the number, and By
// if that is empty.
func (t *tx) enter(ctx context.Context, e *HistoryEntry) error {
	entries, err := t.db.history(ctx, t.base)
	if err != nil {
		return err
	}
	e.Number = uint64(len(entries)) + 1
	for _, r := range t.records {
		if r.Space == vtab.HistoryRecords {
			e.Number++ // of the same transaction
		}
	}
	if e.By == "" {
		e.By = whoami()
	}
	r, err := e.record()
	t.records = append(t.records, r, reachedRecord(t.cat, e.Schema))
	return err
}

// whoami names the user and the host that run the program, as far as they are known.
func whoami() string {
	name := ""
	if u, err := user.Current(); err == nil {
		name = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		name += "@" + host
	}
	return name
}
