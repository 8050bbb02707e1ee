package function

import (
	"strconv"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// strftime is strftime(format, time, modifiers…) (docs/reference/functions.md).
func strftime(c *Call, args []types.Value) (types.Value, error) {
	if args[0].Kind() != types.KindText {
		return types.Null, nil
	}
	m, ok := readMoment(c, args[1:])
	if !ok {
		return types.Null, nil
	}
	f := newTimeFormatter(&m)
	f.format(args[0].Str())
	return types.Text(string(f.buf)), nil
}

// timeFormatter appends the parts of one moment to buf.
type timeFormatter struct {
	*moment
	types.Civil
	wallClock types.Instant
	buf       []byte
}

func newTimeFormatter(m *moment) *timeFormatter {
	w := m.wall()
	return &timeFormatter{moment: m, Civil: w.Civil(), wallClock: w}
}

// format appends a format with its specifiers filled in. What is no specifier is copied as it stands.
func (f *timeFormatter) format(s string) {
	for {
		at := strings.IndexByte(s, '%')
		if at < 0 || at+1 == len(s) {
			f.buf = append(f.buf, s...)
			return
		}
		f.buf = append(f.buf, s[:at]...)
		if !f.specifier(s[at+1]) {
			f.buf = append(f.buf, s[at:at+2]...)
		}
		s = s[at+2:]
	}
}

// specifier appends what a specifier stands for; ok is false for an unknown letter.
func (f *timeFormatter) specifier(letter byte) (ok bool) {
	switch letter {
	case 'F':
		f.buf = types.AppendDate(f.buf, f.wallClock.Day)
	case 'T':
		f.format("%H:%M:%S")
	case 'R':
		f.format("%H:%M")
	case 'r':
		f.format("%I:%M:%S %p")
	case 'D':
		f.format("%m/%d/%y")
	case 's', 'E':
		f.buf = strconv.AppendInt(f.buf, f.unixSeconds(), 10)
	case 'Q':
		f.buf = strconv.AppendInt(f.buf, f.at.UnixMilli(), 10)
	case 'J':
		f.buf = types.AppendReal(f.buf, f.julianDay())
	case '%':
		f.buf = append(f.buf, '%')
	default:
		return f.dateSpecifier(letter) || f.clockSpecifier(letter) || f.weekSpecifier(letter)
	}
	return true
}

func (f *timeFormatter) dateSpecifier(letter byte) (ok bool) {
	switch letter {
	case 'Y':
		f.year(f.Year)
	case 'C':
		f.pad(floorDiv(f.Year, 100), 2, '0')
	case 'y':
		f.pad(f.Year-100*floorDiv(f.Year, 100), 2, '0')
	case 'm':
		f.pad(int64(f.Month), 2, '0')
	case 'h':
		const months = "JanFebMarAprMayJunJulAugSepOctNovDec"
		f.buf = append(f.buf, months[3*f.Month-3:3*f.Month]...)
	case 'd':
		f.pad(int64(f.Day), 2, '0')
	case 'e':
		f.pad(int64(f.Day), 2, ' ')
	case 'j':
		f.pad(f.wallClock.Day-types.DayOfDate(f.Year, 1, 1)+1, 3, '0')
	default:
		return false
	}
	return true
}

func (f *timeFormatter) clockSpecifier(letter byte) (ok bool) {
	switch letter {
	case 'H':
		f.pad(int64(f.Hour), 2, '0')
	case 'k':
		f.pad(int64(f.Hour), 2, ' ')
	case 'I':
		f.pad(f.hourOfHalf(), 2, '0')
	case 'l':
		f.pad(f.hourOfHalf(), 2, ' ')
	case 'M':
		f.pad(int64(f.Minute), 2, '0')
	case 'S':
		f.pad(int64(f.Second), 2, '0')
	case 'f':
		f.buf = appendMillis(f.buf, f.wallClock)
	case 'p':
		f.buf = append(f.buf, []string{"AM", "PM"}[f.Hour/12]...)
	case 'P':
		f.buf = append(f.buf, []string{"am", "pm"}[f.Hour/12]...)
	case 'z':
		f.offset()
	default:
		return false
	}
	return true
}

func (f *timeFormatter) weekSpecifier(letter byte) (ok bool) {
	year, week := isoWeek(f.wallClock.Day)
	switch letter {
	case 'w':
		f.pad(weekdayOf(f.wallClock.Day), 1, '0')
	case 'u':
		f.pad(isoWeekday(f.wallClock.Day), 1, '0')
	case 'W', 'V':
		f.pad(week, 2, '0')
	case 'G':
		f.year(year)
	case 'g':
		f.pad(year-100*floorDiv(year, 100), 2, '0')
	default:
		return false
	}
	return true
}

// year appends a year as dates spell it.
func (f *timeFormatter) year(y int64) {
	f.buf = types.AppendDate(f.buf, types.DayOfDate(y, 1, 1))
	f.buf = f.buf[:len(f.buf)-len("-01-01")]
}

// hourOfHalf gives the hour of a twelve-hour clock, 1–12.
func (f *timeFormatter) hourOfHalf() int64 { return int64(f.Hour+11)%12 + 1 }

// offset appends how far the zone is ahead of UTC, as +HHMM.
func (f *timeFormatter) offset() {
	minutes := (f.wallClock.Day-f.at.Day)*24*60 + (f.wallClock.Nano-f.at.Nano)/types.NanosPerMinute
	sign := byte('+')
	if minutes < 0 {
		sign, minutes = '-', -minutes
	}
	f.buf = append(f.buf, sign)
	f.pad(minutes/60, 2, '0')
	f.pad(minutes%60, 2, '0')
}

// pad appends a number with at least so many digits.
func (f *timeFormatter) pad(n int64, width int, with byte) {
	if n < 0 {
		f.buf = append(f.buf, '-')
		n = -n
	}
	digits := strconv.AppendInt(nil, n, 10)
	for i := len(digits); i < width; i++ {
		f.buf = append(f.buf, with)
	}
	f.buf = append(f.buf, digits...)
}

// isoWeek gives the ISO week of a day counted from 1970-01-01, and the year that the week belongs to: that of its Thursday.
func isoWeek(day int64) (year, week int64) {
	thursday := day - isoWeekday(day) + 4
	year = types.Instant{Day: thursday}.Civil().Year
	return year, (thursday-types.DayOfDate(year, 1, 1))/7 + 1
}

// isoWeekday gives the weekday of a day, 1 for Monday to 7 for Sunday.
func isoWeekday(day int64) int64 { return (weekdayOf(day)+6)%7 + 1 }

// floorDiv divides toward negative infinity; d is positive.
func floorDiv(n, d int64) int64 {
	q := n / d
	if n%d < 0 {
		q--
	}
	return q
}
