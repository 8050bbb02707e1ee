package types

import (
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

func TestValueSize(t *testing.T) {
	require.EqualValues(t, 24, unsafe.Sizeof(Value{}))
}

// sink keeps the compiler from proving that a value is unused.
var sink Value

func TestValuesAllocateNothing(t *testing.T) {
	text, blob := "some text", []byte("some bytes")
	n := int64(1)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		n += 1 << 40
		sink = Null
		sink = Bool(n > 0)
		sink = Int(n)
		sink = Real(float64(n) / 3)
		sink = Text(text)
		sink = Blob(blob)
	}))
}
