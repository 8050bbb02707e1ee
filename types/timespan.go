package types

import (
	"cmp"
	"math/big"
	"strconv"
	"strings"
)

// Duration is a TIMESPAN in its components as written (docs/reference/types.md): PT90M stays ninety minutes. The components are
// magnitudes; Negative turns the whole. Nanos is the fraction of Seconds, below one second. The zero Duration is PT0S,
// and a zero duration is never Negative.
//
// In range means: years, months and weeks each below 2^32, and days to seconds together below 2^53 seconds. No sum or
// elapsed time of durations in range overflows int64 seconds.
type Duration struct {
	Negative                                            bool
	Years, Months, Weeks, Days, Hours, Minutes, Seconds int64
	Nanos                                               int64
}

// durationUnit numbers the components from the largest down.
type durationUnit int

const (
	unitYear durationUnit = iota
	unitMonth
	unitWeek
	unitDay
	unitHour
	unitMinute
	unitSecond
	unitCount
)

const (
	maxCalendarComponent = 1<<32 - 1
	maxTimeSeconds       = 1<<53 - 1
)

// unitSeconds are the lengths of the units that have a fixed one; weeks are written in the calendar part but last seven days.
var unitSeconds = [unitCount]int64{unitWeek: 7 * secondsPerDay, unitDay: secondsPerDay, unitHour: 3600, unitMinute: 60, unitSecond: 1}

// maxComponent bounds each component alone, so that their sum in seconds cannot overflow.
var maxComponent = [unitCount]int64{
	maxCalendarComponent, maxCalendarComponent, maxCalendarComponent,
	maxTimeSeconds / secondsPerDay, maxTimeSeconds / 3600, maxTimeSeconds / 60, maxTimeSeconds,
}

// component addresses one component.
func (d *Duration) component(u durationUnit) *int64 {
	return [unitCount]*int64{&d.Years, &d.Months, &d.Weeks, &d.Days, &d.Hours, &d.Minutes, &d.Seconds}[u]
}

// IsZero reports whether every component is zero.
func (d Duration) IsZero() bool { return d.withSign(false) == Duration{} }

// Negate turns d around; zero stays as it is.
func (d Duration) Negate() Duration { return d.withSign(!d.Negative) }

func (d Duration) withSign(negative bool) Duration {
	d.Negative = false
	d.Negative = negative && d != Duration{}
	return d
}

// HasCalendarUnits reports whether d has years, months or weeks, which arithmetic among timespans does not mix with time.
func (d Duration) HasCalendarUnits() bool { return d.Years|d.Months|d.Weeks != 0 }

// InRange reports whether the components are within the range described at Duration.
func (d Duration) InRange() bool {
	for u := unitYear; u < unitCount; u++ {
		if *d.component(u) > maxComponent[u] {
			return false
		}
	}
	return d.clockSeconds()+d.Days*secondsPerDay <= maxTimeSeconds
}

// clockSeconds is the magnitude of hours, minutes and whole seconds.
func (d Duration) clockSeconds() int64 { return d.Hours*3600 + d.Minutes*60 + d.Seconds }

// signed gives n the sign of d.
func (d Duration) signed(n int64) int64 {
	if d.Negative {
		return -n
	}
	return n
}

// shift moves i by the date part of d and by days more: years and months first, clamped to the end of the month.
func (d Duration) shift(i Instant, days int64) Instant {
	i = i.AddMonths(d.signed(d.Years*12 + d.Months))
	return i.AddDays(d.signed(d.Weeks*7 + d.Days + days))
}

// AddTo moves i by d: years and months first, clamped to the end of the month, then weeks, days and time. A day is 24
// hours. The result may be out of the range of instants.
func (d Duration) AddTo(i Instant) Instant {
	return d.shift(i, 0).AddTime(d.signed(d.clockSeconds()), d.signed(d.Nanos))
}

// elapsedOrigin is where calendar units get their length: 2024-01-01.
var elapsedOrigin = Instant{Day: DayOfDate(2024, 1, 1)}

