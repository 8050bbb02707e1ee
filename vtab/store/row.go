package store

import (
	"encoding/binary"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
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
	p, b, err := d.program(stored)
	if err != nil {
		return err
	}
	for _, target := range p.targets {
		if target == skip {
			b, err = catalog.SkipValue(b)
		} else {
			dst[target], b, err = catalog.DecodeValueArena(b, arena)
		}
		if err != nil {
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
	id, n := uint64(0), 1
	if len(stored) > 0 && stored[0] < 0x80 {
		id = uint64(stored[0])
	} else {
		id, n = binary.Uvarint(stored)
	}
	for i := len(d.programs) - 1; i >= 0 && n > 0; i-- {
		if d.programs[i].id == id {
			return &d.programs[i], stored[n:], nil
		}
	}
	return nil, nil, types.Errorf(types.CORRUPT, "a stored row names the unknown layout %d", id)
}

// decodeAll reads a whole stored row into memory of its own.
func (f *rowFormat) decodeAll(stored []byte) (types.Row, error) {
	row, arena := make(types.Row, f.width), new(types.Arena)
	return row, f.newDecoder(vtab.AllColumns(f.width)).decode(row, stored, arena)
}
