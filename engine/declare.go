package engine

import (
	"context"
	"errors"

	"github.com/quereus/quereus-migrate/alter"
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/plan"
	"github.com/quereus/quereus-migrate/types"
)

// declare keeps a declaration in the session, in place of the one the schema had.
func (c *Conn) declare(src *ast.Source, s *ast.DeclareSchemaStmt) error {
	d, err := catalog.Declare(s, catalog.Origin{Source: src})
	if err != nil {
		return err
	}
	c.session.declared[d.Schema()] = d
	return nil
}

// Declare keeps a declaration in the session, as DECLARE SCHEMA does.
func (c *Conn) Declare(d *catalog.Declared) { c.session.declared[d.Schema()] = d }

// declared finds the session's declaration of a schema.
func (c *Conn) declared(name string) (*catalog.Declared, error) {
	if d := c.session.declared[types.Fold(name)]; d != nil {
		return d, nil
	}
	return nil, types.Errorf(types.ERROR, "No declared schema found for '%s'", name)
}

// Catalog gives the catalog that the session sees: inside a transaction its own.
func (c *Conn) Catalog() (*catalog.Snapshot, error) {
	if err := c.enter(); err != nil {
		return nil, err
	}
	defer c.leave(nil)
	return c.catalog()
}

func (c *Conn) catalog() (*catalog.Snapshot, error) {
	if c.tx != nil {
		return c.tx.cat, nil
	}
	return c.db.Catalog()
}

// diffOptions compares under the session's settings.
func (c *Conn) diffOptions() differ.Options {
	names := c.names(nil)
	return differ.Options{Env: c.buildEnv(nil), Path: c.effective().path, Function: names.Function, Supported: alter.Supported}
}

// DiffOptions say how a declaration is compared.
type DiffOptions struct {
	Policy ast.RenamePolicy
	// AllowDestructive lets the plan move the backing of a maintained table, which drops and fills it anew.
	AllowDestructive bool
	// From is the schema to start from, in place of the one that the session sees: a catalog that has no rows. The plan is only to
	// be shown then.
	From *catalog.Snapshot
	// Beside has the other schemas as they are to be by then; nil for as they are.
	Beside *catalog.Snapshot
	// ColumnOrder puts columns into the declared order.
	ColumnOrder bool
	// Uncounted leaves it at the numbers of rows: hazards are told by types and rules alone, and no table is read.
	Uncounted bool
	// Resolved is what Verify gave for the declaration beside the same catalog, so that it is not worked out again; nil when nobody asked.
	Resolved *catalog.Resolved
	// NoHashes leaves Plan.From and Plan.To empty, for a plan that is only shown as statements.
	NoHashes bool
}

// Diff gives the plan from the session's state of the database to a declaration, with the numbers of rows that its steps concern. What
// columns hold that it drops, retypes or makes NOT NULL is counted: each of their tables is read once.
// Nothing is changed. For the errors see differ.Diff.
func (c *Conn) Diff(ctx context.Context, d *catalog.Declared, opts DiffOptions) (p *differ.Plan, err error) {
	err = c.reads(func(read *reading) (err error) {
		p, err = read.diff(ctx, d, opts, c.diffOptions())
		return err
	})
	return p, err
}

// diff completes the session's options and compares.
func (r *reading) diff(ctx context.Context, d *catalog.Declared, opts DiffOptions, o differ.Options) (p *differ.Plan, err error) {
	o.Whole, o.ColumnOrder = true, opts.ColumnOrder
	o.Policy, o.AllowDestructive, o.Resolved, o.NoHashes = opts.Policy, opts.AllowDestructive, opts.Resolved, opts.NoHashes
	from := opts.From
	if from == nil {
		from = r.cat()
		if o.Stats, err = r.stats(ctx, d.Schema()); err != nil {
			return nil, err
		}
	}
	isLive := opts.From == nil && !opts.Uncounted
	if opts.Beside != nil {
		from = opts.Beside.WithSchema(from, d.Schema())
	}
	if p, err = differ.Diff(from, d, o); err != nil || !isLive || p.Questions == nil {
		return p, err
	}
	if o.Stats.Columns, err = r.measure(ctx, d.Schema(), p.Questions); err != nil {
		return nil, err
	}
	return differ.Diff(from, d, o)
}

