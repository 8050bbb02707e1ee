package types

import (
	"sync"
	"time"
	_ "time/tzdata" // zones resolve alike on hosts without a zone database
)

// zones caches the zones that texts have named; the zone database bounds it.
var zones sync.Map // string → *time.Location

// zoneByName gives the zone of an IANA name. The names that Go reads as the host's or the default zone are unknown.
func zoneByName(name string) (*time.Location, bool) {
	if z, ok := zones.Load(name); ok {
		return z.(*time.Location), true
	}
	if name == "" || name == "Local" {
		return nil, false
	}
	z, err := time.LoadLocation(name)
	if err != nil {
		return nil, false
	}
	zones.Store(name, z)
	return z, true
}

// LocalToUTC reads i as the wall clock of zone and gives the moment. A wall clock that occurs twice means its first
// occurrence; one that the zone skips is read with the offset from before the gap.
func LocalToUTC(i Instant, zone *time.Location) Instant {
	before := i.AddTime(-zoneOffset(i.AddDays(-1), zone), 0)
	after := i.AddTime(-zoneOffset(i.AddDays(1), zone), 0)
	if before != after && UTCToLocal(before, zone) != i && UTCToLocal(after, zone) == i {
		return after
	}
	return before
}

// UTCToLocal gives the wall clock of zone at the moment i, as if it were UTC.
func UTCToLocal(i Instant, zone *time.Location) Instant { return i.AddTime(zoneOffset(i, zone), 0) }

// zoneOffset gives the seconds that zone is ahead of UTC at the moment i.
func zoneOffset(i Instant, zone *time.Location) int64 {
	_, offset := time.Unix(i.Day*secondsPerDay+i.Nano/NanosPerSecond, 0).In(zone).Zone()
	return int64(offset)
}
