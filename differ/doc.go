// Package differ compares a live catalog with a declared schema and gives the ordered statements that turn the one into the
// other, with what each does to the rows that are there and what is dangerous about it (docs/reference/declarative-schema.md).
//
// It is pure: no input or output, no clock, no connection. Same input, same bytes: nothing is ever done in the order of a map.
// It must never know how a statement is carried out; row counts come in as a plain Stats value.
//
// The two sides are compared under the catalog's normal form. Names that this plan gives are carried through the live side first,
// so that what a rename rewrites by itself is no difference (renames.go). Each kind of object has its file, which finds what
// drifted and emits the statements of its phases; documented order is the order of emission. order.go then sorts the
// statements by what they need of each other, with the documented place as the priority: where the documented phases
// satisfy every need, the plan is the documented one, byte for byte.
package differ
