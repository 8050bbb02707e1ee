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

// HistoryEntry tells of one migration that was applied. It commits with the migration.
type HistoryEntry struct {
	// Number counts the entries from 1.
	Number uint64 `json:"number"`
	Schema string `json:"schema"`
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

// HasApplied reports whether a history says that the plan file of that checksum was applied.
func HasApplied(history []HistoryEntry, plan string) bool {
	return slices.ContainsFunc(history, func(e HistoryEntry) bool { return e.Plan == plan })
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
