package function

import (
	"math"
	"strings"
	"time"

	"github.com/quereus/quereus-migrate/types"
)

// moment is what the date functions compute: an instant, and the zone in which it is shifted and shown.
type moment struct {
	at     types.Instant
	zone   *time.Location // nil for UTC
	millis bool           // times show milliseconds
}

// wall gives the moment as the clocks of its zone show it.
func (m *moment) wall() types.Instant {
	if m.zone == nil {
		return m.at
	}
	return types.UTCToLocal(m.at, m.zone)
}

// setWall sets the moment to what the clocks of its zone show.
func (m *moment) setWall(w types.Instant) {
	if m.zone != nil {
		w = types.LocalToUTC(w, m.zone)
	}
	m.at = w
}

// readMoment reads a time and its modifiers leniently (docs/reference/functions.md). ok is false for what cannot be read, nothing at all
// included, and for a moment out of the range of instants.
func readMoment(c *Call, args []types.Value) (m moment, ok bool) {
	unix := false
	if len(args) > 1 && readModifier(args[0]).kind == unixModifier {
		args, unix = args[1:], true
	}
	if len(args) == 0 {
		return m, false
	}
	unix = m.readSettings(c, args[1:]) || unix
	switch t := args[0]; t.Kind() {
	case types.KindText:
		m.at, ok = readTime(c, t.Str())
	case types.KindInteger, types.KindReal:
		m.at, ok = instantOfNumber(types.NearestReal(t), unix)
	}
	return m, ok && m.shift(args[1:])
}

// readStrictly is readMoment for the epoch functions, which read the ISO spellings only.
func readStrictly(c *Call, args []types.Value) (m moment, ok bool) {
	if len(args) == 0 || args[0].Kind() != types.KindText {
		return m, false
	}
	m.readSettings(c, args[1:])
	s := types.TrimSpace(args[0].Str())
	switch {
	case isNow(s):
		m.at, ok = instantOf(c.Now), true
	case hasDateShape(s) || hasDateTimeShape(s, " T"):
		m.at, ok = types.ParseDateTime(s)
	}
	return m, ok && m.shift(args[1:])
}

// bareTimeDay is the day of a time without a date, 2000-01-01.
var bareTimeDay = types.DayOfDate(2000, 1, 1)

func readTime(c *Call, s string) (at types.Instant, ok bool) {
	s = types.TrimSpace(s)
	if isNow(s) {
		return instantOf(c.Now), true
	}
	if at, ok = types.ParseDateTime(s); ok {
		return at, true
	}
	if strings.IndexByte(s, ':') != len("HH") {
		return at, false
	}
	nanos, ok := types.ParseBareTime(s)
	return types.Instant{Day: bareTimeDay, Nano: nanos}, ok
}

const (
	julianEpoch   = 2440587.5 // the Julian day of 1970-01-01
	millisPerDay  = 86_400_000
	secondsPerDay = 86_400
	maxUnixMicros = 8.64e18 // the range of instants
)

// instantOfNumber reads a number as a Julian day, Unix seconds or Unix milliseconds, whichever its size suggests, or with unix as
// seconds in any case.
func instantOfNumber(f float64, unix bool) (types.Instant, bool) {
	const from, to = -2208988800, 32503680000
	switch {
	case unix:
		return instantOfMicros(f * 1e6)
	case 1000000 < f && f < 4000000:
		// a double holds a Julian day to some 40 µs
		millis := int64(math.Round((f - julianEpoch) * millisPerDay))
		return types.Instant{}.AddTime(millis/1e3, millis%1e3*1e6), true
	case from < f && f < to:
		return instantOfMicros(f * 1e6)
	case from*1e3 < f && f < to*1e3:
		return instantOfMicros(f * 1e3)
	}
	return types.Instant{}, false
}

// instantOfMicros gives the moment so many microseconds after the Unix epoch.
func instantOfMicros(f float64) (types.Instant, bool) {
	if math.Abs(f) > maxUnixMicros {
		return types.Instant{}, false
	}
	micros := int64(math.Round(f))
	return types.Instant{}.AddTime(micros/1e6, micros%1e6*1e3), true
}

// julianDay gives the Julian day of a moment, to the millisecond.
func (m *moment) julianDay() float64 { return float64(m.at.UnixMilli())/millisPerDay + julianEpoch }

// unixSeconds gives the Unix time in whole seconds, rounded toward the past.
func (m *moment) unixSeconds() int64 { return m.at.Day*secondsPerDay + m.at.Nano/types.NanosPerSecond }
