package types

import (
	"encoding/json"
	"math"
	"math/big"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestFormatReal(t *testing.T) {
	tests := []struct {
		f    float64
		want string
	}{
		{0, "0"}, {math.Copysign(0, -1), "0"}, {1, "1"}, {-1, "-1"}, {1000, "1000"}, {-0.5, "-0.5"}, {0.1, "0.1"},
		{0.30000000000000004, "0.30000000000000004"}, {1.0 / 3, "0.3333333333333333"},
		{1e20, "100000000000000000000"}, {12345678901234567890, "12345678901234567000"}, {9007199254740993, "9007199254740992"},
		{2251799813685249.5, "2251799813685249.5"}, {1e21, "1e+21"}, {-1.5e21, "-1.5e+21"}, {1e100, "1e+100"},
		{math.MaxFloat64, "1.7976931348623157e+308"}, {0.000001, "0.000001"}, {0.000025, "0.000025"}, {1e-7, "1e-7"},
		{-3e-10, "-3e-10"}, {1.25e-7, "1.25e-7"}, {5e-324, "5e-324"}, {math.Inf(1), "Infinity"}, {math.Inf(-1), "-Infinity"},
	}
	for _, tt := range tests {
		require.Equal(t, tt.want, FormatReal(tt.f))
	}
}

func TestFormatRealLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := genFloat.Draw(t, "f")
		text := FormatReal(f)
		back, ok := ParseNumberPrefix(text)
		require.True(t, ok)
		require.Equal(t, f, back, "reads back")
		if f == 0 || math.IsInf(f, 0) {
			return
		}
		other, err := json.Marshal(f) // lays numbers out as ECMAScript does, too
		require.NoError(t, err)
		require.Equal(t, string(other), text)
	})
}

func TestFormatInteger(t *testing.T) {
	require.Equal(t, "-9223372036854775808", FormatInteger(Int(math.MinInt64)))
	require.Equal(t, "123456789012345678901234567890", FormatInteger(bigOf("123456789012345678901234567890")))
	require.Equal(t, "1", FormatInteger(True))
	require.Empty(t, FormatInteger(Real(1)))
	require.Empty(t, FormatInteger(Text("1")))
}

func TestParseIntegerPrefix(t *testing.T) {
	tests := []struct{ in, want string }{
		{"12abc", "12"}, {"4.5", "4"}, {"1e3", "1"}, {"0x1F", "0"}, {"  7 apples", "7"}, {"+5", "5"}, {"-5", "-5"}, {"\ufeff8\u00a0", "8"},
		{"99999999999999999999", "99999999999999999999"}, {"-9223372036854775809", "-9223372036854775809"}, {"007", "7"}, {"-0", "0"},
		{"abc", ""}, {"-.5", ""}, {"true", ""}, {"", ""}, {"-", ""}, {"+-1", ""}, {"- 1", ""},
	}
	for _, tt := range tests {
		got, ok := ParseIntegerPrefix(tt.in)
		require.Equal(t, tt.want != "", ok, "%q", tt.in)
		require.Equal(t, tt.want, FormatInteger(got), "%q", tt.in)
	}
}

func TestParseInteger(t *testing.T) {
	for in, want := range map[string]string{
		" 12 ": "12", "+12": "12", "-9007199254740993": "-9007199254740993", "123456789012345678901": "123456789012345678901",
		"": "", "12a": "", "1.0": "", "1e3": "", "--1": "", "+": "",
	} {
		got, ok := ParseInteger(in)
		require.Equal(t, want != "", ok, "%q", in)
		require.Equal(t, want, FormatInteger(got), "%q", in)
	}
}

func TestParseNumberPrefix(t *testing.T) {
	inf := math.Inf(1)
	good := map[string]float64{
		"1e": 1, "1e+": 1, "1 e5": 1, "5.": 5, ".5": 0.5, "-.5": -0.5, "+.5e1x": 5, "1e999": inf, "-1e999": -inf, "0x10": 0,
		"1_000": 1, "0b11": 0, "7.5 apples": 7.5, "1e5x": 1e5, "Infinity": inf, "-Infinity": -inf, "+Infinity!": inf, "1.e2": 100,
		"5..": 5, "1e-400": 0, " \t9 ": 9, "9007199254740993.0": 9007199254740992,
	}
	for in, want := range good {
		got, ok := ParseNumberPrefix(in)
		require.True(t, ok, "%q", in)
		require.Equal(t, want, got, "%q", in)
	}
	for _, in := range []string{"", " ", "abc", "-", "+", ".", "-.", "e5", ".e5", "inf", "NaN", "infinity", "--1"} {
		_, ok := ParseNumberPrefix(in)
		require.False(t, ok, "%q", in)
	}
}

func TestParseWholeNumber(t *testing.T) {
	good := map[string]Value{
		"+5": Int(5), " 7 ": Int(7), "-0": Int(0), ".5": Real(0.5), "5.": Real(5), "1e2": Real(100), "1E+2": Real(100), "-2.5e-1": Real(-0.25),
		"1e999": Real(math.Inf(1)), "9007199254740993": Int(9007199254740993), "123456789012345678901": bigOf("123456789012345678901"),
	}
	for in, want := range good {
		got, ok := ParseWholeNumber(in)
		require.True(t, ok, "%q", in)
		require.Equal(t, want.Kind(), got.Kind(), "%q", in)
		require.True(t, Equal(want, got, nil), "%q", in)
	}
	for _, in := range []string{"", "  ", "12abc", "1 2", "0x1F", "0b1", "Infinity", "-Infinity", "NaN", "1_0", "1e", ".", "1.5.", "+"} {
		_, ok := ParseWholeNumber(in)
		require.False(t, ok, "%q", in)
	}
}

