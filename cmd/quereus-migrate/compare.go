package main

import (
	"context"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/target"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
)

// comparison compares schema by schema.
type comparison struct {
	db *engine.DB
	// isJudged is set for what was read from a database.
	isJudged bool
	options  engine.DiffOptions
	// beside is the start with the schemas compared so far as they are to be, which the next one may name; nil before the first.
	beside *catalog.Snapshot
}

// compared is a schema that was compared.
type compared struct {
	plan *differ.Plan
	// before and after have the schema as it is and as it is to be.
	before, after *catalog.Snapshot
	// home is the module that need not be named.
	home string
}

// declarations gives the schema as statements that declare it.
func (c *compared) declarations() (before, after *ast.DeclareSchemaStmt) {
	return target.Declaration(c.before, c.plan.Schema, c.home), target.Declaration(c.after, c.plan.Schema, c.home)
}

func (c *comparison) plan(ctx context.Context, d *catalog.Declared) (*differ.Plan, error) {
	if c.isJudged {
		conn, err := target.Session(c.db, d)
		if err != nil {
			return nil, err
		}
		defer conn.Close()
		return conn.Diff(ctx, d, c.options)
	}
	x, err := c.compare(ctx, d)
	if err != nil {
		return nil, err
	}
	return x.plan, nil
}

// compare judges a declaration and compares it with the schema as it is.
func (c *comparison) compare(ctx context.Context, d *catalog.Declared) (*compared, error) {
	conn, err := target.Session(c.db, d)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	start, err := c.start()
	if err != nil {
		return nil, err
	}
	if c.beside == nil {
		c.beside = start
	}
	o := c.options
	if o.Resolved, err = conn.Verify(d, c.beside); err != nil {
		return nil, err
	}
	o.Beside = c.beside
	c.beside = c.beside.WithSchema(o.Resolved.Snapshot, d.Schema())
	plan, err := conn.Diff(ctx, d, o)
	return &compared{plan: plan, before: start, after: o.Resolved.Snapshot, home: conn.Option("default_vtab_module").Str()}, err
}

// start gives the catalog that the comparison starts from.
func (c *comparison) start() (*catalog.Snapshot, error) {
	if c.options.From != nil {
		return c.options.From, nil
	}
	return c.db.Catalog()
}
