package differ

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Diff gives the plan that turns the declared schema's live state into what is declared. A schema that does not exist counts as empty.
//
// Errors come in the documented order (docs/reference/declarative-schema.md): reserved tags, duplicate names, definitions of existing
// tables that make no sense, conflicting renames, what rename_policy refuses, a plain column that becomes a generated one or back
// (UNSUPPORTED), a moved backing that Options do not allow. Where the declaration was read from a file the error is a *catalog.SourceError.
//
// It takes time near linear in the size of both sides.
func Diff(live *catalog.Snapshot, declared *catalog.Declared, opts Options) (*Plan, error) {
	c, err := compare(live, declared, opts)
	if err != nil {
		return nil, err
	}
	c.emitAll()
	return c.finish(), nil
}

// compare finds everything that differs.
func compare(live *catalog.Snapshot, declared *catalog.Declared, opts Options) (*comparison, error) {
	if err := declared.Check(); err != nil {
		return nil, err
	}
	c, err := newComparison(live, declared, opts)
	if err != nil {
		return nil, err
	}
	for _, stage := range []func() error{
		c.matchTables, c.matchViews, c.matchIndexes, c.matchColumns, c.matchConstraints, c.requireHints,
		c.compareTables, c.refuseMoves,
	} {
		if err := stage(); err != nil {
			return nil, err
		}
	}
	c.compareRest()
	return c, nil
}

// comparison is one run of Diff: both sides, and what has been found out about them. Lists of pairs stand in declared order, lists of
// what is left over on the live side in live order.
type comparison struct {
	opts     Options
	env      catalog.BuildEnv
	schema   string // folded
	live     *catalog.Snapshot
	declared *catalog.Declared
	// resolved has what the declaration would make of an empty database.
	resolved *catalog.Resolved
	// target is the declared schema beside the other live schemas, for resolving names; materialized views are views in it, since
	// nobody has derived their columns.
	target                 *catalog.Snapshot
	liveNames, targetNames *catalog.Names

	tables     []*tablePair // tables, then materialized views
	views      []*viewPair
	indexes    []*indexPair
	assertions []*assertionPair

	lostTables     []*catalog.Table
	lostViews      []*catalog.View
	lostIndexes    []*catalog.IndexEntry
	lostAssertions []*catalog.Assertion

	byName     map[string]*tablePair // by folded declared name
	viewByName map[string]*viewPair
	// indexByName has the declared indexes that exist, by folded live name.
	indexByName map[string]*indexPair
	byLive      map[*catalog.Table]*tablePair
	// gone are the relations dropped in phases 4 and 5, by folded live name; the value is their name at that time. Those in recreated
	// come back under it.
	gone      map[string]string
	recreated map[string]bool

	renames    renames
	reachable  map[*catalog.View]closure
	newColumns map[columnScope][]newColumn // see newColumnsOf

	steps []*step
	notes []Note

	// reasons say why there are the steps; they are known once all steps are.
	reasons *reasons

	// What hazards look up, made when one is first asked for: new tables by their shape, unchanged views by what they read and
	// the plan takes away, and the rules that stay.
	newShapes map[string]*tablePair
	dangling  map[resource][]string
	staying   map[*catalog.Table][]*stayingRule
}

func newComparison(live *catalog.Snapshot, declared *catalog.Declared, opts Options) (*comparison, error) {
	if opts.Path == nil {
		opts.Path = []string{catalog.MainSchema}
	}
	c := &comparison{
		opts: opts, env: opts.Env, schema: declared.Schema(), live: live, declared: declared,
		liveNames: catalog.NewNames(live, opts.Path, opts.Function),
		byName:    map[string]*tablePair{}, viewByName: map[string]*viewPair{}, byLive: map[*catalog.Table]*tablePair{},
		indexByName: map[string]*indexPair{}, gone: map[string]string{}, recreated: map[string]bool{},
		reachable: map[*catalog.View]closure{}, newColumns: map[columnScope][]newColumn{},
	}
	if c.env.Types == nil {
		c.env.Types = types.NewRegistry()
	}
	c.env.CheckExpression, c.env.Resolver = nil, c.liveNames
	if c.resolved = opts.Resolved; c.resolved == nil {
		c.resolved = declared.Resolve(c.env)
	}
	c.env.Schema, c.env.IDs = c.schema, live.Edit()
	c.target = c.targetSnapshot()
	c.targetNames = catalog.NewNames(c.target, opts.Path, opts.Function)
	return c, c.readItems()
}

