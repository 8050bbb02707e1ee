package types

import (
	"math/big"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// durations draws durations in range, small ones most often.
func durations() *rapid.Generator[Duration] {
	return rapid.Custom(func(t *rapid.T) Duration {
		var d Duration
		for u := unitYear; u < unitCount; u++ {
			most := rapid.SampledFrom([]int64{0, 3, 100, maxComponent[u] / 8}).Draw(t, "most")
			*d.component(u) = rapid.Int64Range(0, most).Draw(t, "component")
		}
		d.Nanos = rapid.OneOf(rapid.Just(int64(0)), rapid.Int64Range(0, NanosPerSecond-1)).Draw(t, "nanos")
		return d.withSign(rapid.Bool().Draw(t, "negative"))
	})
}

func TestParseTimespan(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"P1Y2M3W4DT5H6M7.5S", "P1Y2M3W4DT5H6M7.5S"},
		{"p1y", "P1Y"}, {"pt1m", "PT1M"}, {"P1M", "P1M"}, {"+PT1S", "PT1S"}, {"-P1D", "-P1D"},
		{"PT90M", "PT90M"}, {"PT90S", "PT90S"}, {"PT1H30M0S", "PT1H30M"},
		{"PT0S", "PT0S"}, {"P0D", "PT0S"}, {"-PT0S", "PT0S"}, {"-PT0.0S", "PT0S"}, {"P0Y0M0W0DT0H0M0S", "PT0S"},
		{"PT0.000000001S", "PT0.000000001S"}, {"PT1.500S", "PT1.5S"}, {"PT1,5S", "PT1.5S"}, {"PT1.0S", "PT1S"},
		{"PT1.5H", "PT1H30M"}, {"PT1.5M", "PT1M30S"}, {"PT0.5H", "PT30M"}, {"PT1.51H", "PT1H30M36S"},
		{"PT0.123456789H", "PT7M24.4444404S"}, {"PT0.000000001M", "PT0.00000006S"}, {"P1DT1.5M", "P1DT1M30S"},
		{"P007D", "P7D"},
		// the ends of the range
		{"P4294967295Y4294967295M4294967295W", "P4294967295Y4294967295M4294967295W"},
		{"PT9007199254740991.999999999S", "PT9007199254740991.999999999S"},
		{"P104249991374DT27391S", "P104249991374DT27391S"},
		// human form
		{"1 hour 40 minutes", "PT1H40M"}, {"2 days", "P2D"}, {"-3 weeks", "-P3W"}, {"- 2 days", "-P2D"}, {"1 min 2 secs", "PT1M2S"},
		{"1 year 2 months 3 weeks 4 days", "P1Y2M3W4D"}, {"5 hours, 6 minutes and 7 seconds", "PT5H6M7S"},
		{"2 hours 2 hours", "PT4H"}, {"10min", "PT10M"}, {"3 SECS", "PT3S"}, {"1week", "P1W"}, {" 1 day ", "P1D"},
		{"1 second 1 sec", "PT2S"}, {"wait 5 minutes please", "PT5M"}, {"5hours,6minutes", "PT5H6M"}, {"1\u00a0year", "P1Y"},
		{"0 days", "PT0S"}, {"-0 days", "PT0S"}, {"chapter 5. 2 days", "P2D"}, {"7 of 9 days", "P9D"},
	} {
		assert.Equal(t, c.want, castText(c.text, TypeTimespan), "%q", c.text)
	}
}

func TestParseTimespanRefuses(t *testing.T) {
	for _, s := range []string{
		"", "P", "PT", "-P", "P1", "PT1", "P1DT", "1D", "P1S", "PT1D", "P1H", "PT1Y", "P1D1Y", "P1D1D", "PT1M1H", "P1YT", "PP1D", "P1D ", " P1D",
		"P1.5D", "P1.5Y", "PT1.5H30M", "PT1.5M30S", "PT1.S", "PT.5S", "PT1.1234567890S", "P-1D", "PT-1S", "P+1D", "--P1D", "+-P1D",
		"90", "2024-03-07", "half an hour", "1.5 hours", "1,5 hours", "1,000 seconds", ".5 hours", "1h", "hours", "5 fortnights",
		"P4294967296Y", "P4294967296M", "P4294967296W", "PT9007199254740992S", "P104249991375D", "PT150119987579017M", "P104249991374DT27392S",
		"P99999999999999999999999Y", "99999999999999999999999 days", "9007199254740991 seconds 1 second", "9007199254740991 hours",
	} {
		assert.Equal(t, "null", castText(s, TypeTimespan), "%q", s)
	}
}

func TestElapsed(t *testing.T) {
	for _, c := range []struct {
		text  string
		hours float64
	}{
		{"PT1H", 1}, {"PT60M", 1}, {"P1D", 24}, {"P1W", 168}, {"P1M", 31 * 24}, {"P2M", 60 * 24}, {"P1Y", 8784}, {"P1Y1M", 397 * 24},
		{"-P1M", -31 * 24}, {"-P1Y", -365 * 24}, {"-P1Y1M", -396 * 24}, {"-PT1H", -1}, {"PT0S", 0}, {"P1M1D", 32 * 24}, {"PT30M", 0.5},
		{"PT0.000000001S", 1e-9 / 3600}, {"-PT1800.5S", -1800.5 / 3600},
	} {
		d, ok := ParseDuration(c.text)
		require.True(t, ok, c.text)
		assert.Equal(t, c.hours, d.Elapsed().In(3600), c.text)
	}
}

