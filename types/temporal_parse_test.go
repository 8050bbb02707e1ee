package types

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// castText casts a text and gives the text of the result, "null" for NULL.
func castText(s string, t *Type) string {
	v := Cast(Text(s), t)
	if v.IsNull() {
		return "null"
	}
	return ToText(v)
}

func TestParseDateTimeGrammar(t *testing.T) {
	for _, c := range []struct{ text, date, datetime string }{
		{"2024-03-07", "2024-03-07", "2024-03-07T00:00:00"},
		{"20240307", "2024-03-07", "2024-03-07T00:00:00"},
		{"2024-03-07T10:20:30", "2024-03-07", "2024-03-07T10:20:30"},
		{"2024-03-07 10:20", "2024-03-07", "2024-03-07T10:20:00"},
		{"2024-03-07t10:20:30z", "2024-03-07", "2024-03-07T10:20:30"},
		{"2024-03-07T10", "2024-03-07", "2024-03-07T10:00:00"},
		{"2024-03-07T10:20:30.5Z", "2024-03-07", "2024-03-07T10:20:30.5"},
		{"20240307T102030", "2024-03-07", "2024-03-07T10:20:30"},
		{"20240305T10:30", "2024-03-05", "2024-03-05T10:30:00"},
		{"2024-03-05T1030", "2024-03-05", "2024-03-05T10:30:00"},
		{"20240305T1030Z", "2024-03-05", "2024-03-05T10:30:00"},
		{"2024-03-05T10:30:00.100000", "2024-03-05", "2024-03-05T10:30:00.1"},
		{"2024-03-05T10:30:00,000000001", "2024-03-05", "2024-03-05T10:30:00.000000001"},
		{"2024-03-05T10:30:00.0", "2024-03-05", "2024-03-05T10:30:00"},
		{"2024-03-05T23:59:60", "2024-03-05", "2024-03-05T23:59:59"},
		// offsets
		{"2024-03-05 10:30+02:00", "2024-03-05", "2024-03-05T08:30:00"},
		{"2024-03-05T23:30:00-02:00", "2024-03-06", "2024-03-06T01:30:00"},
		{"2024-03-05T10:20:30+0530", "2024-03-05", "2024-03-05T04:50:30"},
		{"2024-03-05T10:20:30-08", "2024-03-05", "2024-03-05T18:20:30"},
		{"2024-03-05T10:30:00-00:30", "2024-03-05", "2024-03-05T11:00:00"},
		{"2024-03-05T10:30:00+14:00", "2024-03-04", "2024-03-04T20:30:00"},
		{"2024-03-05T10:30:00+05:30:15", "2024-03-05", "2024-03-05T04:59:45"},
		{"2024-03-05T10:30:00+23:59:59", "2024-03-04", "2024-03-04T10:30:01"},
		// expanded years
		{"+012024-03-07", "+012024-03-07", "+012024-03-07T00:00:00"},
		{"-002024-03-05", "-002024-03-05", "-002024-03-05T00:00:00"},
		{"+000000-01-01", "0000-01-01", "0000-01-01T00:00:00"},
		{"+275760-09-13", "+275760-09-13", "+275760-09-13T00:00:00"},
		{"-271821-04-20", "-271821-04-20", "-271821-04-20T00:00:00"},
		// zones
		{"2024-12-25T23:00:00[America/New_York]", "2024-12-26", "2024-12-26T04:00:00"},
		{"2024-12-25T12:00:00-05:00[America/New_York]", "2024-12-25", "2024-12-25T17:00:00"},
		{"2024-03-07T10:20:30+02:00[Europe/Paris]", "2024-03-07", "2024-03-07T08:20:30"},
		{"2024-03-07T10:20:30Z[Europe/Paris]", "2024-03-07", "2024-03-07T10:20:30"},
		{"2024-03-07T10:20[UTC]", "2024-03-07", "2024-03-07T10:20:00"},
	} {
		assert.Equal(t, c.date, castText(c.text, TypeDate), "date of %q", c.text)
		assert.Equal(t, c.datetime, castText(c.text, TypeDatetime), "datetime of %q", c.text)
	}
}

