package store

import (
	"encoding/binary"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
)

// A stored row is the id of its layout (uvarint), then the values of the layout's columns in its order (catalog.AppendValue). Key
// columns are among them, since key bytes do not give back the value as it was spelled.

// appendRow appends the stored form of row under the newest layout.
func (f *rowFormat) appendRow(dst []byte, row types.Row) []byte {
	l := f.written()
	dst = binary.AppendUvarint(dst, l.id)
	for _, c := range l.columns {
		dst = catalog.AppendValue(dst, row[c])
	}
	return dst
}

// decode sets the wanted columns of dst to those of the stored row, with texts and blobs in the arena; other columns it leaves.
func (d *decoder) decode(dst types.Row, stored []byte, arena *types.Arena) error {
	p, err := d.newest, error(nil)
	var b []byte
	if len(stored) > 0 && int(stored[0]) == d.head {
		b = stored[1:]
	} else if p, b, err = d.program(stored); err != nil {
		return err
	}
	for i := range p.steps {
		s := &p.steps[i]
		if s.skip > 0 {
			if b, err = catalog.SkipValues(b, s.skip); err != nil {
				return err
			}
		}
		if dst[s.column], b, err = catalog.DecodeValueArena(b, arena); err != nil {
			return err
		}
	}
	for i := range p.fills {
		dst[p.fills[i].column] = p.fills[i].value
	}
	return nil
}

// program finds what to do with a stored row, and where its values begin.
func (d *decoder) program(stored []byte) (p *program, values []byte, err error) {
	id, n := binary.Uvarint(stored)
	for i := range d.programs {
		if n > 0 && d.programs[i].id == id {
			return &d.programs[i], stored[n:], nil
		}
	}
	return nil, nil, errUnknownLayout(id)
}

// measure reports whether a stored row has the values of its layout and nothing behind them.
func (f *rowFormat) measure(stored []byte) error {
	id, n := binary.Uvarint(stored)
	for i := range f.layouts {
		if l := &f.layouts[i]; n > 0 && l.id == id {
			rest, err := catalog.SkipValues(stored[n:], len(l.columns))
			if err == nil && len(rest) > 0 {
				err = types.Errorf(types.CORRUPT, "a stored row has %d bytes behind its last value", len(rest))
			}
			return err
		}
	}
	return errUnknownLayout(id)
}

func errUnknownLayout(id uint64) error {
	return types.Errorf(types.CORRUPT, "a stored row names the unknown layout %d", id)
}
