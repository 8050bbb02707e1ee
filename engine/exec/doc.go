// Package exec compiles plans and runs them: physical operators, expressions as closures, spilling. It reaches tables through
// Source and vtab alone and knows nothing of transactions.
//
// Build makes a Program out of a plan.Plan: every expression becomes a closure over positions of a row (Expr), every node a
// recipe for an Operator. A Program is immutable. A run owns a set of operators and a Context; runs of one program that
// follow each other reuse them, so a prepared point query allocates next to nothing.
//
// # Rows between operators
//
// Operators hand over batches (Batch). The rows of a batch belong to the operator that filled it and stay valid until its next
// call of Next, Open or Close; their texts and blobs may lie in an arena with the same life. Who needs a row longer copies it
// (rowStore). Nobody writes to rows of another operator. A row lies as plan.Node.Output says, full width for a scan.
//
// # Outer references
//
// A column of an enclosing query has a slot in the Context. Whoever evaluates a subquery or opens the right side of an ApplyJoin
// first writes the columns that it reads into their slots.
//
// # Memory
//
// Operators that remember rows (sort, hash join, aggregate, distinct, set operations, loop join, WITH) hold up to
// Runtime.MemoryBudget bytes each and go on in temporary files behind that (kv.Run): the sorter in sorted runs that are merged,
// hash tables by setting rows of new keys aside in partitions that are worked off one after the other. What cannot spill is
// one group's state of an aggregate such as group_concat, whose result must fit into memory anyway.
//
// # Windows
//
// windowOp reads one partition at a time, in the order of the window, and keeps it by number: in memory, beyond the budget in a file
// that is read by pages. Frames are stretches of these numbers. Aggregates run along with frames that grow, take rows back
// (function.Inverter) or merge states from a tree (function.Merger) where frames move.
//
// # Data changes
//
// A change is made when its operator is opened; its RETURNING rows are kept until they are asked for. Source rows, defaults,
// checks and RETURNING read the pin of the statement: all tables that a statement reads are opened before it writes. rowWriter
// takes a row through its rules, in one frame that is used again for every row. What follows from a row is noted in writeRun and
// dealt with for many rows at once: foreign-key actions when the change has made all of its rows, RESTRICT and the search for
// parents when the statement has, on the work in progress (WriteSource.OpenPresent). What has no parent by then, and CHECKs with
// subqueries, wait in the Queue for the commit.
//
// An error asks the caller to undo the statement. A *Conflict with FAIL asks him to keep it, one with ROLLBACK to undo the whole
// transaction.
//
// # Seams
//
// Semi and anti joins: joinOp passes a left row at its first match, or without one, and pairs no rows. Spilled, they are its outer
// joins without the right columns: joinSpill remembers which left rows have matched.
//
// Parallel scans: everything between a scan and the first operator that remembers rows (Sort, Aggregate, Distinct, the remembered
// side of a join) keeps its state in its operators and its Context. So each worker has instances of those operators and a Context of
// its own, over a table opened for it, as a vtab.Table serves one goroutine; their batches go to the one that remembers.
package exec
