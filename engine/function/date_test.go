package function_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/quereus/quereus-migrate/types"
)

func TestDates(t *testing.T) {
	h := newHarness() // now is 2024-05-17 13:14:15.123456789 UTC, the host two and a half hours ahead
	for _, c := range []struct{ expr, want string }{
		// the clock
		{"date('now')", `"2024-05-17"`}, {"time('NOW')", `"13:14:15"`}, {"datetime('now')", `"2024-05-17T13:14:15.123Z"`},
		{"datetime(' Now ', 'utc')", `"2024-05-17 13:14:15"`}, {"datetime('now', 'localtime')", `"2024-05-17 15:44:15"`}, {"epoch_ms('now')", "1715951655123"},
		{"julianday('now') = julianday(1715951655123)", "true"}, {"strftime('%Q %E %z', 'now', 'localtime')", `"1715951655123 1715951655 +0230"`},
		// reading
		{"datetime('2024-03-05T10:20:30,5+02:00', 'subsec')", `"2024-03-05 08:20:30.500"`},
		{"datetime('T10:20', 'utc')", "null"}, {"datetime('102030', 'utc')", "null"}, {"datetime('10', 'utc')", "null"}, {"datetime('24:00', 'utc')", "null"},
		{"datetime('10:20:30.123456789', 'subsec', 'utc')", `"2000-01-01 10:20:30.123"`}, {"datetime('10:20:30.1234567890', 'utc')", "null"},
		{"date('20240305T102030', 'utc')", `"2024-03-05"`}, {"date('+012024-03-05', '+1 day')", `"+012024-03-06"`}, {"date('2024-065', 'utc')", "null"},
		{"datetime('2024-03-05 10:20[Europe/Paris]', 'utc')", `"2024-03-05 09:20:00"`}, {"datetime('2024-03-05 10:20[Nowhere]', 'utc')", "null"},
		{"datetime(1000000, 'utc')", `"1970-01-12 13:46:40"`}, {"date(1000001, 'utc')", `"-001975-10-22"`}, {"date(4000000, 'utc')", `"1970-02-16"`},
		{"datetime(-2208988800, 'utc')", `"1969-12-06 10:23:31"`}, {"datetime(-2208988799, 'utc')", `"1900-01-01 00:00:01"`},
		{"datetime(32503680000, 'utc')", `"1971-01-12 04:48:00"`}, {"datetime(32503679999, 'utc')", `"2999-12-31 23:59:59"`},
		{"datetime(32503680000000, 'utc')", "null"}, {"datetime(-1.5, 'subsec')", `"1969-12-31 23:59:58.500"`}, {"date(12345678901234567890, 'utc')", "null"},
		{"datetime(8640000000000, 'unixepoch')", `"+275760-09-13 00:00:00"`}, {"datetime(8640000000001, 'unixepoch')", "null"}, {"datetime(1e300, 'unixepoch')", "null"},
		{"datetime(2460325.75, 'unixepoch')", `"1970-01-29 11:25:25"`}, {"datetime(1700000000.9996, 'unixepoch', 'subsec')", `"2023-11-14 22:13:20.999"`},
		{"datetime('UnixEpoch ', 0, '+1 day')", `"1970-01-02 00:00:00"`}, {"datetime('unixepoch', '2024-01-01')", `"2024-01-01 00:00:00"`}, {"julianday('unixepoch')", "null"},
		{"datetime('1700000000', 'unixepoch')", "null"}, {"datetime(json('[1]'), 'utc')", "null"},
		// modifiers
		{"date('2024-01-31', '+1 month', '+1 month')", `"2024-03-29"`}, {"date('2024-02-29', '-1 years')", `"2023-02-28"`}, {"date('2024-01-31', '-  2 MONTHS')", `"2023-11-30"`},
		{"date('2024-01-01', '-1.9 days')", `"2023-12-31"`}, {"date('2024-01-01', '+1.9 months')", `"2024-02-01"`}, {"datetime('2024-01-01', '+1.0 hours')", `"2024-01-01 01:00:00"`},
		{"datetime('2024-01-01', '+0.5 minutes')", "null"}, {"datetime('2024-01-01', '-0.25 seconds', 'subsec')", `"2023-12-31 23:59:59.750"`},
		{"datetime('2024-01-01', '+1.5seconds')", `"2024-01-01 00:00:00"`}, {"date('2024-01-01', '+ day')", `"2024-01-01"`}, {"date('2024-01-01', '.5 days')", `"2024-01-01"`},
		{"date('2024-01-01', '+1 days days')", `"2024-01-01"`}, {"date('2024-01-01', '+1 dayss')", `"2024-01-01"`}, {"date('2024-01-01', '1  day')", `"2024-01-02"`},
		{"date('2024-01-01', '+99999999999999999999 days')", "null"}, {"date('2024-01-01', '+999999999999999 years')", "null"}, {"date('2024-01-01', '+273737 years')", "null"},
		{"date('2024-01-01', '+999999999999999 hours')", "null"}, {"date('2024-01-01', '+999999999999999 seconds', '-999999999999999 seconds')", "null"},
		{"date('2024-05-15', ' Weekday 0 ')", `"2024-05-19"`}, {"date('2024-05-15', 'weekday 10')", `"2024-05-15"`}, {"date('2024-05-15', 'weekday -1')", `"2024-05-15"`},
		{"datetime('2024-05-15 10:00', 'weekday 3')", `"2024-05-15 10:00:00"`}, {"date('1969-12-31', 'weekday 4')", `"1970-01-01"`},
		{"date('2024-05-17 23:00', 'localtime')", `"2024-05-18"`}, {"date('2024-05-17 23:00', 'localtime', 'utc')", `"2024-05-17"`},
		{"datetime('2024-05-17 23:00', 'start of day', 'localtime')", `"2024-05-18 00:00:00"`}, {"epoch_s('2024-05-17 23:00', 'start of day', 'localtime')", "1715981400"},
		{"julianday('2024-05-17 23:00', 'localtime') = julianday('2024-05-17 23:00')", "true"},
		// results
		{"time('2024-01-01 10:20:30.9999')", `"10:20:30.9999"`}, {"time('2024-01-01 10:20:30.9999', 'utc')", `"10:20:30"`}, {"date('2024-01-01', 'subsec')", `"2024-01-01"`},
		{"strftime('%Y|%C|%y|%G|%F', '-000001-03-01')", `"-000001|-01|99|-000001|-000001-03-01"`}, {"strftime('%Y %C', '+012345-01-01')", `"+012345 123"`},
		{"strftime('%é%', '2024-01-01')", `"%é%"`}, {"strftime('%%Y', '2024-01-01')", `"%Y"`}, {"strftime('%l|%I|%p', '2024-01-01 12:00')", `"12|12|PM"`},
		// epoch and checks
		{"epoch_s('2024-01-01T10:20:30.5z')", "null"}, {"epoch_s('2024-01-01t10:20')", "null"}, {"epoch_s('2024-01-01T10')", "null"}, {"epoch_s('2024-01-01T10:20+0100')", "null"},
		{"epoch_s('2024-01-01 10:20:30.1234567890')", "null"}, {"epoch_s('2024-01-01 10:20:30.')", "null"}, {"epoch_s('2024-01-01 10:20Z')", "1704104400"},
		{"epoch_s('2024-01-01', '+1.5 hours')", "null"}, {"epoch_s('+002024-01-01')", "null"}, {"epoch_s(0, 'unixepoch')", "null"},
		{"isisodatetime(' 2024-01-01T10:20-23:59 ')", "true"}, {"isisodatetime('2024-01-01T10:20-24:00')", "false"}, {"isisodatetime('2024-01-01T10:20:30.Z')", "false"},
		{"isisodatetime('2024-01-01T10:20ZZ')", "false"}, {"isisodatetime('2024-01-01T')", "false"}, {"isisodate('2024-01-0é')", "false"}, {"isisodate('0000-01-01')", "true"},
	} {
		t.Run(c.expr, func(t *testing.T) { h.requireValue(t, c.expr, c.want) })
	}
}