func TestParseDateTimeRefuses(t *testing.T) {
	for _, s := range []string{
		"", "now", "42", "2024", "2024-03", "202403", "24-3-5", "2024-1-5", "2024/01/05", " 2024-01-05 ", "2024-01-05\n",
		"2024-W10-2", "2024-065", "2024-00-05", "2024-13-05", "2024-02-30", "2023-02-29", "2024-04-31", "2100-02-29", "2024-01-00",
		"99999-01-01", "+2024-03-05", "+02024-03-05", "-000000-01-01", "+0020240305", "+00202403-05", "٢٠٢٤-01-01",
		"202403-05", "2024-0305", "2024-03-05T", "2024-03-05Z", "2024-03-05+02:00", "2024-03-05[UTC]",
		"2024-03-05T24:00:00", "2024-03-05T23:60", "2024-03-05T23:59:61", "2024-03-05T10:20:", "2024-03-05T10:",
		"2024-03-05T10:3015", "2024-03-05T1030:15", "2024-03-05T10:30.5", "2024-03-05T10:30:00.",
		"2024-03-05T10:30:00.1234567891", "2024-03-05T10:30 ", "2024-03-05T10:30 +02:00", "2024-03-05  10:30",
		"2024-03-05T10:30:00+24:00", "2024-03-05T10:30:00+02:60", "2024-03-05T10:30:00+2", "2024-03-05T10:30:00+02:0030",
		"2024-03-05T10:30:00ZZ", "2024-03-05T10:30:00[]", "2024-03-05T10:30:00[Local]", "2024-03-05T10:30:00[No/Where]",
		"2024-03-05T10:30:00[UTC", "2024-03-05T10:30:00[UTC]x", "2024-03-05T10:30:00+01:00[No/Where]",
		"2024-03-05T10:30:00[UTC][UTC]", "2024-03-05T10:30:00[../zoneinfo/UTC]",
		"10:20", "10:20:30", "T10:20:30.25", "10:20:30Z", "P1DT2H",
		"+275760-09-13T00:00:00.000000001", "+275760-09-14", "-271821-04-19", "+275760-09-13T00:30-01:00",
	} {
		_, ok := ParseDateTime(s)
		assert.False(t, ok, "%q", s)
	}
}

func TestParseTimeGrammar(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"10", "10:00:00"}, {"T10", "10:00:00"}, {"T1030", "10:30:00"}, {"103015", "10:30:15"}, {"t10:30", "10:30:00"},
		{"10:30:15,25", "10:30:15.25"}, {"103015.5", "10:30:15.5"}, {"T10:20:30.25", "10:20:30.25"},
		{"23:59:59.999999999", "23:59:59.999999999"}, {"10:59:60", "10:59:59"}, {"10:59:60.5", "10:59:59.5"},
		{"2024-03-07", "00:00:00"}, {"20240307", "00:00:00"}, {"+012024-03-07", "00:00:00"},
		{"2024-03-07 10:20", "10:20:00"}, {"2024-03-05T10:20:30Z", "10:20:30"}, {"2024-03-07T23:20:30-03:00", "02:20:30"},
		{"2024-12-25T12:00:00[America/New_York]", "17:00:00"}, {"202403", "20:24:03"},
		// refused
		{"1030", "null"}, {"10:20:30Z", "null"}, {"10:30:15.", "null"}, {"10:3", "null"}, {"10:30:1", "null"}, {"1", "null"},
		{"10:3015", "null"}, {"1030:15", "null"}, {"24:00", "null"}, {"25:00", "null"}, {"10:60", "null"}, {"42", "null"},
		{"2024-02-30", "null"}, {"24-3-5", "null"}, {"2024-03", "null"}, {"P1DT2H", "null"}, {"", "null"}, {"T", "null"},
		{" 10:20", "null"}, {"10:20[UTC]", "null"}, {"10:20:30+01:00", "null"},
	} {
		assert.Equal(t, c.want, castText(c.text, TypeTime), "%q", c.text)
	}
}

