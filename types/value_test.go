package types

import (
	"math"
	"math/big"
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

func TestValueKinds(t *testing.T) {
	tests := []struct {
		v      Value
		kind   Kind
		name   string
		number bool
	}{
		{Null, KindNull, "null", false},
		{Value{}, KindNull, "null", false},
		{Real(math.NaN()), KindNull, "null", false},
		{True, KindBoolean, "boolean", true},
		{Int(-1), KindInteger, "integer", true},
		{BigInt(big.NewInt(7)), KindInteger, "integer", true},
		{bigOf("9223372036854775808"), KindInteger, "integer", true},
		{Real(1.5), KindReal, "real", true},
		{Text(""), KindText, "text", false},
		{Blob(nil), KindBlob, "blob", false},
		{FromJSON(&JSON{}), KindJSON, "json", false},
	}
	for _, tt := range tests {
		require.Equal(t, tt.kind, tt.v.Kind(), tt.name)
		require.Equal(t, tt.name, tt.v.Kind().String())
		require.Equal(t, tt.number, tt.v.IsNumber(), tt.name)
		require.Equal(t, tt.kind == KindNull, tt.v.IsNull(), tt.name)
	}
}

// An accessor gives the zero of its type for values of other kinds.
func TestValueAccessors(t *testing.T) {
	values := []Value{Null, True, Int(-7), bigOf("9223372036854775808"), Real(2.5), Text("text"), Blob([]byte("blob")), FromJSON(&JSON{Object: true})}
	for i, v := range values {
		require.Equal(t, i == 1, v.Bool())
		_, small := v.Int64()
		require.Equal(t, i == 1 || i == 2, small)
		require.Equal(t, i >= 1 && i <= 3, v.Big() != nil)
		require.Equal(t, i == 3, v.IsBig())
		require.Equal(t, i == 4, v.Float() == 2.5)
		require.Equal(t, i == 5, v.Str() == "text")
		require.Equal(t, i == 6, string(v.Bytes()) == "blob")
		require.Equal(t, i == 7, v.JSON() != nil)
	}
	require.False(t, BigInt(big.NewInt(math.MinInt64)).IsBig(), "what fits int64 takes that form")
}

func TestCloneOwnsItsMemory(t *testing.T) {
	buf := []byte("textblob")
	var arena Arena
	row := Row{arena.Text(buf[:4]), arena.Blob(buf[4:]), Int(1), Null}
	clone := row.Clone()
	arena.Reset()
	arena.Copy([]byte("!!!!!!!!"))
	require.Equal(t, "!!!!", row[0].Str(), "the row shares the arena")
	require.Equal(t, "text", clone[0].Str())
	require.Equal(t, "blob", string(clone[1].Bytes()))
	requireValue(t, Int(1), clone[2])
	require.True(t, clone[3].IsNull())
}
