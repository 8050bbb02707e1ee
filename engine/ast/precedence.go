package ast

// Level is a binding power (docs/reference/language.md): the higher, the tighter. Parser and printer share this table, so what one groups
// the other prints without parentheses exactly where the text still reads back as the same tree.
type Level uint8

// The levels, loosest first. An operand that stands where level l is asked for must itself be of level l or higher, else
// it needs parentheses.
//
// Three levels deviate from what other dialects do: NOT stands only where a LevelNot operand may (`1 = not 1` is no
// expression); IS and COLLATE apply at most once (their subject is one level higher); and || binds tighter than a sign
// (`-1 || 2` is `-(1 || 2)`).
const (
	LevelOr      Level = iota + 1 // or, xor; left
	LevelAnd                      // and; left
	LevelNot                      // not, prefix; right
	LevelIs                       // is [not] null, true, false, x, distinct from x; at most once
	LevelEqual                    // = == != <>; left
	LevelCompare                  // < <= > >= between in like glob regexp; left
	LevelBits                     // & | << >>; left
	LevelSum                      // + -; left
	LevelProduct                  // * / %; left
	LevelSign                     // - + ~, prefix; right
	LevelConcat                   // ||; left
	LevelCollate                  // collate, postfix; at most once
	LevelJSON                     // -> ->>; left
	LevelPrimary                  // all else: names, literals, calls, whatever stands in brackets
)

var binaryLevels = [...]Level{
	OpOr: LevelOr, OpXor: LevelOr, OpAnd: LevelAnd,
	OpEq: LevelEqual, OpEq2: LevelEqual, OpNe: LevelEqual,
	OpLt: LevelCompare, OpLe: LevelCompare, OpGt: LevelCompare, OpGe: LevelCompare,
	OpBitAnd: LevelBits, OpBitOr: LevelBits, OpShl: LevelBits, OpShr: LevelBits,
	OpAdd: LevelSum, OpSub: LevelSum, OpMul: LevelProduct, OpDiv: LevelProduct, OpMod: LevelProduct,
	OpConcat: LevelConcat, OpJSONGet: LevelJSON, OpJSONText: LevelJSON,
}

// Level is the binding power of the operator. All infix operators group to the left: the left operand may be of the
// operator's own level, the right one must be tighter.
func (op BinaryOp) Level() Level { return binaryLevels[op] }

// Level is the binding power of the prefix operator, which its operand must reach.
func (op UnaryOp) Level() Level {
	if op == OpNot {
		return LevelNot
	}
	return LevelSign
}

// LevelOf is the binding power of an expression as a whole, as the parser reads it: that of its outermost operator.
func LevelOf(x Expr) Level {
	switch x := x.(type) {
	case *Unary:
		return x.Op.Level()
	case *Binary:
		return x.Op.Level()
	case *Is:
		return LevelIs
	case *Between, *In, *Match:
		return LevelCompare
	case *Collate:
		return LevelCollate
	}
	return LevelPrimary
}