// TestLocalTimeKnowsSummerTime moves over the night in which Berlin sets its clocks forward: days keep the time of day, hours last.
func TestLocalTimeKnowsSummerTime(t *testing.T) {
	h := newHarness()
	berlin, err := time.LoadLocation("Europe/Berlin")
	require.NoError(t, err)
	h.call.Local = berlin
	for expr, want := range map[string]string{
		"datetime('2024-03-30 11:00', 'localtime')":                                        `"2024-03-30 12:00:00"`,
		"datetime('2024-03-30 11:00', 'localtime', '+1 day')":                              `"2024-03-31 12:00:00"`,
		"datetime('2024-03-30 11:00', 'localtime', '+24 hours')":                           `"2024-03-31 13:00:00"`,
		"epoch_s('2024-03-30 11:00', 'localtime', '+1 day') - epoch_s('2024-03-30 11:00')": "82800",
		"datetime('2024-03-31 11:00', 'localtime', 'start of day', '+3 hours')":            `"2024-03-31 04:00:00"`,
		"strftime('%z', '2024-03-31 11:00', 'localtime')":                                  `"+0200"`,
		"strftime('%z', '2024-01-31 23:30', 'localtime')":                                  `"+0100"`,
	} {
		h.requireValue(t, expr, want)
	}
}