func TestParseIntegerLiteral(t *testing.T) {
	good := map[string]string{
		"0": "0", "00012": "12", "0x1F": "31", "0XfF": "255", "0x0": "0", "0x00a": "10", "9223372036854775808": "9223372036854775808",
		"0xFFFFFFFFFFFFFFFF": "18446744073709551615", "0x10000000000000000": "18446744073709551616",
		"340282366920938463463374607431768211456": "340282366920938463463374607431768211456",
	}
	for in, want := range good {
		got, ok := ParseIntegerLiteral(in)
		require.True(t, ok, in)
		require.Equal(t, want, FormatInteger(got), in)
	}
	for _, in := range []string{"", "0x", "0x1G", "0b11", "1_000", "12abc", "-1", "+1", "1.0", " 1"} {
		_, ok := ParseIntegerLiteral(in)
		require.False(t, ok, in)
	}
}

func TestIntegerTextLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genInteger.Draw(t, "v")
		text := FormatInteger(v)
		require.Equal(t, v.Big().String(), text)
		back, ok := ParseInteger(text)
		require.True(t, ok)
		require.Equal(t, v.IsBig(), back.IsBig())
		require.True(t, Equal(v, back, nil))
		hex, ok := ParseIntegerLiteral("0x" + new(big.Int).Abs(v.Big()).Text(16))
		require.True(t, ok)
		require.Zero(t, hex.Big().CmpAbs(v.Big()))
	})
}

func TestParseIntegerOfManyDigits(t *testing.T) {
	digits := strings.Repeat("9", MaxIntegerDigits) // 10^1000000 - 1
	want := new(big.Int).Exp(big.NewInt(10), big.NewInt(MaxIntegerDigits), nil)
	want.Sub(want, big.NewInt(1))
	got, ok := ParseInteger("-" + digits)
	require.True(t, ok)
	require.Zero(t, want.Neg(want).Cmp(got.Big()))
	short, ok := ParseInteger("+00" + digits[:5001])
	require.True(t, ok)
	require.Equal(t, digits[:5001], FormatInteger(short))
}

// Text of more digits than an INTEGER has is none, at once and however long it is: what reads any number takes it as infinite.
func TestParseIntegerOfTooManyDigits(t *testing.T) {
	digits := strings.Repeat("9", 50*MaxIntegerDigits)
	_, ok := ParseInteger(digits)
	require.False(t, ok)
	_, ok = ParseIntegerPrefix("-" + digits + " apples")
	require.False(t, ok)
	for _, literal := range []string{digits, "0x" + digits} {
		_, ok = ParseIntegerLiteral(literal)
		require.False(t, ok)
	}
	v, ok := ParseWholeNumber("-" + digits)
	require.True(t, ok)
	require.Equal(t, math.Inf(-1), v.Float())
	_, err := ParseJSON("[" + digits + "]")
	require.ErrorIs(t, err, TOOBIG)
	require.Equal(t, int64(len(digits)), TextDigits(" -"+digits+".5"))

	zeros := strings.Repeat("0", MaxIntegerDigits) + "7"
	v, ok = ParseInteger(zeros)
	require.True(t, ok)
	require.Equal(t, "7", FormatInteger(v))
	require.Equal(t, int64(1), TextDigits(zeros))
}

func TestTrimSpace(t *testing.T) {
	for in, want := range map[string]string{
		"": "", "  ": "", "a": "a", " a b ": "a b", "\t\r\n\v\fa": "a", "\u00a0\ufeff\u2003a\u3000\u2028": "a", "\u200ba": "\u200ba", "é": "é",
	} {
		require.Equal(t, want, TrimSpace(in), "%q", in)
	}
}

func TestNearestReal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := genInteger.Draw(t, "v")
		want, _ := strconv.ParseFloat(FormatInteger(v), 64)
		require.Equal(t, want, NearestReal(v))
	})
	require.Equal(t, 1.0, NearestReal(True))
	require.Equal(t, 1.5, NearestReal(Real(1.5)))
	require.Zero(t, NearestReal(Text("1")))
	require.True(t, math.IsInf(NearestReal(Shl(Int(-1), Int(2000))), -1))
}

func TestTruncate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := genFloat.Draw(t, "f")
		got, ok := Truncate(Real(f))
		if math.IsInf(f, 0) {
			require.False(t, ok)
			return
		}
		require.True(t, ok)
		require.Equal(t, KindInteger, got.Kind())
		require.Zero(t, CompareNumbers(got, Real(math.Trunc(f))))
		require.Equal(t, f == math.Trunc(f), IsWhole(Real(f)))
	})
	_, ok := Truncate(Text("1"))
	require.False(t, ok)
	one, ok := Truncate(True)
	require.True(t, ok)
	require.Equal(t, KindInteger, one.Kind())
	require.False(t, IsWhole(Text("1")))
	require.False(t, IsWhole(Real(math.Inf(1))))
}
