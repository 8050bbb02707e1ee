package exec

import (
	"unsafe"

	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// Limits on the values that expressions make. A length is checked before the memory is taken; digits are checked behind the operation, as no
// operation on two integers within the limit takes more than twice their memory.

// slowDigits is the number of digits from which on one operation takes so long that it asks whether the statement is still wanted.
const slowDigits = 20_000

// beginLimits reads the limits of a run.
func (ec *Context) beginLimits() {
	limits := ec.rt.Memory.Limits()
	ec.watched = int(min(limit.Large, limits.Of(limit.ValueLength)+1))
	ec.digits = limits.Of(limit.IntegerDigits)
	ec.call.Memory, ec.made = ec.rt.Memory, 0
}

// reserve asks for the memory of a value of n bytes that is about to be made; see limit.Account.Value.
func (ec *Context) reserve(n int) error {
	if n < ec.watched {
		return nil
	}
	if err := ec.canceled(); err != nil {
		return err
	}
	return ec.rt.Memory.Value(int64(n))
}

// count counts a value that was made in memory of its own.
func (ec *Context) count(v types.Value) types.Value {
	if n := lengthOf(v); n >= limit.Large {
		ec.made += int64(n)
		ec.rt.Memory.Made(v)
	}
	return v
}

// manyMade is how many bytes of large values an operator makes before it hands its rows on.
const manyMade = 16 << 20

// lengthOf gives the length of a text or blob in bytes, that of a document's text about, 0 for other values.
func lengthOf(v types.Value) int {
	switch v.Kind() {
	case types.KindJSON:
		return int(v.JSON().Size())
	case types.KindText:
		return len(v.Str())
	case types.KindBlob:
		return len(v.Bytes())
	}
	return 0
}

// checkInteger refuses a result of more digits than an integer may have.
func (ec *Context) checkInteger(v types.Value) error {
	n := types.Digits(v)
	if n < slowDigits && n <= ec.digits {
		return nil
	}
	if n > ec.digits {
		return ec.rt.Memory.Limits().Exceeded(limit.IntegerDigits, "the integer would have about %d digits", n)
	}
	return ec.canceled()
}

// checkOperand refuses a text that spells an integer of more digits than one may have, which else would read as infinite.
func (ec *Context) checkOperand(v types.Value) error {
	if v.Kind() != types.KindText || int64(len(v.Str())) <= ec.digits {
		return nil
	}
	if n := types.TextDigits(v.Str()); n > ec.digits {
		return ec.rt.Memory.Limits().Exceeded(limit.IntegerDigits, "the text is an integer of %d digits", n)
	}
	return nil
}

// checkParam refuses a bind parameter that is longer than a value may be.
func (ec *Context) checkParam(v types.Value) error {
	n := lengthOf(v)
	if n < ec.watched {
		return nil
	}
	limits := ec.rt.Memory.Limits()
	return limits.Check(limit.ValueLength, int64(n), "a parameter")
}

// reserveCall asks for the memory of what a function makes of large arguments: most make no more than they are given, and those that
// may make more ask themselves.
func (ec *Context) reserveCall(args []types.Value) error {
	n := 0
	for _, a := range args {
		if l := lengthOf(a); l >= limit.Large {
			n += l
		}
	}
	if n == 0 {
		return nil
	}
	return ec.reserve(min(n, int(ec.rt.Memory.Limits().Of(limit.ValueLength))))
}

// countGroup checks and counts what an aggregate made.
func (ec *Context) countGroup(v types.Value) error {
	if lengthOf(v) < ec.watched {
		return nil
	}
	return ec.countCall(v, nil)
}

// countCall checks and counts what a function made, unless it is a part of an argument.
func (ec *Context) countCall(v types.Value, args []types.Value) error {
	n := lengthOf(v)
	if n < ec.watched {
		return nil
	}
	if err := ec.rt.Memory.Limits().Check(limit.ValueLength, int64(n), "the result"); err != nil {
		return err
	}
	for _, a := range args {
		if isWithin(v, a) {
			return nil
		}
	}
	ec.count(v)
	return nil
}

// isWithin reports whether the memory of v lies in that of a.
func isWithin(v, a types.Value) bool {
	at, from := startOf(v), startOf(a)
	return from <= at && at < from+uintptr(lengthOf(a))
}

func startOf(v types.Value) uintptr {
	if v.Kind() == types.KindBlob {
		return uintptr(unsafe.Pointer(unsafe.SliceData(v.Bytes())))
	}
	if v.Kind() == types.KindText {
		return uintptr(unsafe.Pointer(unsafe.StringData(v.Str())))
	}
	return 0
}

// makesValues reports whether a function of a static type may make values that take memory.
func makesValues(x plan.Expr) bool {
	switch x.Static().Type.Class {
	case types.KindInteger, types.KindReal, types.KindBoolean, types.KindNull:
		return x.Static().Type == types.TypeAny
	}
	return true
}
