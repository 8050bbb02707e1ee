package types

import "math/big"

// negateTimespan turns a timespan around.
func negateTimespan(v Value) Value {
	d, ok := ParseDuration(v.Str())
	return durationValue(d.Negate(), ok)
}

// addTimespans adds b, or takes it off. The sum is spelled from the largest unit of the operands down; calendar units, whose
// length is open, make NULL.
func addTimespans(a, b Value, subtract bool) Value {
	d, ok := timespanWithoutCalendar(a)
	e, okB := timespanWithoutCalendar(b)
	if !ok || !okB {
		return Null
	}
	if subtract {
		e = e.Negate()
	}
	return elapsedValue(d.Elapsed().Add(e.Elapsed()), min(d.largestUnit(), e.largestUnit()))
}

// divideTimespans gives the ratio of two timespans; calendar units and a zero divisor make NULL.
func divideTimespans(a, b Value) Value {
	d, ok := timespanWithoutCalendar(a)
	e, okB := timespanWithoutCalendar(b)
	if !ok || !okB || e.IsZero() {
		return Null
	}
	f, _ := new(big.Rat).SetFrac(d.Elapsed().big(), e.Elapsed().big()).Float64()
	return Real(f)
}

func timespanWithoutCalendar(v Value) (Duration, bool) {
	d, ok := ParseDuration(v.Str())
	return d, ok && !d.HasCalendarUnits()
}

// scaleTimespan multiplies by a number. A span of days and time is scaled as a whole, to the nearest nanosecond, and
// spelled in seconds; with calendar units each component is scaled, and a component that is not whole makes NULL.
func scaleTimespan(span, number Value) Value {
	d, ok := ParseDuration(span.Str())
	factor, finite := ratOf(number)
	if !ok || !finite {
		return Null
	}
	if d.HasCalendarUnits() {
		return durationValue(d.scaleComponents(factor))
	}
	return nanosValue(roundRat(factor.Mul(factor, ratOfInt(d.Elapsed().big()))))
}

// divideTimespan divides by a number; zero makes NULL. A span of days and time is divided as scaleTimespan multiplies; with
// calendar units each component is divided and its remainder carried on, years to months, weeks to days and further down.
func divideTimespan(span, number Value) Value {
	d, ok := ParseDuration(span.Str())
	divisor, finite := ratOf(number)
	switch {
	case !ok || finite && divisor.Sign() == 0:
		return Null
	case !finite:
		return durationValue(Duration{}, true) // anything divided by infinity is nothing
	case d.HasCalendarUnits():
		return durationValue(d.divideComponents(divisor))
	}
	return nanosValue(roundRat(divisor.Quo(ratOfInt(d.Elapsed().big()), divisor)))
}

// scaleComponents multiplies every component; ok is false when one is not whole or out of range.
func (d Duration) scaleComponents(factor *big.Rat) (scaled Duration, ok bool) {
	negative := d.Negative != (factor.Sign() < 0)
	factor = new(big.Rat).Abs(factor)
	for u := unitYear; u < unitSecond; u++ {
		c := new(big.Rat).Mul(factor, ratOfInt(big.NewInt(*d.component(u))))
		if !c.IsInt() || !c.Num().IsInt64() {
			return Duration{}, false
		}
		*scaled.component(u) = c.Num().Int64()
	}
	nanos := new(big.Rat).Mul(factor, ratOfInt(d.secondsInNanos()))
	if !nanos.IsInt() || !scaled.setSeconds(nanos.Num()) {
		return Duration{}, false
	}
	return scaled.withSign(negative), true
}

// carried is how many of the next component one of each makes; months are not carried to weeks.
var carried = [unitSecond]int64{unitYear: 12, unitWeek: 7, unitDay: 24, unitHour: 60, unitMinute: 60}

// divideComponents divides every component with the remainder carried from the one before, rounding toward zero; ok is
// false when one is out of range.
func (d Duration) divideComponents(divisor *big.Rat) (quotient Duration, ok bool) {
	negative := d.Negative != (divisor.Sign() < 0)
	divisor = new(big.Rat).Abs(divisor)
	rest := new(big.Rat)
	for u := unitYear; u < unitSecond; u++ {
		rest.Add(rest, ratOfInt(big.NewInt(*d.component(u))))
		whole := truncRat(new(big.Rat).Quo(rest, divisor))
		if !whole.IsInt64() {
			return Duration{}, false
		}
		*quotient.component(u) = whole.Int64()
		rest.Sub(rest, new(big.Rat).Mul(ratOfInt(whole), divisor))
		rest.Mul(rest, ratOfInt(big.NewInt(carried[u])))
	}
	rest.Mul(rest, ratOfInt(big.NewInt(NanosPerSecond)))
	rest.Add(rest, ratOfInt(d.secondsInNanos()))
	if !quotient.setSeconds(truncRat(rest.Quo(rest, divisor))) {
		return Duration{}, false
	}
	return quotient.withSign(negative), true
}

func (d Duration) secondsInNanos() *big.Int { return Elapsed{Seconds: d.Seconds, Nanos: d.Nanos}.big() }

// setSeconds sets the seconds component from nanoseconds; ok is false when d is out of range with it.
func (d *Duration) setSeconds(nanos *big.Int) (ok bool) {
	e, ok := elapsedFromNanos(nanos)
	d.Seconds, d.Nanos = e.Seconds, e.Nanos
	return ok && d.InRange()
}

// elapsedFromNanos splits nanoseconds; ok is false when the seconds are beyond int64.
func elapsedFromNanos(nanos *big.Int) (e Elapsed, ok bool) {
	seconds, rest := new(big.Int).DivMod(nanos, big.NewInt(NanosPerSecond), new(big.Int))
	return Elapsed{Seconds: seconds.Int64(), Nanos: rest.Int64()}, seconds.IsInt64()
}

// nanosValue makes a TIMESPAN in seconds of nanoseconds, NULL when they are out of range.
func nanosValue(nanos *big.Int) Value {
	e, ok := elapsedFromNanos(nanos)
	if !ok {
		return Null
	}
	return elapsedValue(e, unitSecond)
}

// elapsedValue makes a TIMESPAN from the largest unit down, NULL when it is out of range.
func elapsedValue(e Elapsed, largest durationUnit) Value {
	return durationValue(durationFromElapsed(e, largest))
}

func durationValue(d Duration, ok bool) Value {
	if !ok {
		return Null
	}
	return Text(d.String())
}

// ratOf gives a number exactly, in memory of its own; finite is false for the infinities and for what is no number.
func ratOf(number Value) (r *big.Rat, finite bool) {
	if number.Kind() == KindReal {
		r := new(big.Rat).SetFloat64(number.Float())
		return r, r != nil
	}
	b := number.Big()
	if b == nil {
		return nil, false
	}
	return ratOfInt(b), true
}

func ratOfInt(n *big.Int) *big.Rat { return new(big.Rat).SetInt(n) }

// truncRat rounds toward zero.
func truncRat(r *big.Rat) *big.Int { return new(big.Int).Quo(r.Num(), r.Denom()) }

// roundRat rounds to the nearest integer, halves away from zero.
func roundRat(r *big.Rat) *big.Int {
	half := big.NewRat(1, 2)
	if r.Sign() < 0 {
		half.Neg(half)
	}
	return truncRat(half.Add(half, r))
}