func genInstant(t *rapid.T) time.Time {
	from, to := time.Date(1, 1, 1, 0, 0, 0, 0, time.UTC).Unix(), time.Date(9999, 12, 31, 0, 0, 0, 0, time.UTC).Unix()
	return time.Unix(rapid.Int64Range(from, to).Draw(t, "second"), rapid.Int64Range(0, 999).Draw(t, "milli")*1_000_000).UTC()
}

// textOf calls a variadic function and gives the text of its result.
func (h *harness) textOf(t *rapid.T, name string, args ...types.Value) string {
	v, err := h.functions.Lookup(name, len(args), false).Eval(h.call, args)
	require.NoError(t, err)
	return types.ToText(v)
}

func TestStrftimeAgreesWithTheCalendar(t *testing.T) {
	h := newHarness()
	rapid.Check(t, func(t *rapid.T) {
		at := genInstant(t)
		year, week := at.ISOWeek()
		want := fmt.Sprintf("%s %03d %04d-W%02d-%d %d %d %s", at.Format("2006-01-02T15:04:05.000 03 PM Jan 06"), at.YearDay(), year, week,
			(int(at.Weekday())+6)%7+1, int(at.Weekday()), at.Unix(), at.Format("01/02/06 3:04 pm"))
		got := h.textOf(t, "strftime", types.Text("%FT%T%f %I %p %h %y %j %G-W%V-%u %w %s %D "), types.Text(at.Format("2006-01-02 15:04:05.000")))
		got += fmt.Sprintf("%d:%02d %s", (at.Hour()+11)%12+1, at.Minute(), map[bool]string{true: "pm", false: "am"}[at.Hour() >= 12])
		if got != want {
			t.Fatalf("got  %s\nwant %s", got, want)
		}
	})
}

func TestShiftsAgreeWithTheCalendar(t *testing.T) {
	h := newHarness()
	rapid.Check(t, func(t *rapid.T) {
		at := time.Date(rapid.IntRange(1000, 3000).Draw(t, "year"), time.Month(rapid.IntRange(1, 12).Draw(t, "month")), rapid.IntRange(1, 31).Draw(t, "day"),
			rapid.IntRange(0, 23).Draw(t, "hour"), 0, 0, 0, time.UTC)
		n := rapid.IntRange(-5000, 5000).Draw(t, "n")
		text := types.Text(at.Format("2006-01-02 15:04:05"))
		shifted := func(unit string) string {
			return h.textOf(t, "datetime", text, types.Text(fmt.Sprintf("%+d %s", n, unit)))
		}
		first := time.Date(at.Year(), at.Month()+time.Month(n), 1, at.Hour(), 0, 0, 0, time.UTC)
		last := first.AddDate(0, 1, -1).Day()
		for unit, want := range map[string]time.Time{
			"days": at.AddDate(0, 0, n), "hour": at.Add(time.Duration(n) * time.Hour), "minutes": at.Add(time.Duration(n) * time.Minute),
			"seconds": at.Add(time.Duration(n) * time.Second), "months": first.AddDate(0, 0, min(at.Day(), last)-1),
		} {
			if got := shifted(unit); got != want.Format("2006-01-02 15:04:05") {
				t.Fatalf("%s %+d %s = %s, want %s", text.Str(), n, unit, got, want)
			}
		}
	})
}

func TestJulianDaysReadBack(t *testing.T) {
	h := newHarness()
	rapid.Check(t, func(t *rapid.T) {
		at := genInstant(t)
		text := at.Format("2006-01-02 15:04:05.000")
		day, err := h.functions.Lookup("julianday", 1, false).Eval(h.call, []types.Value{types.Text(text)})
		require.NoError(t, err)
		if day.Float() <= 1000000 || day.Float() >= 4000000 {
			return // such a number is no Julian day
		}
		if back := h.textOf(t, "datetime", day, types.Text("subsec")); back != text {
			t.Fatalf("%s is day %v, which is %s", text, day.Float(), back)
		}
	})
}
