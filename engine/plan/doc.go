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
// Rules (rules.go) take a tree and give a tree. Nodes and expressions are immutable once they are bound, so both may be shared: a rule
// copies what it changes and keeps the rest. What a tree reads from outside is computed once a node (property.go). The trees of
// subqueries go through all rules first, innermost first, each once. One rule is physical, choose-access: it fills Scan.Access,
// Join.Method and the estimates, orders groups of inner joins by cost (join_search.go, cost.go), and takes out a Sort whose order comes
// for free; only tidying follows it. The rules of a data change belong to it alone and are written in place.
// Env.Validate checks after each rule that the tree still hangs together.
//
// # Windows
//
// Calls with OVER are collected while the select list and ORDER BY are bound, as aggregates are. Calls that agree in PARTITION BY and
// ORDER BY share a Window node, which stands above the groups and HAVING and below the Project, over a Sort by both lists. Windows whose
// keys begin another's share its sort.
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
// What specs 10 and 11 ask for and what is not there yet has its place:
//
// Decorrelation: conditions with a correlated [NOT] EXISTS or IN over one table, and with an uncorrelated IN, are semi and anti joins
// (rule_decorrelate.go). Over several tables, with NULL in NOT IN, in select lists and under OR, and scalar subqueries, they are Subplans
// that run for each row that reaches them, or once if uncorrelated. Over several tables the choice needs both plans' costs: few rows at
// hand may seek where a join would read everything.
//
// Parallel scans: a Scan from which nobody asks an order may be cut into ranges of its access's key, for which the module contract
// needs an ability that gives the places to cut. choose-access marks such a scan; package exec says what runs above it.
package plan
