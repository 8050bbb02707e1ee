package limit

import (
	"runtime"
	"slices"
	"sync"
	"unsafe"
	"weak"

	"github.com/quereus/quereus-migrate/types"
)

// Account counts what a statement, or all statements of a database, hold in memory that cannot go to disk. It is of two kinds: large values,
// which are counted for as long as anything refers to them, and lists that grow, which say themselves when they are given up.
//
// A nil *Account counts nothing. It is safe for concurrent use.
type Account struct {
	set    *Set
	id     ID
	parent *Account // counts the same for the whole database; nil without

	mu     sync.Mutex
	values []held
	inUse  int64 // of values, some of which may be gone, and of lists
}

// held is a large value that may still be in use.
type held struct {
	at   weak.Pointer[byte]
	size int64
}

// Large is the size in bytes from which on a value is counted.
const Large = 256 << 10

// NewAccount makes the account of a database.
func NewAccount(s *Set) *Account { return &Account{set: s, id: DatabaseMemory} }

// Statement makes the account of a statement under that of its database, which may be nil.
func (a *Account) Statement(s *Set) *Account {
	statement := new(Account)
	statement.Begin(s, a)
	return statement
}

// Begin makes a new account that of a statement; see Statement.
func (a *Account) Begin(s *Set, parent *Account) { a.set, a.id, a.parent = s, StatementMemory, parent }

// Limits gives the limits that the account goes by.
func (a *Account) Limits() *Set {
	if a == nil {
		return nil
	}
	return a.set
}

// Value asks for the memory of one value that is about to be made, of n bytes: TOOBIG when that is longer than a value may be, NOMEM when
// it does not fit beside what is held. Made counts it once it is there.
func (a *Account) Value(n int64) error {
	if limit := a.Limits().Of(ValueLength); n > limit {
		return a.Limits().Exceeded(ValueLength, "the result would be longer than %d bytes", limit)
	}
	if n < Large || a == nil {
		return nil
	}
	return a.fits(n)
}

// fits fails when n bytes more are beyond the limit. What is gone by now is found out first.
func (a *Account) fits(n int64) error {
	for ; a != nil; a = a.parent {
		a.mu.Lock()
		limit := a.set.Of(a.id)
		if a.inUse > limit-n && len(a.values) > 0 {
			a.collect()
		}
		inUse := a.inUse
		a.mu.Unlock()
		if inUse > limit-n {
			return a.set.Exceeded(a.id, "out of memory: %s more are needed beside the %s that %s", FormatBytes(n), FormatBytes(inUse), a.holder())
		}
	}
	return nil
}

func (a *Account) holder() string {
	if a.id == DatabaseMemory {
		return "the statements of the database hold"
	}
	return "the statement holds"
}

// collect forgets values that nothing refers to any more. The caller holds the lock.
func (a *Account) collect() {
	runtime.GC()
	a.values = slices.DeleteFunc(a.values, func(h held) bool {
		if h.at.Value() != nil {
			return false
		}
		a.inUse -= h.size
		return true
	})
}

// Made counts a value that has just been made in memory of its own.
func (a *Account) Made(v types.Value) types.Value {
	switch v.Kind() {
	case types.KindText:
		if s := v.Str(); len(s) >= Large {
			a.hold(unsafe.StringData(s), int64(len(s)))
		}
	case types.KindBlob:
		if b := v.Bytes(); len(b) >= Large {
			a.hold(unsafe.SliceData(b), int64(len(b)))
		}
	}
	return v
}

func (a *Account) hold(at *byte, size int64) {
	h := held{weak.Make(at), size}
	for ; a != nil; a = a.parent {
		a.mu.Lock()
		a.values = append(a.values, h)
		a.inUse += size
		a.mu.Unlock()
	}
}

// Grow counts n bytes more of a list, before they are taken: NOMEM when they do not fit.
func (a *Account) Grow(n int64) error {
	if a == nil {
		return nil
	}
	if err := a.fits(n); err != nil {
		return err
	}
	a.add(n)
	return nil
}

// Shrink gives n bytes of a list back.
func (a *Account) Shrink(n int64) { a.add(-n) }

func (a *Account) add(n int64) {
	for ; a != nil; a = a.parent {
		a.mu.Lock()
		a.inUse += n
		a.mu.Unlock()
	}
}
