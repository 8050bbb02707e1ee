package exec

import "github.com/quereus/quereus-migrate/types"

// Kept are the rows of a run, kept beyond it: the first ones in memory, those beyond the budget in a temporary file. One goroutine uses
// them; they must be closed.
type Kept struct {
	rows   spool
	reader spoolReader
}

// Keep reads the run's rows to the end. The run may be closed then.
func (r *Rows) Keep() (*Kept, error) {
	k := &Kept{}
	if r.in == nil {
		return k, r.err
	}
	if err := k.take(r); err != nil {
		return nil, firstError(err, k.Close())
	}
	k.reader = k.rows.read()
	return k, nil
}

func (k *Kept) take(r *Rows) error {
	if err := k.rows.start(r.in.ec, r.width); err != nil {
		return err
	}
	for {
		row, err := r.view()
		if err != nil {
			return err
		}
		if row == nil {
			return k.rows.finish()
		}
		if err := k.rows.add(row); err != nil {
			return err
		}
	}
}

// All gives the rows at once; false when they are not all in memory. They stay as they are whatever happens to k.
func (k *Kept) All() ([]types.Row, bool) { return k.rows.mem.rows, k.rows.spilt == 0 }

// Next returns the next row, nil at the end. The row is the caller's.
func (k *Kept) Next() (types.Row, error) {
	row, err := k.reader.next()
	if row == nil || err != nil {
		return nil, err
	}
	return row.Clone(), nil
}

// Close drops the rows and the file. A second call does nothing.
func (k *Kept) Close() error { return k.rows.close() }
