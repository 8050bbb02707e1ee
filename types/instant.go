package types

// Units of time in nanoseconds.
const (
	NanosPerSecond = 1_000_000_000
	NanosPerMinute = 60 * NanosPerSecond
	NanosPerHour   = 60 * NanosPerMinute
	NanosPerDay    = 24 * NanosPerHour

	nanosPerMilli  = 1_000_000
	millisPerDay   = 86_400_000
	secondsPerDay  = 86_400
	maxInstantDays = 100_000_000 // ±8.64e15 ms, the range of SQL instants (docs/reference/types.md)
)

// Instant is a moment of UTC in the proleptic Gregorian calendar, exact to the nanosecond: Day counts days from
// 1970-01-01 and Nano the nanoseconds since that day's midnight, 0 ≤ Nano < NanosPerDay. The zero Instant is the Unix
// epoch. Methods that shift an Instant never overflow for shifts within the range of Duration; InRange tells whether
// the result is a value of SQL.
type Instant struct {
	Day, Nano int64
}

// Civil is an Instant broken down into the parts that people read. Year 0 is 1 BC.
type Civil struct {
	Year                             int64
	Month, Day                       int // 1–12, 1–31
	Hour, Minute, Second, Nanosecond int
}

// InstantFromUnixMilli gives the moment ms milliseconds after the Unix epoch, in range or not.
func InstantFromUnixMilli(ms int64) Instant {
	day, rest := floorDivMod(ms, millisPerDay)
	return Instant{Day: day, Nano: rest * nanosPerMilli}
}

// UnixMilli gives the milliseconds since the Unix epoch, fractions rounded toward the past. The Instant must be in range.
func (i Instant) UnixMilli() int64 { return i.Day*millisPerDay + i.Nano/nanosPerMilli }

// InRange reports whether i lies within ±8.64e15 ms of the Unix epoch, the moments that DATE and DATETIME can hold.
func (i Instant) InRange() bool {
	return i.Day >= -maxInstantDays && (i.Day < maxInstantDays || i.Day == maxInstantDays && i.Nano == 0)
}

// Compare orders moments.
func (i Instant) Compare(j Instant) int {
	switch {
	case i.Day != j.Day:
		return threeWay(i.Day < j.Day)
	case i.Nano != j.Nano:
		return threeWay(i.Nano < j.Nano)
	}
	return 0
}

// AddDays shifts by whole days.
func (i Instant) AddDays(n int64) Instant { return Instant{Day: i.Day + n, Nano: i.Nano} }

// AddMonths shifts by calendar months. A day that the target month lacks becomes the last day of that month.
func (i Instant) AddMonths(n int64) Instant {
	year, month, day := dateOfDay(i.Day)
	carry, index := floorDivMod(int64(month)-1+n, 12)
	year, month = year+carry, int(index)+1
	return Instant{Day: DayOfDate(year, month, min(day, DaysInMonth(year, month))), Nano: i.Nano}
}

// AddTime shifts by whole seconds and nanoseconds of either sign; |nanos| must be below NanosPerDay.
func (i Instant) AddTime(seconds, nanos int64) Instant {
	days, rest := floorDivMod(seconds, secondsPerDay)
	carry, nano := floorDivMod(i.Nano+rest*NanosPerSecond+nanos, NanosPerDay)
	return Instant{Day: i.Day + days + carry, Nano: nano}
}

// Civil breaks i down.
func (i Instant) Civil() Civil {
	c := Civil{
		Hour:       int(i.Nano / NanosPerHour),
		Minute:     int(i.Nano / NanosPerMinute % 60),
		Second:     int(i.Nano / NanosPerSecond % 60),
		Nanosecond: int(i.Nano % NanosPerSecond),
	}
	c.Year, c.Month, c.Day = dateOfDay(i.Day)
	return c
}

// Instant puts c together again. The parts must be those of a real date and time of day.
func (c Civil) Instant() Instant {
	seconds := int64(c.Hour)*3600 + int64(c.Minute)*60 + int64(c.Second)
	return Instant{Day: DayOfDate(c.Year, c.Month, c.Day), Nano: seconds*NanosPerSecond + int64(c.Nanosecond)}
}

// DaysInMonth gives the length of a month, 1–12.
func DaysInMonth(year int64, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// Day arithmetic runs on years that begin in March, so that the leap day is the last of its year: march years are
// counted from 0000-03-01, which is marchEpoch days before 1970-01-01.
const (
	marchEpoch     = 719_468
	daysIn400Years = 146_097
)

// DayOfDate counts the days from 1970-01-01 to a date; the month must be 1–12.
func DayOfDate(year int64, month, day int) int64 {
	index := month - 3 // months since March
	if index < 0 {
		index, year = index+12, year-1
	}
	return marchYearStart(year) + int64((153*index+2)/5) + int64(day) - 1 - marchEpoch
}

// dateOfDay undoes DayOfDate.
func dateOfDay(days int64) (year int64, month, day int) {
	days += marchEpoch
	year, _ = floorDivMod(days*400, daysIn400Years) // the mean year: never too late, too early by at most one
	if marchYearStart(year+1) <= days {
		year++
	}
	ofYear := int(days - marchYearStart(year))
	index := (5*ofYear + 2) / 153
	day = ofYear - (153*index+2)/5 + 1
	if index < 10 {
		return year, index + 3, day
	}
	return year + 1, index - 9, day
}

// marchYearStart counts the days from 0000-03-01 to the first of March of year.
func marchYearStart(year int64) int64 {
	leap4, _ := floorDivMod(year, 4)
	leap100, _ := floorDivMod(year, 100)
	leap400, _ := floorDivMod(year, 400)
	return 365*year + leap4 - leap100 + leap400
}

// floorDivMod divides toward negative infinity; d is positive and 0 ≤ mod < d.
func floorDivMod(n, d int64) (div, mod int64) {
	div, mod = n/d, n%d
	if mod < 0 {
		div, mod = div-1, mod+d
	}
	return div, mod
}

// threeWay is the order of two different things.
func threeWay(less bool) int {
	if less {
		return -1
	}
	return 1
}
