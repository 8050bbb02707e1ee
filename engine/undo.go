package engine

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// undoPoint is the checkpoint that a database can be put back to. It is kept in the database and commits with the entry of the history that
// it was made for.
type undoPoint struct {
	Checkpoint uint64 `json:"checkpoint"`
	// Number is the first entry of the history that is taken back.
	Number uint64 `json:"number"`
	// Changed is set by the first commit after that entry's.
	Changed bool `json:"changed,omitempty"`
}

// undoState is the undo point of an open database, nil without one. It is written under the writer lock.
type undoState struct{ atomic.Pointer[undoPoint] }

var undoKey = []byte("undo")

func (u *undoPoint) record() vtab.Record {
	value, err := json.Marshal(u)
	if err != nil {
		panic(err) // numbers and truth values have a form
	}
	return vtab.Record{Space: vtab.MetaRecords, Key: undoKey, Value: value}
}

func (db *DB) loadUndo(ctx context.Context) error {
	var pin vtab.Pin
	pin, err := db.home.transactor.Pin(ctx)
	if err != nil {
		return err
	}
	defer pin.Close()
	value, err := db.fact(ctx, pin, undoKey)
	if err != nil || value == nil {
		return err
	}
	u := &undoPoint{}
	if err := json.Unmarshal(value, u); err != nil {
		return types.Wrapf(types.CORRUPT, err, "the record of what can be undone cannot be read")
	}
	db.undo.Store(u)
	return nil
}

// afterwards gives the undo point that there is once a transaction has committed.
func (t *tx) afterwards() *undoPoint {
	u := t.db.undo.Load()
	switch {
	case t.undoable != nil:
		return t.undoable
	case u == nil || u.Changed:
		return u
	}
	changed := *u
	changed.Changed = true
	return &changed
}

// undoRecords are what the commit writes of the undo point: as a rule nothing, since only the first commit after a migration changes it.
func (t *tx) undoRecords() []vtab.Record {
	u := t.afterwards()
	if u == t.db.undo.Load() {
		return nil
	}
	t.undoable = u
	return []vtab.Record{u.record()}
}

// takeCheckpoint makes the checkpoint that an undo of the run goes back to.
func (r *migrations) takeCheckpoint(ctx context.Context) (err error) {
	o := &r.all[0].Options
	isIdle := !slices.ContainsFunc(r.all, func(x Migration) bool { return len(x.Plan.Steps) > 0 || x.Options.Seeds != nil })
	if r.tx.db.disk == nil || o.DryRun || o.NoUndo || isIdle {
		return nil
	}
	r.checkpoint, err = r.tx.db.disk.TakeCheckpoint(ctx)
	return err
}

// dropCheckpoint removes a checkpoint that nobody needs. One that cannot be removed only takes space, until the next migration.
func (db *DB) dropCheckpoint(n uint64) {
	if n == 0 {
		return
	}
	if err := db.disk.DropCheckpoint(n); err != nil {
		db.opts.Logger.Warn("removing a checkpoint", "number", n, "error", err)
	}
}

func (db *DB) dropCheckpointsBut(keep uint64) {
	all, err := db.disk.Checkpoints()
	if err != nil {
		db.opts.Logger.Warn("listing checkpoints", "error", err)
	}
	for _, c := range all {
		if c.Number != keep {
			db.dropCheckpoint(c.Number)
		}
	}
}

// dropStrayCheckpoints removes the checkpoints of runs that were killed.
func (db *DB) dropStrayCheckpoints() {
	keep := uint64(0)
	if u := db.undo.Load(); u != nil {
		keep = u.Checkpoint
	}
	db.dropCheckpointsBut(keep)
}

// UndoInfo tells what Undo would do.
type UndoInfo struct {
	// Number is the entry of the history that would be taken back, with all that came after it.
	Number uint64
	// Changed tells that something was committed after it, which an undo would discard.
	Changed bool
	// Bytes is the size of the checkpoint. Tables are shared with the live database as long as that has them.
	Bytes uint64
}

// CanUndo tells what can be undone; ok is false when nothing can.
func (db *DB) CanUndo() (info UndoInfo, ok bool, err error) {
	u := db.undo.Load()
	if u == nil || db.disk == nil {
		return info, false, nil
	}
	all, err := db.disk.Checkpoints()
	for _, c := range all {
		if c.Number == u.Checkpoint {
			return UndoInfo{Number: u.Number, Changed: u.Changed, Bytes: c.Bytes}, true, nil
		}
	}
	return info, false, err
}

// UndoOptions say how a migration is undone.
type UndoOptions struct {
	// Discard allows to lose what was committed after the migration.
	Discard bool
	// LockTimeout bounds the wait for the writer lock; 0 does not wait.
	LockTimeout time.Duration
	// Tool and By are for the history, as in MigrateOptions.
	Tool, By string
}