// Elapsed gives the time that d takes from 2024-01-01T00:00:00 on, by which timespans are ordered and identified.
func (d Duration) Elapsed() Elapsed {
	end := d.AddTo(elapsedOrigin)
	seconds := (end.Day - elapsedOrigin.Day) * secondsPerDay
	return Elapsed{Seconds: seconds + end.Nano/NanosPerSecond, Nanos: end.Nano % NanosPerSecond}
}

// Elapsed is an exact length of time of either sign: Seconds rounded toward negative infinity and 0 ≤ Nanos < 10^9 more.
type Elapsed struct {
	Seconds, Nanos int64
}

// Compare orders lengths of time.
func (e Elapsed) Compare(f Elapsed) int {
	return cmp.Or(cmp.Compare(e.Seconds, f.Seconds), cmp.Compare(e.Nanos, f.Nanos))
}

// Add sums two lengths of time.
func (e Elapsed) Add(f Elapsed) Elapsed {
	carry, nanos := floorDivMod(e.Nanos+f.Nanos, NanosPerSecond)
	return Elapsed{Seconds: e.Seconds + f.Seconds + carry, Nanos: nanos}
}

// Negate turns e around.
func (e Elapsed) Negate() Elapsed {
	carry, nanos := floorDivMod(-e.Nanos, NanosPerSecond)
	return Elapsed{Seconds: carry - e.Seconds, Nanos: nanos}
}

// Value gives e in nanoseconds as an exact INTEGER.
func (e Elapsed) Value() Value {
	const safe = 1<<63/NanosPerSecond - 1
	if -safe < e.Seconds && e.Seconds < safe {
		return Int(e.Seconds*NanosPerSecond + e.Nanos)
	}
	return BigInt(e.big())
}

func (e Elapsed) big() *big.Int {
	n := new(big.Int).Mul(big.NewInt(e.Seconds), big.NewInt(NanosPerSecond))
	return n.Add(n, big.NewInt(e.Nanos))
}

// In gives e in units of so many seconds, as the nearest double of the exact quotient.
func (e Elapsed) In(seconds int64) float64 {
	if e.Nanos == 0 && -two53 <= e.Seconds && e.Seconds <= two53 {
		return float64(e.Seconds) / float64(seconds)
	}
	unit := new(big.Int).Mul(big.NewInt(seconds), big.NewInt(NanosPerSecond))
	f, _ := new(big.Rat).SetFrac(e.big(), unit).Float64()
	return f
}

// durationFromElapsed spells e in units from largest (day to second) down. ok is false when e is out of range.
func durationFromElapsed(e Elapsed, largest durationUnit) (d Duration, ok bool) {
	d.Negative = e.Seconds < 0
	if d.Negative {
		e = e.Negate()
	}
	if uint64(e.Seconds) > maxTimeSeconds { // negating the least int64 leaves it negative
		return Duration{}, false
	}
	rest := e.Seconds
	for u := largest; u < unitCount; u++ {
		*d.component(u), rest = rest/unitSeconds[u], rest%unitSeconds[u]
	}
	d.Nanos = e.Nanos
	return d, true
}

// largestUnit gives the largest unit that d uses, seconds for zero.
func (d Duration) largestUnit() durationUnit {
	u := unitYear
	for u < unitSecond && *d.component(u) == 0 {
		u++
	}
	return u
}

// String gives the canonical text.
func (d Duration) String() string {
	var buf [64]byte
	return string(d.Append(buf[:0]))
}

