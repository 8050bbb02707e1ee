package types

import "strings"

// ParseDateTime reads the datetime rule: a date, or a date and a time with an optional offset and an
// optional zone, which convert to UTC. A date alone is its midnight. ok is false for any other text, for an unknown
// zone, and for a moment out of range. Surrounding space is not allowed.
func ParseDateTime(s string) (i Instant, ok bool) {
	p := temporalScanner{rest: s}
	if i.Day, ok = p.date(); !ok {
		return Instant{}, false
	}
	if p.rest != "" {
		if i, ok = p.timeOfDay(i); !ok {
			return Instant{}, false
		}
	}
	return i, i.InRange()
}

// ParseTime reads what TIME takes (docs/reference/types.md): a bare time, or the datetime rule, of which the time of day in UTC is
// taken. The result counts nanoseconds since midnight.
func ParseTime(s string) (nanos int64, ok bool) {
	if i, ok := ParseDateTime(s); ok {
		return i.Nano, true
	}
	return ParseBareTime(s)
}

// ParseBareTime reads the baretime rule as nanoseconds since midnight. Four digits need their T.
func ParseBareTime(s string) (nanos int64, ok bool) {
	p := temporalScanner{rest: s}
	marked := p.take("Tt")
	if !marked && len(s) == len("1030") && !strings.Contains(s, ":") {
		return 0, false
	}
	nanos, ok = p.time()
	return nanos, ok && p.rest == ""
}

// temporalScanner reads the parts of a date-time text from left to right. A part that fails leaves rest undefined.
type temporalScanner struct{ rest string }

// take consumes one byte of set, if the text goes on with one.
func (p *temporalScanner) take(set string) bool {
	if p.rest == "" || strings.IndexByte(set, p.rest[0]) < 0 {
		return false
	}
	p.rest = p.rest[1:]
	return true
}

// digits consumes exactly n digits.
func (p *temporalScanner) digits(n int) (value int, ok bool) {
	if len(p.rest) < n {
		return 0, false
	}
	for _, c := range []byte(p.rest[:n]) {
		if !isDigit(c) {
			return 0, false
		}
		value = value*10 + int(c-'0')
	}
	p.rest = p.rest[n:]
	return value, true
}

func (p *temporalScanner) atDigit() bool { return p.rest != "" && isDigit(p.rest[0]) }

// date consumes a date and gives its day count.
func (p *temporalScanner) date() (day int64, ok bool) {
	year, expanded, ok := p.year()
	if !ok {
		return 0, false
	}
	dashed := p.take("-")
	if expanded && !dashed {
		return 0, false
	}
	month, ok := p.digits(2)
	if !ok || month < 1 || month > 12 || dashed && !p.take("-") {
		return 0, false
	}
	dayOfMonth, ok := p.digits(2)
	if !ok || dayOfMonth < 1 || dayOfMonth > DaysInMonth(year, month) {
		return 0, false
	}
	return DayOfDate(year, month, dayOfMonth), true
}

// year consumes four digits, or a sign and six digits.
func (p *temporalScanner) year() (year int64, expanded, ok bool) {
	negative := p.take("-")
	if !negative && !p.take("+") {
		n, ok := p.digits(4)
		return int64(n), false, ok
	}
	n, ok := p.digits(6)
	if negative {
		return -int64(n), true, ok && n != 0
	}
	return int64(n), true, ok
}

// timeOfDay consumes what follows the date of local to the end of the text, and converts to UTC.
func (p *temporalScanner) timeOfDay(local Instant) (utc Instant, ok bool) {
	if !p.take("Tt ") {
		return Instant{}, false
	}
	if local.Nano, ok = p.time(); !ok {
		return Instant{}, false
	}
	offset, hasOffset, ok := p.offset()
	if !ok {
		return Instant{}, false
	}
	utc = local.AddTime(-offset, 0)
	if p.rest == "" {
		return utc, true
	}
	name, ok := p.zoneName()
	if !ok {
		return Instant{}, false
	}
	zone, ok := zoneByName(name)
	if ok && !hasOffset {
		utc = LocalToUTC(local, zone)
	}
	return utc, ok
}

// time consumes a time of day: colons everywhere or nowhere, a fraction only after the seconds. Second 60 reads as 59.
func (p *temporalScanner) time() (nanos int64, ok bool) {
	hour, minute, second, ok := p.clock()
	if !ok || hour > 23 || minute > 59 || second > 60 {
		return 0, false
	}
	seconds := int64(hour)*3600 + int64(max(minute, 0))*60 + int64(min(max(second, 0), 59))
	fraction := int64(0)
	if second >= 0 && p.take(".,") {
		if fraction, ok = p.fraction(); !ok {
			return 0, false
		}
	}
	return seconds*NanosPerSecond + fraction, true
}

// clock consumes hour, minute and second in two digits each. A part that is not there is -1.
func (p *temporalScanner) clock() (hour, minute, second int, ok bool) {
	minute, second = -1, -1
	if hour, ok = p.digits(2); !ok {
		return 0, 0, 0, false
	}
	colons := strings.HasPrefix(p.rest, ":")
	for _, part := range []*int{&minute, &second} {
		if colons && !p.take(":") || !colons && !p.atDigit() {
			break
		}
		if *part, ok = p.digits(2); !ok {
			return 0, 0, 0, false
		}
	}
	return hour, minute, second, true
}

// fraction consumes one to nine digits and gives them as nanoseconds.
func (p *temporalScanner) fraction() (nanos int64, ok bool) {
	n := 0
	for ; n < len(p.rest) && isDigit(p.rest[n]); n++ {
		nanos = nanos*10 + int64(p.rest[n]-'0')
		if n == 9 {
			return 0, false
		}
	}
	if n == 0 {
		return 0, false
	}
	p.rest = p.rest[n:]
	for ; n < 9; n++ {
		nanos *= 10
	}
	return nanos, true
}

// offset consumes a Z or an offset below 24 hours, if one is there, and gives it in seconds east of UTC.
func (p *temporalScanner) offset() (seconds int64, has, ok bool) {
	if p.take("Zz") {
		return 0, true, true
	}
	negative := p.take("-")
	if !negative && !p.take("+") {
		return 0, false, true
	}
	hour, minute, second, ok := p.clock()
	if !ok || hour > 23 || minute > 59 || second > 59 {
		return 0, false, false
	}
	seconds = int64(hour)*3600 + int64(max(minute, 0))*60 + int64(max(second, 0))
	if negative {
		seconds = -seconds
	}
	return seconds, true, true
}

// zoneName consumes a bracketed name that ends the text.
func (p *temporalScanner) zoneName() (name string, ok bool) {
	if !strings.HasPrefix(p.rest, "[") || !strings.HasSuffix(p.rest, "]") {
		return "", false
	}
	name = p.rest[1 : len(p.rest)-1]
	p.rest = ""
	return name, true
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }
