package plan

import (
	"cmp"
	"slices"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// references binds the child's side of the table's own foreign keys.
func (rs *ruleSet) references(r *Rules, or ast.ConflictAction) {
	if !rs.b.env.ForeignKeys {
		return
	}
	action := effective(or, ast.ConflictDefault)
	for _, key := range r.Table.ForeignKeys {
		ref := rs.refs[key]
		if ref == nil {
			ref = rs.b.reference(r.Table, key)
			rs.refs[key] = ref
		}
		if action != ast.ConflictAbort {
			ref = clone(ref)
			ref.Action, ref.AtOnce = action, true
		}
		r.References = append(r.References, ref)
	}
}

// BindReference binds a foreign key from its child's side.
func BindReference(child *catalog.Table, key *catalog.ForeignKey, env *Env) (*Reference, error) {
	b := NewBinder(env)
	b.stored = true
	ref := b.reference(child, key)
	return ref, b.err
}

func (b *Binder) reference(child *catalog.Table, key *catalog.ForeignKey) *Reference {
	schema, name := key.ParentName(child)
	ref := &Reference{
		Child: child, Key: key, Parent: b.env.Catalog.Table(schema, name), Action: ast.ConflictAbort, Catalog: b.env.Catalog,
	}
	if ref.Parent == nil {
		return ref
	}
	cols, err := referencedColumns(child, key, ref.Parent)
	if err != nil {
		b.failWith(ast.NoPos, err)
		return ref
	}
	ref.ParentColumns = cols
	ref.Find = b.probe(&Probe{Table: ref.Parent, Columns: cols}, pick(b.tableColumns(child), key.Columns))
	return ref
}

func pick(cols []Column, at []int) []Column {
	out := make([]Column, len(at))
	for i, c := range at {
		out[i] = cols[c]
	}
	return out
}

// referencedColumns resolves the parent's columns of a foreign key (docs/reference/language.md).
func referencedColumns(child *catalog.Table, key *catalog.ForeignKey, parent *catalog.Table) ([]int, error) {
	if key.ParentColumns == nil {
		cols := parent.KeyColumns()
		if len(cols) != len(key.Columns) {
			return nil, types.Errorf(types.ERROR, "Foreign key '%s' on table '%s.%s' has %d columns, but the key of '%s' that it references has %d",
				key.Name, child.Schema, child.Name, len(key.Columns), parent.Name, len(cols))
		}
		return cols, nil
	}
	cols := make([]int, len(key.ParentColumns))
	for i, name := range key.ParentColumns {
		if cols[i] = parent.ColumnIndex(name); cols[i] < 0 {
			return nil, types.Errorf(types.ERROR, "Referenced column '%s' not found in table '%s'", name, parent.Name).WithHint(parent.NearColumn(name))
		}
	}
	return cols, nil
}

// parentSide binds the foreign keys that refer to the table, as far as the operation may touch what they refer to.
func (rs *ruleSet) parentSide(r *Rules, or ast.ConflictAction, set []Computed) {
	if !rs.b.env.ForeignKeys {
		return
	}
	gone := r.Op == ast.OnDelete || replaces(r.Table, r.Op, or)
	if !gone && r.Op == ast.OnInsert {
		return
	}
	var changes vtab.ColumnSet
	for _, c := range set {
		changes.Add(c.Column)
	}
	for _, c := range r.Generated {
		changes.Add(c.Column)
	}
	for _, child := range rs.children(r.Table) {
		for _, key := range child.ForeignKeys {
			rs.parentKey(r, child, key, gone, changes)
		}
	}
}

// children lists the tables that refer to one in order of declaration.
func (rs *ruleSet) children(t *catalog.Table) []*catalog.Table {
	list := rs.b.env.Catalog.Children(t.Schema, t.Name)
	slices.SortStableFunc(list, func(a, b *catalog.Table) int { return cmp.Compare(a.Seq, b.Seq) })
	return list
}

// parentKey binds the parent's side of one foreign key of a child, if it refers to the table.
func (rs *ruleSet) parentKey(r *Rules, child *catalog.Table, key *catalog.ForeignKey, gone bool, changes vtab.ColumnSet) {
	schema, name := key.ParentName(child)
	if !types.EqualFold(schema, r.Table.Schema) || !types.EqualFold(name, r.Table.Name) {
		return
	}
	cols, err := referencedColumns(child, key, r.Table)
	if err != nil {
		if key.ParentColumns == nil { // a column that is not there holds nothing to refer to
			rs.b.failWith(ast.NoPos, err)
		}
		return
	}
	if gone {
		r.Gone = append(r.Gone, rs.action(r.Table, child, key, cols, ast.OnDelete))
	}
	if r.Op == ast.OnUpdate && slices.ContainsFunc(cols, changes.Has) {
		r.Changed = append(r.Changed, rs.action(r.Table, child, key, cols, ast.OnUpdate))
	}
}

// action binds what happens to the child's rows.
func (rs *ruleSet) action(parent, child *catalog.Table, key *catalog.ForeignKey, cols []int, op ast.Operations) *Action {
	b := rs.b
	a := &Action{Child: child, Parent: parent, Key: key, ParentColumns: cols, Op: op, Do: key.OnDelete}
	if op == ast.OnUpdate {
		a.Do = key.OnUpdate
	}
	find := actionFind{key, a.Do != ast.FKRestrict, op == ast.OnUpdate && a.Do == ast.FKCascade && isInRule(child, key.Columns)}
	if rs.finds[find] == nil {
		rs.finds[find] = b.probe(&Probe{Table: child, Columns: key.Columns, Rows: find.rows, InOrder: find.inOrder}, pick(b.tableColumns(parent), cols))
	}
	a.Find = rs.finds[find]
	switch {
	case a.Do == ast.FKRestrict:
	case a.Do == ast.FKCascade && op == ast.OnDelete:
		a.Rules = rs.actionRules(child, ast.OnDelete, key)
	default:
		a.Rules = rs.actionRules(child, ast.OnUpdate, key)
		for _, c := range key.Columns {
			a.Set = append(a.Set, Computed{Column: c, X: rs.actionDefault(a, c)})
		}
	}
	return a
}

// isInRule reports whether a uniqueness rule of a table reads one of the columns: then it matters in which order rows are rewritten.
func isInRule(t *catalog.Table, columns []int) bool {
	for _, r := range t.UniqueRules() {
		if r.Index != nil && r.Index.Where != nil || slices.ContainsFunc(r.Columns(), func(c int) bool { return c < 0 || slices.Contains(columns, c) }) {
			return true
		}
	}
	return slices.ContainsFunc(columns, t.InKey)
}

// actionDefault binds the default that SET DEFAULT gives a column of the child; nil for none, and for other actions.
func (rs *ruleSet) actionDefault(a *Action, column int) Expr {
	if a.Do != ast.FKSetDefault {
		return nil
	}
	im := &images{new: a.Rules.New, old: a.Rules.Old, context: a.Rules.Context}
	context := rs.context
	rs.context = make([]ContextValue, len(a.Child.Context))
	defer func() { rs.context = context }()
	return rs.defaultOf(a.Child, column, im, nil)
}

// BindFetch plans the lookup of rows of a table by their keys. Keys with NULL are found only with nulls, by a scan of the table.
func BindFetch(t *catalog.Table, nulls bool, env *Env) (*Probe, error) {
	b := NewBinder(env)
	b.stored = true
	p := b.probe(&Probe{Table: t, Columns: t.KeyColumns(), Rows: true, NullSafe: nulls}, pick(b.tableColumns(t), t.KeyColumns()))
	return p, b.err
}

// probe plans a lookup by keys of the given columns' types, of which only as many as the lookup has columns count: by a seek for each key
// where a structure of the table serves, else by one scan past all keys.
func (b *Binder) probe(p *Probe, keys []Column) *Probe {
	if len(keys) > len(p.Columns) {
		keys = pick(keys, p.Columns)
	}
	if b.err == nil && !b.probeBySeek(p, keys) && b.err == nil {
		b.probeByScan(p, keys)
	}
	return p
}

// begin makes the nodes of a lookup: the keys, the table, and the comparisons between them.
func (p *Probe) begin(b *Binder, keys []Column) (scan *Scan, conds []Expr) {
	number := Column{ID: b.newID(), Name: "key", Type: types.TypeInteger}
	p.Keys = &WorkRead{Work: &WorkTable{Name: "keys"}, Cols: append(b.renew(keys), number)}
	scan = b.scan(p.Table, p.Table.Name, ast.NoPos)
	p.By = nil
	op := Eq
	if p.NullSafe {
		op = Is
	}
	for i, c := range p.Columns {
		x := b.compare(ast.NoPos, op, b.ref(scan.Cols[c], ast.NoPos), b.ref(p.Keys.Cols[i], ast.NoPos)).(*Compare)
		conds, p.By = append(conds, x), append(p.By, x.By)
	}
	return scan, conds
}

// finish plans the lookup: the number of the key, then the row's columns.
func (p *Probe) finish(b *Binder, join Node, scan *Scan) {
	cols := p.Keys.Cols[len(p.Keys.Cols)-1:]
	if p.Rows {
		cols = slices.Concat(cols, scan.Cols)
	}
	root := &Project{Input: join}
	for _, c := range cols {
		root.Items = append(root.Items, Item{Column: c, X: b.ref(c, ast.NoPos)})
	}
	o := newOptimizer(b)
	p.Plan = &Plan{Root: o.tree(root), Columns: root.Output()}
	if o.err != nil {
		b.failWith(ast.NoPos, o.err)
	}
}

// probeBySeek plans a seek for each key; false when no structure serves one.
func (b *Binder) probeBySeek(p *Probe, keys []Column) bool {
	scan, conds := p.begin(b, keys)
	scan.Filters = conds
	var found Node = scan
	if !p.Rows { // one row is enough to know
		found = &Limit{Input: scan, Count: b.constant(types.Int(1), types.TypeInteger, ast.NoPos)}
	}
	p.finish(b, &Join{Kind: InnerJoin, Lateral: true, L: p.Keys, R: found}, scan)
	return p.seeks()
}

// seeks reports whether the planned lookup finds rows by their keys.
func (p *Probe) seeks() bool {
	found := false
	if p.Plan.Root != nil {
		walkTree(p.Plan.Root, func(n Node) { found = found || seeks(n) })
	}
	return found
}

// probeByScan plans a scan of the table with the keys remembered.
func (b *Binder) probeByScan(p *Probe, keys []Column) {
	scan, conds := p.begin(b, keys)
	var found Node = &Join{Kind: InnerJoin, L: scan, R: p.Keys, On: conds}
	if p.InOrder {
		number := p.Keys.Cols[len(p.Keys.Cols)-1]
		found = &Sort{Input: found, Keys: []SortKey{{X: b.ref(number, ast.NoPos)}}}
	}
	p.finish(b, found, scan)
}
