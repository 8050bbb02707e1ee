package types

// Rules that follow from the static types of expressions alone (docs/reference/types.md). The binder asks them once.

// isBuiltinNumeric reports whether t is INTEGER, REAL or NUMERIC: the types whose values are one domain of numbers.
func isBuiltinNumeric(t *Type) bool { return t == TypeInteger || t == TypeReal || t == TypeNumeric }

// PromoteArith gives the type of `a op b`. ANY means that nothing is known of the result: an operand is not numeric, or only
// its values tell what the operator does.
func PromoteArith(op ArithOp, a, b *Type) *Type {
	if rule, ok := temporalRules[temporalCase{op, OperandKindOf(a), OperandKindOf(b)}]; ok {
		return rule.result
	}
	switch {
	case !a.Numeric || !b.Numeric:
		return TypeAny
	case a == TypeInteger && b == TypeInteger && op != ArithDiv:
		return TypeInteger
	case a == TypeReal && b == TypeReal:
		return TypeReal
	}
	return TypeNumeric
}

// PromoteSign gives the type of unary minus and plus: the operand's for numbers and timespans, else ANY.
func PromoteSign(t *Type) *Type {
	if t.Numeric || t == TypeTimespan {
		return t
	}
	return TypeAny
}

// CommonType gives the type of an expression that yields one of several: CASE, coalesce, iif, greatest. NULL yields to the
// others, different numbers make NUMERIC, anything else differing ANY. It is NULL for no types.
func CommonType(ts ...*Type) *Type {
	common := TypeNull
	for _, t := range ts {
		common = mergeTypes(common, t)
	}
	return common
}

func mergeTypes(a, b *Type) *Type {
	switch {
	case a == b || b == TypeNull:
		return a
	case a == TypeNull:
		return b
	case isBuiltinNumeric(a) && isBuiltinNumeric(b):
		return TypeNumeric
	}
	return TypeAny
}

// MergeSetOp gives the type of a column of a set operation and the types that the columns of its arms are cast to, nil for
// none. It is CommonType's rule, except that JSON on one side casts the other to JSON.
func MergeSetOp(a, b *Type) (merged, castA, castB *Type) {
	merged = mergeTypes(a, b)
	if merged != TypeAny {
		return merged, nil, nil
	}
	switch {
	case a == TypeJSON:
		return TypeJSON, nil, TypeJSON
	case b == TypeJSON:
		return TypeJSON, TypeJSON, nil
	}
	return TypeAny, nil, nil
}

// ComparisonCast gives what the operands of a comparison are cast to before they are compared, nil for no cast. At most one
// side is cast, leniently.
func ComparisonCast(left, right *Type) (castLeft, castRight *Type) {
	if t := castAgainst(left, right); t != nil {
		return t, nil
	}
	return nil, castAgainst(right, left)
}

// castAgainst gives what an operand of type t is cast to when it meets other.
func castAgainst(t, other *Type) *Type {
	switch {
	case other == TypeJSON && t != TypeJSON && t != TypeNull:
		return TypeJSON
	case t != TypeText:
		return nil
	case other == TypeInteger || other == TypeNumeric:
		return TypeNumeric
	case other == TypeReal:
		return TypeReal
	}
	return nil
}

// ComparisonType gives the type whose order a comparison of two operands follows once ComparisonCast is applied, nil for the
// order by storage class and collation. JSON and TIMESPAN order their values wherever they take part; two operands of one
// type follow that type.
func ComparisonType(left, right *Type) *Type {
	switch {
	case left == right:
		if left.SemanticOrder {
			return left
		}
	case left == TypeNull || right == TypeNull:
	case left == TypeJSON || right == TypeJSON:
		return TypeJSON
	case left == TypeTimespan || right == TypeTimespan:
		return TypeTimespan
	}
	return nil
}

// CastPair is what the two sides of one comparison are cast to, nil for no cast.
type CastPair struct{ Probe, Member *Type }

// MemberCasts gives the casts for a probe that is compared with several members one by one: IN lists and simple CASE. Each
// member compares as = would; but JSON anywhere makes every comparison one of JSON.
func MemberCasts(probe *Type, members []*Type) []CastPair {
	pairs := make([]CastPair, len(members))
	json := anyJSON(probe, members)
	for i, m := range members {
		if json {
			pairs[i] = CastPair{castAgainst(probe, TypeJSON), castAgainst(m, TypeJSON)}
		} else {
			pairs[i].Probe, pairs[i].Member = ComparisonCast(probe, m)
		}
	}
	return pairs
}

// GroupCasts gives the casts for arguments that are compared as one group, each argument in one form: nullif, greatest and
// least. The first argument is the probe. A number converts each text; a text converts to a number only when all others are
// numbers.
func GroupCasts(args []*Type) []*Type {
	casts := make([]*Type, len(args))
	if len(args) == 0 {
		return casts
	}
	probe, values := args[0], args[1:]
	json := anyJSON(probe, values)
	for i, v := range values {
		if json {
			casts[i+1] = castAgainst(v, TypeJSON)
		} else {
			casts[i+1] = castAgainst(v, probe)
		}
	}
	switch {
	case json:
		casts[0] = castAgainst(probe, TypeJSON)
	case probe == TypeText:
		casts[0] = castTextProbe(values)
	}
	return casts
}

func anyJSON(probe *Type, others []*Type) bool {
	for _, t := range others {
		if t == TypeJSON {
			return true
		}
	}
	return probe == TypeJSON
}

// castTextProbe gives what a text is cast to against a group of values: a number, if all that are not NULL are numbers.
func castTextProbe(values []*Type) *Type {
	cast := (*Type)(nil)
	for _, v := range values {
		switch {
		case v == TypeNull:
		case !isBuiltinNumeric(v):
			return nil
		case v == TypeReal && (cast == nil || cast == TypeReal):
			cast = TypeReal
		default:
			cast = TypeNumeric
		}
	}
	return cast
}
