// Package catalog holds what a database is made of: tables, indexes, views and assertions, in immutable snapshots. It builds objects
// of their definitions, prints them, tells whether two schemas are equal, and keeps them on disk.
//
// It never runs anything: it knows syntax trees and types, not plans, rows or modules. What takes a binder (whether a name
// resolves, whether an expression is deterministic) comes in through BuildEnv.CheckExpression; what takes rows is told by
// package alter.
//
// # Invariants
//
//   - A Snapshot and everything in it is immutable. An Edit makes the next one and shares what it does not touch, so an object that
//     did not change is the same pointer on both sides (Changes relies on it). Who changes a table clones it (Table.Clone, the With
//     methods) and replaces the entries that he changes; the entries are shared and immutable too.
//   - Session settings are resolved when an object is built and concrete from then on: logical type, nullability, collation, module.
//     ABORT, NO ACTION, default operations and other words that say the default are not kept.
//   - Columns are addressed by position. Names fold with types.Fold, here and everywhere; objects keep the spelling of their
//     definition. Schema names and module names are kept folded.
//   - Ids, column ids and incarnations are never used twice; they survive renames. Columns of a table, its UNIQUE constraints and its
//     indexes are matched across two definitions by them.
//   - For every form, what it prints reads back as the same object and prints alike (FormatTable, Table.Stmt). Names that were
//     minted for unnamed constraints are printed; constraints that have none stay unnamed.
//   - Two schemas are equal exactly when their normal forms are (NormalForm); Hash is the hash of it.
//   - A record's header is readable without its text, and EncodeTable(DecodeTable(r)) = r. A record of any released version is read by
//     every later one.
//
// # From a definition to an object
//
//	stmt, _ := parse.Stmts(ast.NewSource("", "create table jar (id integer primary key, n integer default 3)"))
//	e := snapshot.Edit()
//	t, err := catalog.BuildTable(stmt[0].(*ast.CreateTableStmt), catalog.BuildEnv{Types: types.NewRegistry(), Module: "memory", IDs: e})
//	if err != nil { … }
//	e.PutTable(t)
//	next := e.Done()
package catalog