// diffSchema gives the statements of DIFF SCHEMA, one a row.
func (c *Conn) diffSchema(s *ast.DiffSchemaStmt) (*Rows, error) {
	d, err := c.declared(s.Name.Text)
	if err != nil {
		return nil, err
	}
	cat, err := c.catalog()
	if err != nil {
		return nil, err
	}
	o := c.diffOptions()
	o.AllowDestructive, o.NoHashes = true, true
	p, err := differ.Diff(cat, d, o)
	if err != nil {
		return nil, err
	}
	var rows []types.Row
	for _, sql := range p.Statements() {
		rows = append(rows, types.Row{types.Text(sql)})
	}
	return fixedRows([]plan.Column{{Name: "ddl", Type: types.TypeText}}, rows), nil
}

// explainSchema gives the documented hash of a declaration.
func (c *Conn) explainSchema(s *ast.ExplainSchemaStmt) (*Rows, error) {
	d, err := c.declared(s.Name.Text)
	if err != nil {
		return nil, err
	}
	info := "hash:" + d.ExplainHash()
	if s.HasVersion {
		info = "version:" + s.Version + "," + info
	}
	return fixedRows([]plan.Column{{Name: "info", Type: types.TypeText}}, []types.Row{{types.Text(info)}}), nil
}

// applySchema carries out what DIFF SCHEMA prints, and the seeds when asked, as one unit (docs/reference/declarative-schema.md): a
// migration that ends with the first step that fails and leaves CHECKs and assertions which are added to the next write.
func (c *Conn) applySchema(ctx context.Context, s *ast.ApplySchemaStmt) error {
	d, err := c.declared(s.Name.Text)
	if err != nil {
		return err
	}
	return c.inTx(ctx, func(t *tx) error {
		began := c.db.opts.Now()
		o := c.diffOptions()
		o.Policy, o.AllowDestructive, o.NoHashes = s.Policy, s.AllowDestructive, true
		p, err := differ.Diff(t.cat, d, o)
		if err != nil {
			return err
		}
		options := MigrateOptions{Version: d.Version}
		if s.WithSeed {
			options.Seeds = d
		}
		_, err = newMigration(t, p, options, applyRules).run(ctx, began)
		if failed := (*MigrateError)(nil); errors.As(err, &failed) {
			f := failed.Failures[0]
			return stepError(&p.Steps[f.Step], f.Err)
		}
		return err
	})
}

// makeSchema makes the schema of a declaration exist.
func (t *tx) makeSchema(schema string) {
	if t.cat.HasSchema(schema) {
		return
	}
	e := t.cat.Edit()
	e.AddSchema(schema)
	t.cat = e.Done()
}

// stepError is the error of an apply: always ERROR, with the statement and the cause.
func stepError(s *differ.Step, cause error) error {
	return &types.Error{Code: types.ERROR, Message: "Failed to execute DDL: " + s.SQL + ": " + cause.Error(), Cause: cause}
}

// leaving are the tables and constraints that a plan drops: guards of its other steps look at the end state.
type leaving struct {
	tables      map[relationName]bool
	constraints map[relationName]map[string]bool
}

type relationName struct{ schema, name string }

func nameOf(q ast.QName) relationName {
	n := relationName{schema: catalog.MainSchema, name: types.Fold(q.Name.Text)}
	if !q.Schema.IsZero() {
		n.schema = types.Fold(q.Schema.Text)
	}
	return n
}

func newLeaving(p *differ.Plan) *leaving {
	l := &leaving{tables: map[relationName]bool{}, constraints: map[relationName]map[string]bool{}}
	for i := range p.Steps {
		switch s := p.Steps[i].Stmt.(type) {
		case *ast.DropStmt:
			if s.Kind == ast.TableObject {
				l.tables[nameOf(s.Name)] = true
			}
		case *ast.AlterStmt:
			if a, ok := s.Action.(*ast.DropConstraint); ok {
				n := nameOf(s.Name)
				if l.constraints[n] == nil {
					l.constraints[n] = map[string]bool{}
				}
				l.constraints[n][types.Fold(a.Name.Text)] = true
			}
		}
	}
	return l
}

// has reports whether the table (constraint "") or its constraint is on the way out.
func (l *leaving) has(t *catalog.Table, constraint string) bool {
	if l == nil {
		return false
	}
	n := relationName{t.Schema, types.Fold(t.Name)}
	if constraint == "" {
		return l.tables[n]
	}
	return l.constraints[n][types.Fold(constraint)]
}