// ChangedError says that an undo would lose what was committed after the migration. Nothing was touched.
type ChangedError struct{ Number uint64 }

func (e *ChangedError) Error() string {
	return fmt.Sprintf("the database has changed since migration %d, and an undo would discard that", e.Number)
}

// Unwrap gives the code ERROR.
func (e *ChangedError) Unwrap() error { return types.ERROR }

// Undo puts a database directory back to what it was before its last migration: schema and rows, exactly. The history is kept, and an entry is
// added to it. The present is kept as a checkpoint, so that an undo can be undone. A crash leaves the state before or the state after.
//
// *ChangedError when something was committed since and o.Discard is not set; NOTFOUND when there is nothing to undo; UNSUPPORTED for a database
// in memory. After success the database is closed: what is opened next is the state that was restored.
func (db *DB) Undo(ctx context.Context, o UndoOptions) (*HistoryEntry, error) {
	if db.disk == nil {
		return nil, types.Errorf(types.UNSUPPORTED, "undo of a database in memory is not supported")
	}
	lock, cancel := context.WithTimeout(ctx, o.LockTimeout)
	defer cancel()
	if err := db.lockWriter(lock); err != nil {
		return nil, err
	}
	e, err := db.undoLocked(ctx, o)
	if err != nil {
		db.unlockWriter()
		return nil, err
	}
	return e, db.Close() // with the writer lock: nobody commits to what is no longer the database
}

func (db *DB) undoLocked(ctx context.Context, o UndoOptions) (e *HistoryEntry, err error) {
	u := db.undo.Load()
	if u == nil {
		return nil, types.Errorf(types.NOTFOUND, "there is nothing to undo: no migration has left a checkpoint")
	}
	if u.Changed && !o.Discard {
		return nil, &ChangedError{u.Number}
	}
	history, err := db.History(ctx)
	if err != nil {
		return nil, err
	}
	present, err := db.disk.TakeCheckpoint(ctx)
	if err != nil {
		return nil, err
	}
	if e, err = db.restore(ctx, u, present, history, o); err != nil {
		db.dropCheckpoint(present)
		return nil, err
	}
	db.dropCheckpointsBut(present)
	return e, nil
}

// restore makes the checkpoint the database, with the history of now and an entry that tells of it.
func (db *DB) restore(ctx context.Context, u *undoPoint, present uint64, history []HistoryEntry, o UndoOptions) (e *HistoryEntry, err error) {
	disk, err := db.disk.OpenCheckpoint(ctx, u.Checkpoint)
	if err != nil {
		return nil, err
	}
	options := db.opts
	options.Modules, options.Types, options.Functions = nil, db.types, db.functions
	past, err := openDisk(ctx, disk, false, options)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, past.Close()) }()
	c := past.Conn()
	t, err := c.beginMigration(ctx, 0)
	if err != nil {
		return nil, err
	}
	defer t.ensureEnded()
	if e, err = t.enterUndo(ctx, u, present, history, o); err != nil {
		return nil, err
	}
	if err := t.commit(ctx); err != nil {
		return nil, err
	}
	return e, disk.MakeCurrent()
}

// enterUndo brings the history of a restored database up to now.
func (t *tx) enterUndo(ctx context.Context, u *undoPoint, present uint64, history []HistoryEntry, o UndoOptions) (*HistoryEntry, error) {
	had, err := t.db.history(ctx, t.base)
	if err != nil {
		return nil, err
	}
	if len(had) > len(history) {
		return nil, types.Errorf(types.CORRUPT, "checkpoint %d is newer than the database", u.Checkpoint)
	}
	schemas := map[string]bool{}
	for i := range history[len(had):] {
		missing := &history[len(had)+i]
		schemas[missing.Schema] = true
		r, err := missing.record()
		if err != nil {
			return nil, err
		}
		t.records = append(t.records, r)
	}
	e := &HistoryEntry{
		Number: uint64(len(history)) + 1, Kind: Undone, Before: uint64(len(had)) + 1, Schema: catalog.MainSchema,
		Statements: []string{}, At: t.db.opts.Now().UTC(), Tool: o.Tool, By: o.By,
	}
	if len(history) > 0 {
		last := history[len(history)-1]
		e.Schema, e.From = last.Schema, last.To
	}
	if e.By == "" {
		e.By = whoami()
	}
	e.To = catalog.Hash(t.cat, e.Schema)
	if last := LastOf(had, e.Schema); last != nil {
		e.Version = last.Version
	}
	r, err := e.record()
	t.records = append(t.records, r)
	for schema := range schemas {
		t.records = append(t.records, reachedRecord(t.cat, schema))
	}
	t.undoable = &undoPoint{Checkpoint: present, Number: e.Number}
	return e, err
}