// Append appends the canonical text: the components as they are, zero ones left out, PT0S for zero, one sign in front.
func (d Duration) Append(dst []byte) []byte {
	if d.IsZero() {
		return append(dst, "PT0S"...)
	}
	if d.Negative {
		dst = append(dst, '-')
	}
	dst = append(dst, 'P')
	dst = appendComponent(dst, d.Years, 'Y')
	dst = appendComponent(dst, d.Months, 'M')
	dst = appendComponent(dst, d.Weeks, 'W')
	dst = appendComponent(dst, d.Days, 'D')
	if d.clockSeconds()|d.Nanos == 0 {
		return dst
	}
	dst = append(dst, 'T')
	dst = appendComponent(dst, d.Hours, 'H')
	dst = appendComponent(dst, d.Minutes, 'M')
	if d.Nanos != 0 {
		return append(appendFraction(strconv.AppendInt(dst, d.Seconds, 10), d.Nanos), 'S')
	}
	return appendComponent(dst, d.Seconds, 'S')
}

func appendComponent(dst []byte, n int64, letter byte) []byte {
	if n == 0 {
		return dst
	}
	return append(strconv.AppendInt(dst, n, 10), letter)
}

// ParseDuration reads the ISO form of a timespan, letters in any case. ok is false for any other text,
// the human form included, and for durations out of range.
func ParseDuration(s string) (d Duration, ok bool) {
	negative := strings.HasPrefix(s, "-")
	if negative || strings.HasPrefix(s, "+") {
		s = s[1:]
	}
	if len(s) < 3 || lowerASCII(s[0]) != 'p' {
		return Duration{}, false
	}
	p := durationScanner{rest: s[1:]}
	if !p.part("ymwd", unitYear) {
		return Duration{}, false
	}
	if p.rest != "" && lowerASCII(p.rest[0]) == 't' {
		p.rest = p.rest[1:]
		if p.rest == "" || !p.part("hms", unitHour) {
			return Duration{}, false
		}
	}
	if p.rest != "" || !p.d.InRange() {
		return Duration{}, false
	}
	return p.d.withSign(negative), true
}

// durationScanner reads the components of a duration from left to right into d.
type durationScanner struct {
	rest string
	d    Duration
	last bool // a fraction has been read: nothing may follow
}

// part consumes components for as long as digits follow. Their letters must come in the order of letters, the first of
// which stands for the unit first.
func (p *durationScanner) part(letters string, first durationUnit) bool {
	for next := 0; p.rest != "" && isDigit(p.rest[0]) && !p.last; {
		n, ok := p.number()
		if !ok {
			return false
		}
		nanos, ok := p.fraction()
		if !ok || p.rest == "" {
			return false
		}
		at := strings.IndexByte(letters[next:], lowerASCII(p.rest[0]))
		if at < 0 || p.last && first != unitHour {
			return false
		}
		p.rest = p.rest[1:]
		p.set(first+durationUnit(next+at), n, nanos)
		next += at + 1
	}
	return true
}

// number consumes digits; ok is false beyond 2^53, which no component may reach.
func (p *durationScanner) number() (n int64, ok bool) {
	i := digitsEnd(p.rest, 0)
	n, err := strconv.ParseInt(p.rest[:i], 10, 64)
	p.rest = p.rest[i:]
	return n, err == nil && n <= maxTimeSeconds
}

// fraction consumes a decimal mark and one to nine digits, if they are there.
func (p *durationScanner) fraction() (nanos int64, ok bool) {
	if p.rest == "" || p.rest[0] != '.' && p.rest[0] != ',' {
		return 0, true
	}
	t := temporalScanner{rest: p.rest[1:]}
	nanos, ok = t.fraction()
	p.rest, p.last = t.rest, true
	return nanos, ok
}

// set stores a component. The fraction of hours or minutes, in billionths of the unit, goes to the smaller units.
func (p *durationScanner) set(u durationUnit, n, billionths int64) {
	*p.d.component(u) = n
	if billionths == 0 {
		return
	}
	nanos := billionths * unitSeconds[u]
	for u++; u < unitSecond; u++ {
		*p.d.component(u) = nanos / (unitSeconds[u] * NanosPerSecond)
		nanos %= unitSeconds[u] * NanosPerSecond
	}
	if u == unitSecond {
		p.d.Seconds = nanos / NanosPerSecond
	}
	p.d.Nanos = nanos % NanosPerSecond
}
