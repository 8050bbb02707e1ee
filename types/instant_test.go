package types

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"
)

// instants draws moments within the range of SQL.
func instants() *rapid.Generator[Instant] {
	return rapid.Custom(func(t *rapid.T) Instant {
		return Instant{
			Day:  rapid.Int64Range(-maxInstantDays, maxInstantDays-1).Draw(t, "day"),
			Nano: rapid.Int64Range(0, NanosPerDay-1).Draw(t, "nano"),
		}
	})
}

func TestCivilAgreesWithTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i := instants().Draw(t, "instant")
		c := i.Civil()
		want := time.Unix(i.Day*secondsPerDay, i.Nano).UTC()
		assert.Equal(t, Civil{
			Year: int64(want.Year()), Month: int(want.Month()), Day: want.Day(),
			Hour: want.Hour(), Minute: want.Minute(), Second: want.Second(), Nanosecond: want.Nanosecond(),
		}, c)
		assert.Equal(t, i, c.Instant())
	})
}

func TestDateOfDayUndoesDayOfDate(t *testing.T) {
	check := func(day int64) {
		year, month, dayOfMonth := dateOfDay(day)
		if got := DayOfDate(year, month, dayOfMonth); got != day {
			t.Fatalf("day %d is %d-%d-%d, which is day %d", day, year, month, dayOfMonth, got)
		}
	}
	for day := int64(-2*daysIn400Years - 800_000); day < daysIn400Years; day += 7 {
		check(day)
	}
	rapid.Check(t, func(t *rapid.T) { // as far as durations in range reach
		check(rapid.Int64Range(-2_000_000_000_000, 2_000_000_000_000).Draw(t, "day"))
	})
}

func TestDaysInMonth(t *testing.T) {
	for _, c := range []struct {
		year int64
		feb  int
	}{{2023, 28}, {2024, 29}, {2100, 28}, {2000, 29}, {0, 29}, {-1, 28}, {-4, 29}, {-100, 28}, {-400, 29}} {
		assert.Equal(t, c.feb, DaysInMonth(c.year, 2), c.year)
	}
	assert.Equal(t, 30, DaysInMonth(2024, 11))
	assert.Equal(t, 31, DaysInMonth(2024, 12))
}

func TestAddMonthsClamps(t *testing.T) {
	for _, c := range []struct {
		from   string
		months int64
		to     string
	}{
		{"2024-01-31", 1, "2024-02-29"},
		{"2023-01-31", 1, "2023-02-28"},
		{"2024-03-31", -1, "2024-02-29"},
		{"2024-02-29", 12, "2025-02-28"},
		{"2024-12-15", 1, "2025-01-15"},
		{"2024-01-15", -1, "2023-12-15"},
		{"0000-01-31", -2, "-000001-11-30"},
		{"2024-05-31", 0, "2024-05-31"},
	} {
		i, ok := ParseDateTime(c.from)
		assert.True(t, ok)
		assert.Equal(t, c.to, string(AppendDate(nil, i.AddMonths(c.months).Day)), "%s %+d", c.from, c.months)
	}
}

func TestInstantRange(t *testing.T) {
	const most = 8_640_000_000_000_000
	assert.True(t, InstantFromUnixMilli(most).InRange())
	assert.True(t, InstantFromUnixMilli(-most).InRange())
	assert.False(t, InstantFromUnixMilli(most+1).InRange())
	assert.False(t, InstantFromUnixMilli(-most-1).InRange())
	assert.False(t, InstantFromUnixMilli(most).AddTime(0, 1).InRange())
	assert.False(t, InstantFromUnixMilli(-most).AddTime(0, -1).InRange())
	assert.True(t, InstantFromUnixMilli(-most).AddTime(0, 1).InRange())
}

func TestInstantArithmeticLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		i, j := instants().Draw(t, "i"), instants().Draw(t, "j")
		e := i.since(j)
		assert.Equal(t, i, j.AddTime(e.Seconds, e.Nanos))
		assert.Equal(t, e.Negate(), j.since(i))
		assert.Equal(t, e.Compare(Elapsed{}), i.Compare(j))
		ms := i.UnixMilli()
		assert.Equal(t, ms, InstantFromUnixMilli(ms).UnixMilli())
		assert.LessOrEqual(t, InstantFromUnixMilli(ms).Compare(i), 0)
		assert.Positive(t, InstantFromUnixMilli(ms+1).Compare(i))
	})
}
