package catalog

import (
	"math"
	"math/big"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/types"
)

func codecSamples() []types.Value {
	huge, _ := new(big.Int).SetString("123456789012345678901234567890", 10)
	doc, _ := types.ParseJSON(`{"b":[1,2.5,null,"x"],"a":{"c":12345678901234567890}}`)
	return []types.Value{
		types.Null, types.True, types.False,
		types.Int(0), types.Int(63), types.Int(64), types.Int(-1), types.Int(math.MaxInt64), types.Int(math.MinInt64),
		types.BigInt(huge), types.BigInt(new(big.Int).Neg(huge)),
		types.Real(0), types.Real(-1.5), types.Real(math.Inf(1)), types.Real(5e-324),
		types.Text(""), types.Text("short"), types.Text(strings.Repeat("é", 32)), types.Text(strings.Repeat("x", 63)),
		types.Text(strings.Repeat("x", 64)), types.Text(strings.Repeat("y", 70000)),
		types.Blob(nil), types.Blob([]byte{0, 1, 255}), types.Blob(make([]byte, 300)),
		doc, types.FromJSON(&types.JSON{}), types.FromJSON(&types.JSON{Object: true}),
	}
}

func TestValueCodecRoundTrip(t *testing.T) {
	for _, v := range codecSamples() {
		prefix := []byte("keep")
		b := AppendValue(prefix, v)
		require.Equal(t, "keep", string(b[:4]))
		b = append(b[4:], 0xEE)

		got, rest, err := DecodeValue(b)
		require.NoError(t, err)
		require.Equal(t, []byte{0xEE}, rest)
		requireSameValue(t, v, got)

		var arena types.Arena
		got, rest, err = DecodeValueArena(b, &arena)
		require.NoError(t, err)
		require.Equal(t, []byte{0xEE}, rest)
		requireSameValue(t, v, got)

		rest, err = SkipValue(b)
		require.NoError(t, err)
		require.Equal(t, []byte{0xEE}, rest)
	}
}

func requireSameValue(t require.TestingT, want, got types.Value) {
	require.Equal(t, want.Kind(), got.Kind())
	require.Equal(t, string(types.AppendWire(nil, want)), string(types.AppendWire(nil, got)))
}

func TestValueCodecRefusesEveryTruncation(t *testing.T) {
	for _, v := range codecSamples() {
		full := AppendValue(nil, v)
		for n := range min(len(full), 200) {
			_, _, err := DecodeValue(full[:n])
			require.ErrorIs(t, err, types.CORRUPT, "value %v cut at %d", types.ToText(v), n)
			_, err = SkipValue(full[:n])
			require.ErrorIs(t, err, types.CORRUPT)
		}
	}
}

func TestValueCodecAllocatesNothing(t *testing.T) {
	dst := make([]byte, 0, 1024)
	arena := new(types.Arena)
	arena.Copy(make([]byte, 512))
	vs := []types.Value{types.Null, types.True, types.Int(5), types.Int(1 << 40), types.Real(1.5), types.Text("some text"), types.Blob([]byte("abc"))}
	require.Zero(t, testing.AllocsPerRun(100, func() {
		b := dst
		for _, v := range vs {
			b = AppendValue(b, v)
		}
		arena.Reset()
		for rest := b; len(rest) > 0; {
			_, after, err := DecodeValue(rest)
			_, _, err2 := DecodeValueArena(rest, arena)
			skipped, err3 := SkipValue(rest)
			if err != nil || err2 != nil || err3 != nil || len(skipped) != len(after) {
				t.Fatal("round trip")
			}
			rest = after
		}
	}))
}

func TestValueCodecRandomBytes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkDecoders(t, rapid.SliceOfN(rapid.Byte(), 0, 80).Draw(t, "bytes"))
	})
}

func FuzzDecodeValue(f *testing.F) {
	for _, v := range codecSamples() {
		f.Add(AppendValue(nil, v))
	}
	f.Fuzz(func(t *testing.T, b []byte) { checkDecoders(t, b) })
}

// checkDecoders holds the three decoders to one answer, whatever the bytes.
func checkDecoders(t require.TestingT, b []byte) {
	v, rest, err := DecodeValue(b)
	var arena types.Arena
	w, restW, errW := DecodeValueArena(b, &arena)
	require.Equal(t, err == nil, errW == nil)
	if err != nil {
		require.ErrorIs(t, err, types.CORRUPT)
		return
	}
	require.Equal(t, rest, restW)
	requireSameValue(t, v, w)
	skipped, err := SkipValue(b)
	require.NoError(t, err)
	require.Equal(t, rest, skipped)

	again, _, err := DecodeValue(AppendValue(nil, v))
	require.NoError(t, err)
	requireSameValue(t, v, again)
}

// TestSkipValues steps over several values at once, and sees every cut.
func TestSkipValues(t *testing.T) {
	samples := codecSamples()
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.SampledFrom(samples), 0, 6).Draw(t, "values")
		var b []byte
		for _, v := range values {
			b = AppendValue(b, v)
		}
		rest, err := SkipValues(append(b, "rest"...), len(values))
		require.NoError(t, err)
		require.Equal(t, "rest", string(rest))
		for n := range min(len(b), 200) {
			_, err := SkipValues(b[:n], len(values))
			require.ErrorIs(t, err, types.CORRUPT)
		}
	})
}
