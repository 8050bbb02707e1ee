package types

// Type is a logical type. Types are compared by identity (pointer): a registry holds one *Type a name, and every
// alias of a type resolves to it (docs/reference/types.md).
//
// A Type is immutable after it is registered and safe for concurrent use.
type Type struct {
	// Name is the upper-case logical name, as table_info shows it.
	Name string
	// Class is the storage class of the type's values; KindNull for ANY (any class) and NULL.
	Class Kind
	// Numeric, Temporal tell the families that operators ask for.
	Numeric, Temporal bool
	// SemanticOrder: Compare is the order of declared values and differs from storage-class + collation order
	// (TIMESPAN, JSON).
	SemanticOrder bool
	// CollationAware: Compare applies the collation it is handed, so keys fold by it (TEXT, ANY).
	CollationAware bool
	// BinaryOnly: the type refuses every COLLATE but BINARY (temporal types and JSON).
	BinaryOnly bool

	// Parse is the strict conversion of a non-NULL value into the type's canonical form. It fails with
	// MISMATCH, message "Cannot convert '<value>' to <TYPE>". It may give NULL (empty text to INTEGER).
	Parse func(Value) (Value, error)
	// Valid reports whether a non-NULL value is in the type's value space, without converting it.
	Valid func(Value) bool
	// Compare orders two non-NULL values of the type; nil means storage class, then the collation for text.
	Compare func(a, b Value, c *Collation) int
	// KeyForm maps a value to the value whose generic key bytes order and identify it, for types with SemanticOrder that
	// have one (TIMESPAN: elapsed time). ok is false for a value outside the type (it then keys by storage class). nil: the value itself.
	KeyForm func(Value) (key Value, ok bool)
}

func (t *Type) String() string { return t.Name }