// In rounds once, beyond what a double holds too.
func TestElapsedInIsNearest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e := durations().Draw(t, "d").Elapsed()
		unit := rapid.SampledFrom([]int64{1, 60, 3600, secondsPerDay}).Draw(t, "unit")
		want, _ := new(big.Rat).SetFrac(e.big(), big.NewInt(unit*NanosPerSecond)).Float64()
		assert.Equal(t, want, e.In(unit))
	})
}

func TestTimespanIdentityAndOrder(t *testing.T) {
	sorted := [][]string{
		{"-P1Y"}, {"-P31D", "-P1M"}, {"-PT1H", "-PT3600S"}, {"-PT0.5S"}, {"PT0S"}, {"PT0.000000001S"}, {"PT1H", "PT60M"}, {"PT90M"}, {"PT2H"},
		{"P1D", "PT24H"}, {"P1W", "P7D"}, {"P30D"}, {"P1M", "P31D"}, {"P2M", "P60D"}, {"P1Y", "P366D"}, {"P4294967295Y"},
	}
	for i, group := range sorted {
		for j, other := range sorted {
			for _, a := range group {
				for _, b := range other {
					want := big.NewInt(int64(i)).Cmp(big.NewInt(int64(j)))
					assert.Equal(t, want, TypeTimespan.Compare(Text(a), Text(b), Binary), "%s %s", a, b)
				}
			}
		}
	}
}

// Only text that begins with P or -P takes part in comparisons by elapsed time (docs/reference/types.md).
func TestTimespanAgainstOtherValues(t *testing.T) {
	for _, c := range []struct {
		a, b Value
		want int
	}{
		{Text("PT2H"), Text("PT90M"), 1},
		{Text("PT5H"), Text("5 hours"), 1}, // as text
		{Text("PT1H"), Text("pt60m"), -1},  // as text
		{Text("PT1H"), Text("+PT60M"), 1},  // as text
		{Text("PT1H"), Text("Peter"), -1},  // does not parse
		{Text("PT1H"), Int(3600), 1},       // by storage class
		{Text("PT1H"), Blob(nil), -1},      // by storage class
		{Text("-PT1H"), Text("-PT60M"), 0}, // negative forms take part
		{Text("PT1H"), Text("Pt3600s"), 0}, // the rest in any case
		{Text("Peter"), Text("Peter"), 0},  // text after all
		{Text("PT1H"), Text("PT1H "), -1},  // no space around
	} {
		assert.Equal(t, c.want, signOf(TypeTimespan.Compare(c.a, c.b, Binary)), "%s %s", c.a.Str(), c.b.Str())
		assert.Equal(t, -c.want, signOf(TypeTimespan.Compare(c.b, c.a, Binary)), "%s %s", c.b.Str(), c.a.Str())
	}
}

func TestTimespanKeysOrderAsElapsedTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := durations().Draw(t, "a"), durations().Draw(t, "b")
		x, ok := TypeTimespan.KeyForm(Text(a.String()))
		require.True(t, ok)
		y, ok := TypeTimespan.KeyForm(Text(b.String()))
		require.True(t, ok)
		order := a.Elapsed().Compare(b.Elapsed())
		assert.Equal(t, order, CompareNumbers(x, y))
		assert.Equal(t, order, TypeTimespan.Compare(Text(a.String()), Text(b.String()), Binary))
		assert.Equal(t, 0, a.Elapsed().big().Cmp(x.Big()), "keys are exact")
	})
	_, ok := TypeTimespan.KeyForm(Text("5 hours"))
	assert.False(t, ok)
	_, ok = TypeTimespan.KeyForm(Int(1))
	assert.False(t, ok)
}

func TestDurationTextIsFixedPoint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := durations().Draw(t, "d")
		got, ok := ParseDuration(d.String())
		require.True(t, ok, d.String())
		assert.Equal(t, d, got)
		assert.Equal(t, d, d.Negate().Negate())
		assert.Equal(t, d.IsZero(), d.Elapsed() == Elapsed{})
	})
}

func TestElapsedLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		e, f := durations().Draw(t, "e").Elapsed(), durations().Draw(t, "f").Elapsed()
		assert.Equal(t, new(big.Int).Add(e.big(), f.big()), e.Add(f).big())
		assert.Equal(t, new(big.Int).Neg(e.big()), e.Negate().big())
		assert.Equal(t, e.big().Cmp(f.big()), e.Compare(f))
		back, ok := elapsedFromNanos(e.big())
		assert.True(t, ok)
		assert.Equal(t, e, back)
		if d, ok := durationFromElapsed(e, unitDay); ok {
			assert.Equal(t, e, d.Elapsed())
			assert.True(t, d.Hours < 24 && d.Minutes < 60 && d.Seconds < 60)
		}
	})
}

func FuzzParseDuration(f *testing.F) {
	for _, s := range []string{"P1Y2M3W4DT5H6M7.5S", "-PT0.000000001S", "PT1,5H", "5 hours, 6 minutes and 7 seconds", "- 2 days", "P-1D", "1.5 hours"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		v, err := TypeTimespan.Parse(Text(s))
		if err != nil {
			require.Equal(t, MISMATCH, CodeOf(err))
			return
		}
		require.True(t, TypeTimespan.Valid(v), "%q", v.Str())
		d, ok := ParseDuration(v.Str())
		require.True(t, ok)
		require.True(t, d.InRange())
		require.Equal(t, v.Str(), d.String())
		require.Zero(t, TypeTimespan.Compare(v, Text(d.Negate().Negate().String()), Binary))
	})
}
