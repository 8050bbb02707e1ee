// Package types holds what every floor of the engine agrees on: values and rows, logical types and collations, how values
// compare, convert and compute, the bytes that order them in a key, and the errors that carry a status code.
//
// It knows nothing of syntax, tables or storage, and does no I/O.
//
// What holds throughout:
//
//   - A number is its mathematical value. 1, 1.0 and true compare equal, hash alike and have the same key bytes; integers are
//     exact at any size; a REAL is never NaN.
//   - Text is valid UTF-8. Bytes that may not be go through TextFromBytes.
//   - A Value, a Type, a Collation and everything resolved from them (Comparator, KeyPart, KeyEncoder) is immutable and safe
//     for concurrent use.
//   - The order of a column is one order: NewComparator gives it over values and NewKeyPart over bytes, and the two agree.
//
// A sort or an index resolves its order once and then compares without asking for types again:
//
//	order := types.NewRowComparator(types.OrderTerm{Column: 0, Cmp: types.NewComparator(t, types.NoCase), Desc: true})
//	slices.SortStableFunc(rows, order)
package types
