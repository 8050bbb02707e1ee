package function

import (
	"encoding/binary"

	"github.com/quereus/quereus-migrate/types"
)

// mutationContext is what a statement knows of the row being written (docs/reference/functions.md). It is deterministic in the sense that DEFAULT
// asks for: the same statement gives the same answers.
func mutationContext() []*Function {
	return []*Function{{
		Name: "mutation_ordinal", Args: 0, Deterministic: true, Type: resultNever(types.TypeInteger),
		Eval: func(c *Call, _ []types.Value) (types.Value, error) {
			if c.Ordinal == 0 {
				return types.Null, types.Errorf(types.ERROR,
					"mutation_ordinal() is only valid during INSERT default / mutation-context evaluation")
			}
			return types.Int(c.Ordinal), nil
		},
	}}
}

// randoms are the functions of chance.
func randoms() []*Function {
	return []*Function{
		{
			Name: "random", Args: 0, Type: resultNever(types.TypeInteger),
			Eval: func(c *Call, _ []types.Value) (types.Value, error) { return types.Int(random(c.Random)), nil },
		},
		{Name: "randomblob", Args: 1, NullOnNull: true, Type: resultOfRandomBlob, Eval: randomBlob},
	}
}

// random is uniform over the integers within ±(2^53-1), which are 2^54-1.
func random(bits func() uint64) int64 {
	const most = 1<<53 - 1
	for {
		if n := int64(bits() >> 10); n != 2*most+1 {
			return n - most
		}
	}
}

func resultOfRandomBlob(args []Arg) Result {
	return Result{types.TypeBlob, args[0].Nullable || !isNumeric(args[0].Type)}
}

// randomBlob is randomblob(n): n bytes, none for a fraction.
func randomBlob(c *Call, args []types.Value) (types.Value, error) {
	const most = 1 << 20
	n, ok := numberOf(args[0])
	if !ok {
		return types.Null, nil
	}
	size := min(countOf(n), most)
	if size < 0 || !types.IsWhole(n) {
		size = 0
	}
	b := make([]byte, size, size+8)
	for at := 0; at < len(b); at += 8 {
		binary.LittleEndian.PutUint64(b[at:at+8:cap(b)], c.Random())
	}
	return types.Blob(b), nil
}
