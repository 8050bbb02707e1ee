package function

import (
	"strings"
	"time"

	"github.com/quereus/quereus-migrate/types"
)

// modifier is one modifier of a date function (docs/reference/functions.md).
type modifier struct {
	kind modifierKind
	unit timeUnit
	// weekday is 0 for Sunday.
	weekday int64
	// negative, whole and nanos are the number of a shift: its sign, its integral part and its fraction. tooBig is set for an
	// integral part beyond maxShift.
	negative, tooBig bool
	whole, nanos     int64
}

type modifierKind uint8

const (
	noModifier modifierKind = iota // not one: ignored
	utcModifier
	localModifier
	unixModifier
	millisModifier
	startModifier
	weekdayModifier
	shiftModifier
)

type timeUnit uint8

const (
	unitDay timeUnit = iota
	unitHour
	unitMinute
	unitSecond
	unitMonth
	unitYear
)

var unitNames = map[string]timeUnit{
	"day": unitDay, "hour": unitHour, "minute": unitMinute, "second": unitSecond, "month": unitMonth, "year": unitYear,
}

var plainModifiers = map[string]modifier{
	"utc": {kind: utcModifier}, "localtime": {kind: localModifier}, "unixepoch": {kind: unixModifier}, "subsec": {kind: millisModifier},
	"start of day":   {kind: startModifier, unit: unitDay},
	"start of month": {kind: startModifier, unit: unitMonth},
	"start of year":  {kind: startModifier, unit: unitYear},
}

// maxShift bounds the number of a shift, so that no shift overflows; anything near it is out of the range of instants.
const maxShift = 1_000_000_000_000_000

// readModifier reads a modifier. What is none has the kind noModifier.
func readModifier(v types.Value) modifier {
	if v.Kind() != types.KindText {
		return modifier{}
	}
	s := types.Fold(types.TrimSpace(v.Str()))
	if m, ok := plainModifiers[s]; ok {
		return m
	}
	if day, ok := strings.CutPrefix(s, "weekday "); ok {
		if len(day) == 1 && '0' <= day[0] && day[0] <= '6' {
			return modifier{kind: weekdayModifier, weekday: int64(day[0] - '0')}
		}
		return modifier{}
	}
	return readShift(s)
}

// readShift reads `[+|-] N unit`.
func readShift(s string) modifier {
	m := modifier{kind: shiftModifier}
	if s != "" && (s[0] == '+' || s[0] == '-') {
		m.negative = s[0] == '-'
		s = strings.TrimLeft(s[1:], " ")
	}
	number, word, ok := strings.Cut(s, " ")
	if !ok || !m.readNumber(number) {
		return modifier{}
	}
	m.unit, ok = unitNames[strings.TrimSuffix(strings.TrimLeft(word, " "), "s")]
	if !ok {
		return modifier{}
	}
	return m
}

// readNumber reads digits with an optional fraction, of which nine digits count.
func (m *modifier) readNumber(s string) bool {
	whole, fraction, pointed := strings.Cut(s, ".")
	if !isDigits(whole) || pointed && !isDigits(fraction) {
		return false
	}
	for _, d := range []byte(whole) {
		if m.whole = m.whole*10 + int64(d-'0'); m.whole > maxShift {
			m.tooBig = true
			break
		}
	}
	for i := range 9 {
		m.nanos *= 10
		if i < len(fraction) {
			m.nanos += int64(fraction[i] - '0')
		}
	}
	return true
}

// isDigits reports whether s is one decimal digit or more and nothing else.
func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || '9' < s[i] {
			return false
		}
	}
	return s != ""
}

// readSettings takes the modifiers that hold for the whole call, wherever they stand: the zone, of which the last one counts, and
// milliseconds. unix reports whether numbers are Unix seconds.
func (m *moment) readSettings(c *Call, modifiers []types.Value) (unix bool) {
	for _, v := range modifiers {
		switch readModifier(v).kind {
		case utcModifier:
			m.zone = nil
		case localModifier:
			m.zone = c.Local
		case unixModifier:
			unix = true
		case millisModifier:
			m.millis = true
		}
	}
	return unix
}

// shift applies the modifiers that move the moment, in order. ok is false for one that has no meaning and for a moment out of the
// range of instants.
func (m *moment) shift(modifiers []types.Value) (ok bool) {
	for _, v := range modifiers {
		if !m.apply(readModifier(v)) || !m.at.InRange() {
			return false
		}
	}
	return m.at.InRange()
}

func (m *moment) apply(x modifier) (ok bool) {
	switch x.kind {
	case startModifier:
		m.truncate(x.unit)
	case weekdayModifier:
		w := m.wall()
		m.setWall(w.AddDays((x.weekday - weekdayOf(w.Day) + 7) % 7))
	case shiftModifier:
		return m.move(x)
	}
	return true
}

// truncate sets the moment to the start of its day, month or year.
func (m *moment) truncate(unit timeUnit) {
	w := m.wall()
	c := w.Civil()
	if unit != unitDay {
		c.Day = 1
	}
	if unit == unitYear {
		c.Month = 1
	}
	m.setWall(types.Instant{Day: types.DayOfDate(c.Year, c.Month, c.Day)})
}

// move shifts by a number of units. Days, months and years count on the calendar of the zone and drop a fraction; a fraction of
// hours or minutes has no meaning.
func (m *moment) move(x modifier) (ok bool) {
	n, nanos := x.whole, x.nanos
	if x.negative {
		n, nanos = -n, -nanos
	}
	switch x.unit {
	case unitDay:
		m.setWall(m.wall().AddDays(n))
	case unitMonth:
		m.setWall(m.wall().AddMonths(n))
	case unitYear:
		m.setWall(m.wall().AddMonths(12 * n))
	case unitHour:
		m.at = m.at.AddTime(3600*n, 0)
		return nanos == 0 && !x.tooBig
	case unitMinute:
		m.at = m.at.AddTime(60*n, 0)
		return nanos == 0 && !x.tooBig
	case unitSecond:
		m.at = m.at.AddTime(n, nanos)
	}
	return !x.tooBig
}

// weekdayOf gives the weekday of a day counted from 1970-01-01, 0 for Sunday.
func weekdayOf(day int64) int64 {
	const weekdayOfEpoch = int64(time.Thursday)
	return ((day+weekdayOfEpoch)%7 + 7) % 7
}
