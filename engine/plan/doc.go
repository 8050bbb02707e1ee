// Package plan turns a parsed statement into a plan: it binds names and types, rewrites the tree, and chooses access paths and
// joins. It knows the catalog, the function registry and the questions of the module contract; it never reads a row. A floor
// above, package exec compiles a Plan once and runs it many times.
//
// # How a statement becomes a plan
//
//	ast ──Binder──▶ Node and Expr trees ──rules.go──▶ the same trees, annotated ──exec──▶ operators
//
// The Binder reads the syntax tree and leaves it alone. Every column of every source gets a ColID that is unique in the
// statement; from then on names are for display only. A Node says what its rows are made of (Output), an Expr what is known of
// its value before any row is read (Static). Faults stick: the first one is the answer, and binding goes on with stand-ins so
// that no caller needs to ask after each step.
//
// A reference to an enclosing query is the same Col as any other: its id is one that no node below the subquery makes. So an
// outer reference is found by asking which ids a subtree reads and does not make (FreeColumns), and moving expressions between
// query levels needs no renumbering.
//
// Rules (rules.go) rewrite nodes in place and expressions by copy: a Node belongs to one parent, an Expr may be shared as long as
// it holds no subquery. The last rules are physical: they fill Scan.Access and Join.Method. Env.Validate checks after each rule
// that the tree still hangs together.
//
// # Data changes
//
// INSERT, UPDATE and DELETE are nodes (Change) whose rows are those of RETURNING. What a row goes through hangs on its table and
// operation: Rules hold what is computed and checked, bound over the columns of the row's two images and the context variables.
// Foreign keys lead from rules to the rules of other tables, and rings of keys back; Write.All lists them once each. Lookups that
// foreign keys need (Probe) are plans of their own, as they read the work in progress and not the state before the statement.
//
// A change that stands as a relation runs once, whoever reads it. The Binder takes it out of its place and makes it a member of the
// statement's leading WITH, so that only one node runs changes, and runs them before the body.
//
// # Seams
//
// Window functions: a call with OVER is bound as Binder.aggregate binds the others (windowCall is the place); its node is a
// Window between Aggregate and Project that appends one column a call, which the select list then reads. The node asks its input
// for the order of PARTITION BY and ORDER BY as physicalSort does, so an ordered access serves it too.
//
// Decorrelation: EXISTS, IN and scalar subqueries in a conjunct carry their plan and its FreeColumns; a rule before push-filters
// may turn such a conjunct into a semi, anti or left Join whose condition is the correlated filter. Join needs two more kinds, and
// the executor their rule of which rows come out.
//
// Parallel scans: a Scan from which nobody asks an order may be cut into ranges of its access's key; everything between it and the
// first operator that remembers rows (Sort, Aggregate, the remembered side of a Join) only reads its Context, of which each worker
// would have one.
package plan