// readItems sorts the items of the declaration by kind. Tables come before materialized views, as in every phase.
func (c *comparison) readItems() error {
	faults := map[int]error{}
	for _, f := range c.resolved.Faults {
		faults[f.Item] = f.Err
	}
	var materialized []*tablePair
	for i := range c.declared.Items {
		stmt, err := c.declared.Statement(i, c.env)
		if err != nil {
			return err
		}
		origin := c.declared.Items[i].Origin
		switch n := stmt.(type) {
		case *ast.CreateTableStmt:
			if !c.isEngineManaged(n.Name.Name.Text) {
				c.tables = append(c.tables, c.newTablePair(n, origin, faults[i]))
			}
		case *ast.CreateMaterializedViewStmt:
			materialized = append(materialized, c.newTablePair(n, origin, faults[i]))
		case *ast.CreateViewStmt:
			c.views = append(c.views, &viewPair{stmt: n, origin: origin, decl: c.resolved.Snapshot.View(c.schema, n.Name.Name.Text)})
		case *ast.CreateIndexStmt:
			c.indexes = append(c.indexes, &indexPair{stmt: n, origin: origin, fault: faults[i]})
		case *ast.CreateAssertionStmt:
			c.assertions = append(c.assertions, &assertionPair{stmt: n, origin: origin})
		}
	}
	c.tables = append(c.tables, materialized...)
	for _, p := range c.tables {
		c.byName[types.Fold(p.declaredName())] = p
	}
	for _, p := range c.views {
		c.viewByName[types.Fold(p.stmt.Name.Name.Text)] = p
	}
	return nil
}

// isEngineManaged reports whether a declared table is one that the engine keeps for itself and the differ does not see.
func (c *comparison) isEngineManaged(name string) bool {
	t := c.live.Table(c.schema, name)
	return t != nil && t.IsEngineManaged()
}

// targetSnapshot gives the state that the declared texts were written against.
func (c *comparison) targetSnapshot() *catalog.Snapshot {
	e := c.resolved.Snapshot.Edit()
	for _, item := range c.declared.Items {
		if n, ok := item.Stmt.(*ast.CreateMaterializedViewStmt); ok {
			e.DropRelation(c.schema, n.Name.Name.Text)
			e.PutView(catalog.BuildView(&ast.CreateViewStmt{Name: n.Name, Columns: n.Columns, Query: n.Query}, c.env))
		}
	}
	for _, schema := range c.live.Schemas() {
		if schema == c.schema {
			continue
		}
		e.PutSchema(c.live, schema)
	}
	return e.Done()
}

// compareRest compares what is neither table nor part of one. Views come first: what they drop decides about assertions.
func (c *comparison) compareRest() {
	c.compareViews()
	c.findGone()
	c.forceDependents()
	for _, p := range c.tables {
		if p.comparesShape() {
			c.compareAttributes(p)
		}
	}
	c.compareDerivations()
	c.compareIndexes()
	c.unwriteCollations()
	c.compareAssertions()
}

// emitAll emits the statements phase by phase. emitCreates takes phase 7 and hands back what is left for phase 9a.
func (c *comparison) emitAll() {
	c.emitTableRenames()
	c.emitAssertionDrops()
	c.emitDetaches()
	c.emitEarlyReleases()
	c.emitTableDrops()
	c.emitViewDrops()
	c.emitIndexDrops()
	deferred := c.emitCreates()
	for _, p := range c.tables {
		c.emitAlterations(p)
	}
	c.emitAttaches()
	for _, create := range deferred {
		create()
	}
	c.emitAssertionCreates()
	c.emitViewTags()
	c.emitIndexTags()
}

// finish sorts the steps, says what they do, and puts the plan together.
func (c *comparison) finish() *Plan {
	p := &Plan{Schema: c.schema, Settings: c.opts.settings()}
	c.noteTables()
	steps := sortSteps(c.steps)
	p.Steps = make([]Step, len(steps))
	c.reasons = newReasons(steps)
	for i, s := range steps {
		s.Reason = c.reasons.of(s)
		s.Effect = c.effect(s)
		s.Hazards = c.hazards(s)
		p.Steps[i] = s.Step
	}
	p.Questions = c.questions(steps)
	sortNotes(c.notes)
	p.Notes = c.notes
	if !c.opts.NoHashes {
		p.From, p.To = c.hashes()
	}
	return p
}
