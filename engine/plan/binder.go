package plan

import (
	"errors"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// Binder turns syntax into nodes and expressions. It serves one statement and one goroutine.
//
// Its methods return what they bind; a fault is noted once, in err, and what is returned then is a harmless stand-in. So every
// method may be written as if its parts were sound, and only who hands the result out asks for err.
type Binder struct {
	env     *Env
	err     error
	lastCol ColID
	params  parameters
	// path is the schema path in force, ctes the members of WITH in scope.
	path []string
	ctes *cteScope
	// views are the views being expanded, outermost first. Inside one, positions belong to a stored text and are not told.
	views []*catalog.View
	// steps counts expressions and queries; stopped is set once the statement is not wanted any more.
	steps   int
	stopped bool
	// inlined counts the views expanded in place; shared are those whose bodies, in sharedBodies, are computed once for all readers.
	inlined      int
	shared       map[*catalog.View]*member
	sharedBodies []*member
	// nested counts the subqueries and lateral sources around the present place.
	nested int
	// stored is set while a stored expression is bound that is not part of the statement's text; fresh if it is about to be stored.
	stored, fresh bool
	// change is what the data changes of the statement share.
	change changeState
	// parameterless names what may hold no bind parameter while it is bound, "" for none.
	parameterless string
}

// NewBinder makes a Binder for one statement.
func NewBinder(env *Env) *Binder {
	return &Binder{env: env, path: sessionPath(env)}
}

func sessionPath(env *Env) []string {
	if len(env.SchemaPath) == 0 {
		return []string{catalog.MainSchema}
	}
	return env.SchemaPath
}

// fail notes a fault, unless there is one already.
func (b *Binder) fail(at ast.Pos, code types.Code, format string, args ...any) {
	b.failWith(at, types.Errorf(code, format, args...))
}

// failWith notes an error as the fault, with the place where it has none of its own.
func (b *Binder) failWith(at ast.Pos, err error) {
	if b.err != nil {
		return
	}
	b.err = err
	var e *types.Error
	if !errors.As(err, &e) || e.Line > 0 {
		return
	}
	if line, column := b.env.Source.Position(b.pos(at)); line > 0 {
		b.err = types.Locate(err, line, column)
	} else if b.env.Fresh {
		b.err = catalog.About(b.pos(at), err)
	}
}

// canceled gives the error of a statement that is not wanted any more: INTERRUPT.
func (b *Binder) canceled() error {
	if b.env.Ctx == nil {
		return nil
	}
	return kv.Interrupted(b.env.Ctx)
}

// stops reports whether binding is to end: the statement is not wanted any more. It looks now and then.
func (b *Binder) stops() bool {
	const often = 64
	if b.steps++; b.steps%often == 0 && !b.stopped {
		if err := b.canceled(); err != nil {
			b.stopped = true
			b.failWith(ast.NoPos, err)
		}
	}
	return b.stopped
}

// pos gives a position as it is told: none inside stored texts.
func (b *Binder) pos(at ast.Pos) ast.Pos {
	if b.stored && !b.fresh || len(b.views) > 0 {
		return ast.NoPos
	}
	return at
}

// newID takes a column id.
func (b *Binder) newID() ColID {
	b.lastCol++
	return b.lastCol
}

// column makes a column with the static facts of an expression.
func (b *Binder) column(name string, i *Info) Column {
	return Column{ID: b.newID(), Name: name, Type: i.Type, Nullable: i.Nullable, Collation: i.Collation}
}

// renew gives columns like the given ones under new ids.
func (b *Binder) renew(cols []Column) []Column {
	out := slices.Clone(cols)
	for i := range out {
		out[i].ID = b.newID()
	}
	return out
}

// ref makes the expression that reads a column.
func (b *Binder) ref(c Column, at ast.Pos) *Col {
	return &Col{
		Info: Info{Type: c.Type, Nullable: c.Nullable, Collation: c.Collation, Pos: b.pos(at)},
		ID:   c.ID, Name: c.Name, Facts: c.Facts,
	}
}

// constant makes a Const whose static type is that of its value.
func (b *Binder) constant(v types.Value, t *types.Type, at ast.Pos) *Const {
	return &Const{Info: Info{Type: t, Nullable: v.IsNull(), Pos: b.pos(at)}, Value: v}
}

// bad is the stand-in for an expression that has a fault.
func (b *Binder) bad(at ast.Pos) Expr { return b.constant(types.Null, types.TypeNull, at) }

// oneRow is the source of a query without FROM.
func oneRow() *Values { return &Values{Rows: [][]Expr{{}}} }

// project puts a Project above a node. An item that passes a column of the input on keeps its id, unless another item does so
// already.
func (b *Binder) project(input Node, names []string, exprs []Expr) *Project {
	own := ColSet{}
	own.AddColumns(input.Output())
	p := &Project{Input: input, Items: make([]Item, len(exprs))}
	for i, x := range exprs {
		p.Items[i] = Item{Column: b.column(names[i], x.Static()), X: x}
		if c, ok := x.(*Col); ok && own.Has(c.ID) {
			p.Items[i].ID = c.ID
			delete(own, c.ID)
		}
	}
	return p
}

// narrow puts a Project above a node that passes its first n columns on; the node itself if it has no more.
func (b *Binder) narrow(input Node, n int) Node {
	out := input.Output()
	if len(out) == n {
		return input
	}
	p := &Project{Input: input, Items: make([]Item, n)}
	for i, c := range out[:n] {
		p.Items[i] = Item{Column: c, X: b.ref(c, ast.NoPos)}
	}
	return p
}

// filter puts a Filter above a node; the node itself for no condition.
func filter(input Node, conds []Expr) Node {
	if len(conds) == 0 {
		return input
	}
	return &Filter{Input: input, Conds: conds}
}

// parameters are the bind parameters met so far.
type parameters struct {
	list []Parameter
	at   map[Parameter]int // by name and index alone
}

// param binds a parameter. Its static type is the declared one, else TEXT (docs/reference/types.md).
func (b *Binder) param(p *ast.Param) Expr {
	if b.parameterless != "" {
		b.fail(p.Pos(), types.ERROR, "%s may not reference bind parameters", b.parameterless)
	}
	key := Parameter{Name: p.Name, Index: p.Index}
	i, ok := b.params.at[key]
	if !ok {
		if b.params.at == nil {
			b.params.at = map[Parameter]int{}
		}
		i = len(b.params.list)
		b.params.at[key] = i
		declared := key
		if declared.Type = b.env.Params.lookup(p); declared.Type != nil {
			declared.Declared = true
		} else {
			declared.Type = types.TypeText
		}
		b.params.list = append(b.params.list, declared)
	}
	return &Param{Info: Info{Type: b.params.list[i].Type, Nullable: true, Pos: b.pos(p.Pos())}, Index: i}
}

// comparand notes that an expression is compared with one of type t, if it is a parameter, casts aside.
func (b *Binder) comparand(x Expr, t *types.Type) {
	for {
		c, ok := x.(*Cast)
		if !ok {
			break
		}
		x = c.X
	}
	if p, ok := x.(*Param); ok && t != types.TypeJSON && t != types.TypeAny && t != types.TypeNull {
		b.params.list[p.Index].Scalar = true
	}
}

// lookup gives the declared type of a parameter, nil when there is none.
func (t ParamTypes) lookup(p *ast.Param) *types.Type {
	if p.Name != "" {
		return t.Named[p.Name]
	}
	if p.Index <= len(t.Positional) {
		return t.Positional[p.Index-1]
	}
	return nil
}
