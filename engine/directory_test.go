package engine_test

import (
	"context"
	"errors"

	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/golden"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv/pebble"
)

// directory is a database directory, in a file system in memory, as a session of golden.
type directory struct {
	options pebble.Options
	db      *engine.DB
	conn    *engine.Conn
}

func openDirectory(context.Context) (golden.Session, error) {
	d := &directory{options: pebble.Options{FS: pebble.MemFS(), Create: true, CacheBytes: 1 << 20, MemTableBytes: 1 << 20}}
	return d, d.open()
}

func (d *directory) open() (err error) {
	if d.db, err = engine.OpenDir(ctx, "db", d.options, engine.Options{}); err == nil {
		d.conn = d.db.Conn()
	}
	return err
}

func (d *directory) Exec(ctx context.Context, sql string) error {
	_, err := d.conn.Exec(ctx, sql, engine.Params{})
	return err
}

// Query gives a line for the columns and one for each row.
func (d *directory) Query(ctx context.Context, sql string) (lines []string, err error) {
	rows, err := d.conn.Query(ctx, sql, engine.Params{})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	lines = append(lines, "columns")
	for {
		row, err := rows.Next()
		if err != nil || row == nil {
			return lines, err
		}
		var line []byte
		for _, v := range row {
			line = types.AppendWire(append(line, ' '), v)
		}
		lines = append(lines, string(line))
	}
}

func (d *directory) InTransaction() bool { return d.conn.InTransaction() }

func (d *directory) Conn() *engine.Conn { return d.conn }

func (d *directory) Reopen(context.Context) error {
	if err := d.Close(); err != nil {
		return err
	}
	return d.open()
}

func (d *directory) Close() error { return errors.Join(d.conn.Close(), d.db.Close()) }
