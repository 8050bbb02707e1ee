package engine

import (
	"context"
	"encoding/binary"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// reachedKey is where the schema lies that the last entry of the history has reached, so that drift can be told as statements.
func reachedKey(schema string) []byte { return append([]byte("reached/"), schema...) }

// reachedRecord holds a schema as it is: the catalog records of its objects, each behind its length.
func reachedRecord(cat *catalog.Snapshot, schema string) vtab.Record {
	value := []byte{}
	add := func(record []byte) {
		value = append(binary.AppendUvarint(value, uint64(len(record))), record...)
	}
	for t := range cat.Tables(schema) {
		add(catalog.EncodeTable(t))
	}
	for v := range cat.Views(schema) {
		add(catalog.EncodeView(v))
	}
	for a := range cat.Assertions(schema) {
		add(catalog.EncodeAssertion(a))
	}
	return vtab.Record{Space: vtab.MetaRecords, Key: reachedKey(schema), Value: value}
}

// Reached gives the catalog of a schema as the last entry of the history has left it, for comparison with what it has become; nil when
// nobody has written it down.
func (db *DB) Reached(ctx context.Context, schema string) (cat *catalog.Snapshot, err error) {
	c := db.Conn()
	defer c.Close()
	err = c.reads(func(read *reading) error {
		value, err := db.fact(ctx, read.base.pins[db.home.index], reachedKey(types.Fold(schema)))
		if err != nil || value == nil {
			return err
		}
		cat, err = db.decodeReached(schema, value)
		return err
	})
	return cat, err
}

func (db *DB) decodeReached(schema string, value []byte) (*catalog.Snapshot, error) {
	edit := catalog.NewSnapshot().Edit()
	edit.AddSchema(types.Fold(schema))
	for len(value) > 0 {
		size, n := binary.Uvarint(value)
		if n <= 0 || size > uint64(len(value)-n) {
			return nil, types.Errorf(types.CORRUPT, "the schema %s that was reached last cannot be read", schema)
		}
		if err := edit.PutRecord(value[n:n+int(size)], db.types); err != nil {
			return nil, err
		}
		value = value[n+int(size):]
	}
	return edit.Done(), nil
}

// fact reads a record of the engine's own; nil when there is none.
func (db *DB) fact(ctx context.Context, pin vtab.Pin, key []byte) (value []byte, err error) {
	err = db.home.records.ReadRecords(ctx, pin, vtab.MetaRecords, func(k, v []byte) error {
		if string(k) == string(key) {
			value = append([]byte{}, v...)
		}
		return nil
	})
	return value, err
}