// Wall clocks that a zone repeats or skips.
func TestZoneTransitions(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"2024-03-10T01:59:59[America/New_York]", "2024-03-10T06:59:59"},
		{"2024-03-10T02:30:00[America/New_York]", "2024-03-10T07:30:00"}, // skipped: the offset before the gap
		{"2024-03-10T03:00:00[America/New_York]", "2024-03-10T07:00:00"},
		{"2024-11-03T00:59:59[America/New_York]", "2024-11-03T04:59:59"},
		{"2024-11-03T01:30:00[America/New_York]", "2024-11-03T05:30:00"}, // repeated: the first
		{"2024-11-03T02:00:00[America/New_York]", "2024-11-03T07:00:00"},
		{"2024-10-06T02:15:00[Australia/Lord_Howe]", "2024-10-05T15:45:00"}, // half an hour skipped
		{"2011-12-30T12:00:00[Pacific/Apia]", "2011-12-30T22:00:00"},        // a whole day skipped
		{"1850-01-01T12:00:00[Europe/Paris]", "1850-01-01T11:50:39"},        // local mean time
		{"2500-07-01T12:00:00[Europe/Paris]", "2500-07-01T10:00:00"},
	} {
		assert.Equal(t, c.want, castText(c.text, TypeDatetime), "%q", c.text)
	}
}

func TestCanonicalFormsAreFixedPoints(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := instants().Draw(t, "instant")
		got, ok := ParseDateTime(string(AppendDateTime(nil, i)))
		assert.True(t, ok)
		assert.Equal(t, i, got)
		nanos, ok := ParseBareTime(string(AppendTime(nil, i.Nano)))
		assert.True(t, ok)
		assert.Equal(t, i.Nano, nanos)
		got, ok = ParseDateTime(string(AppendDate(nil, i.Day)))
		assert.True(t, ok)
		assert.Equal(t, Instant{Day: i.Day}, got)
	})
}

// For four-digit years the order of canonical texts is the order of moments.
func TestCanonicalOrderIsOrderOfMoments(t *testing.T) {
	first, last := DayOfDate(0, 1, 1), DayOfDate(9999, 12, 31)
	draw := func(t *rapid.T, label string) Instant {
		return Instant{
			Day:  rapid.Int64Range(first, last).Draw(t, label+" day"),
			Nano: rapid.OneOf(rapid.Int64Range(0, NanosPerDay-1), rapid.Map(rapid.Int64Range(0, 3), func(n int64) int64 { return n * NanosPerSecond / 2 })).Draw(t, label+" nano"),
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		i, j := draw(t, "i"), draw(t, "j")
		if rapid.Bool().Draw(t, "same day") {
			j.Day = i.Day
		}
		assert.Equal(t, i.Compare(j), Compare(datetimeValue(i), datetimeValue(j), Binary), "%v %v", datetimeValue(i).Str(), datetimeValue(j).Str())
		assert.Equal(t, Instant{Day: i.Day}.Compare(Instant{Day: j.Day}), Compare(dateValue(i), dateValue(j), Binary))
		assert.Equal(t, Instant{Nano: i.Nano}.Compare(Instant{Nano: j.Nano}), Compare(timeValue(i.Nano), timeValue(j.Nano), Binary))
	})
}

func TestCanonicalTemporalsDoNotAllocate(t *testing.T) {
	for _, c := range []struct {
		t    *Type
		text string
	}{
		{TypeDate, "2024-03-05"}, {TypeTime, "10:20:30.5"}, {TypeDatetime, "2024-03-05T10:20:30"}, {TypeTimespan, "P1DT2H3M4.5S"},
		{TypeTimestamp, "20240305"},
	} {
		v, write := Text(c.text), WriteConverter(c.t, "c")
		allocs := testing.AllocsPerRun(50, func() {
			if _, err := write(v); err != nil {
				t.Fatal(err)
			}
		})
		assert.Zero(t, allocs, c.t.Name)
	}
}

func FuzzParseDateTime(f *testing.F) {
	for _, s := range []string{
		"2024-03-05", "20240305", "+012024-03-07T10:20:30.5Z", "2024-03-05 10:30+02:00", "T1030", "103015,25",
		"2024-12-25T12:00:00[America/New_York]", "-271821-04-20T00:00:00+23:59", "10:20:30Z", "2024-02-30",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, typ := range []*Type{TypeDate, TypeTime, TypeDatetime} {
			v, err := typ.Parse(Text(s))
			if err != nil {
				require.Equal(t, MISMATCH, CodeOf(err))
				continue
			}
			require.True(t, typ.Valid(v), "%s of %q is %q", typ, s, v.Str())
			again, err := typ.Parse(v)
			require.NoError(t, err)
			require.Equal(t, v.Str(), again.Str())
		}
	})
}
