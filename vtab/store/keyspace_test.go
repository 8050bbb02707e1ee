package store

import (
	"bytes"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

func TestIncarnationOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := catalog.Incarnation(rapid.Uint64().Draw(t, "a"))
		b := catalog.Incarnation(rapid.Uint64().Draw(t, "b"))
		x, y := appendIncarnation(nil, a), appendIncarnation(nil, b)
		require.LessOrEqual(t, len(x), maxIncarnation)
		switch c := bytes.Compare(x, y); {
		case a < b:
			require.Negative(t, c)
		case a > b:
			require.Positive(t, c)
		default:
			require.Zero(t, c)
		}
		back, ok := readIncarnation(x)
		require.True(t, ok)
		require.Equal(t, a, back)
		require.Equal(t, a < b, a != b && !bytes.HasPrefix(y, x) && bytes.Compare(x, y) < 0, "no incarnation begins another")
	})
	for _, bad := range [][]byte{nil, {9}, {2, 1}, {1, 2, 3}} {
		_, ok := readIncarnation(bad)
		require.False(t, ok, "%x", bad)
	}
	require.Equal(t, []byte{8, 255, 255, 255, 255, 255, 255, 255, 255}, appendIncarnation(nil, math.MaxUint64))
}

// TestKeySpace pins down what is on disk.
func TestKeySpace(t *testing.T) {
	require.Equal(t, []byte{0x10, 1, 7}, dataPrefix(7))
	require.Equal(t, []byte{0x10, 2, 1, 0}, dataPrefix(256))
	require.Equal(t, []byte("\x01next"), nextKey)
	require.Equal(t, []byte{0x07, 1, 9}, incarnationKey(spaceCounts, 9))
	for space, want := range map[vtab.RecordSpace]byte{vtab.MetaRecords: 2, vtab.CatalogRecords: 3, vtab.HistoryRecords: 4} {
		got, err := recordPrefix(space)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := recordPrefix(9)
	require.ErrorIs(t, err, types.INTERNAL)
	_, err = readUvarint([]byte{1, 2})
	require.ErrorIs(t, err, types.CORRUPT)
}

func TestFormatKey(t *testing.T) {
	key, err := types.NewKeyEncoder(types.KeyPart{}, types.KeyPart{}).Append(dataPrefix(300), types.Int(1), types.Text("abc"))
	require.NoError(t, err)
	require.Equal(t, `/data/300/1/"abc"`, formatKey(key))
	require.Equal(t, "/01/6e657874", formatKey(nextKey))
	require.Equal(t, "/", formatKey(nil))
	require.Equal(t, "/10/07", formatKey([]byte{0x10, 7}))
}
