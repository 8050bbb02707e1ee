package differ

import (
	"fmt"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// noteTables says what is left alone in each matched table.
func (c *comparison) noteTables() {
	for _, p := range c.tables {
		if !p.comparesShape() {
			continue
		}
		if !c.opts.Whole {
			c.noteUnnamed(p)
		}
		c.noteModule(p)
		c.noteColumnOrder(p)
		if !c.opts.Whole {
			c.noteNullability(p)
			c.noteConflictActions(p)
			c.noteDeferral(p)
			c.noteContext(p)
		}
	}
}

// unnamedBody gives what a declared constraint without an address says, as storedConstraint.body does.
func (c *comparison) unnamedBody(p *tablePair, node *ast.TableConstraint) string {
	if node.Kind == ast.UniqueClause {
		if u, err := catalog.BuildUnique(node, p.decl); err == nil {
			return catalog.NormalUnique(p.decl, u)
		}
	}
	return ast.FormatWith(node, ast.Options{Compare: true, Schema: c.schema})
}

// noteUnnamed compares the constraints that have no name to address them by, as sets. Those that go with a column or come with one
// are carried out.
func (c *comparison) noteUnnamed(p *tablePair) {
	live := make([]string, len(p.unnamed))
	for i, k := range p.unnamed {
		live[i] = k.body(p.after)
	}
	var declared, missing []string
	for _, k := range p.declaredConstraints() {
		if !catalog.IsHiddenName(k.node.Name.Text) {
			continue
		}
		body := c.unnamedBody(p, k.node)
		comes := k.inline != nil && (k.inline.live < 0 || k.inline.rebuilt)
		if !comes && !slices.Contains(live, body) && !slices.Contains(declared, body) {
			missing = append(missing, body)
		}
		declared = append(declared, body)
	}
	for i, k := range p.unnamed {
		if !slices.Contains(declared, live[i]) && !c.goesWithColumn(p, &k) {
			declared = append(declared, live[i])
			c.noteRule(p, "%s stays: it has no name of its own and is not declared", live[i]+addressed(k.name))
		}
	}
	for _, body := range missing {
		c.noteRule(p, "%s is declared without a name and is not added: give it one", body)
	}
}

// addressed tells under which generated name a constraint can be dropped by hand.
func addressed(name string) string {
	if name == "" {
		return ""
	}
	return " (" + ast.FormatName(name) + ")"
}

func (c *comparison) noteRule(p *tablePair, format, body string) {
	c.note(p, NoteUnnamedConstraint, true, fmt.Sprintf("table %s: "+format, p.name, body))
}

// goesWithColumn reports whether a live constraint without an address is gone once the columns of the table are dropped.
func (c *comparison) goesWithColumn(p *tablePair, k *storedConstraint) bool {
	if k.ref.Class == catalog.CheckClass {
		return c.holdsColumnBack(p, k)
	}
	ended := p.endedColumns()
	for _, name := range k.columns(p.after) {
		if slices.Contains(ended, p.after.ColumnIndex(name)) {
			return true
		}
	}
	return false
}

func (c *comparison) noteModule(p *tablePair) {
	if p.def.Using == nil || p.decl.Maintained != nil || p.isMovedTo {
		return
	}
	live, declared := catalog.NormalModule(p.live), catalog.NormalModule(p.decl)
	if live != declared {
		c.note(p, NoteModule, true, fmt.Sprintf("table %s stays where it is: %s, declared %s; a table is not moved between modules",
			p.name, live, declared))
	}
}

// noteColumnOrder compares the order that the columns will have with the declared one.
func (c *comparison) noteColumnOrder(p *tablePair) {
	if !p.reordered && !c.hasDeclaredOrder(p) {
		c.note(p, NoteColumnOrder, false, fmt.Sprintf("table %s: its columns keep their order, which is not the declared one", p.name))
	}
}

func (c *comparison) noteNullability(p *tablePair) {
	for _, q := range p.columns {
		if q.live < 0 || q.rebuilt || !catalog.LeavesNullabilityOpen(q.def) || q.from.NotNull == q.decl.NotNull {
			continue
		}
		words := map[bool]string{true: "NOT NULL", false: "NULL"}
		c.note(p, NoteOpenNullability, false, fmt.Sprintf(
			"column %s.%s stays %s: the declaration leaves it open, and a fresh table would have it %s",
			p.name, q.decl.Name, words[q.from.NotNull], words[q.decl.NotNull]))
	}
}

func (c *comparison) noteConflictActions(p *tablePair) {
	if p.after.Key.OnConflict != p.decl.Key.OnConflict {
		c.note(p, NoteConflictAction, false,
			fmt.Sprintf("table %s: the ON CONFLICT action of its key stays as it is and differs from the declared one", p.name))
	}
	for _, q := range p.columns {
		if q.live >= 0 && !q.rebuilt && q.from.NotNullConflict != q.decl.NotNullConflict {
			c.note(p, NoteConflictAction, false, fmt.Sprintf(
				"column %s.%s: the ON CONFLICT action of its nullability stays as it is and differs from the declared one", p.name, q.decl.Name))
		}
	}
}

func (c *comparison) noteDeferral(p *tablePair) {
	for _, q := range p.constraints {
		if q.live == nil || q.isRedefined() || q.live.ref.Class != catalog.ForeignKeyClass {
			continue
		}
		i := slices.IndexFunc(p.decl.ForeignKeys, func(fk *catalog.ForeignKey) bool { return types.EqualFold(fk.Name, q.node.Name.Text) })
		if i >= 0 && p.decl.ForeignKeys[i].IsDeferred() != p.after.ForeignKeys[q.live.ref.Position].IsDeferred() {
			c.note(p, NoteDeferral, false, fmt.Sprintf(
				"foreign key %s of table %s: its deferral stays as it is and differs from the declared one", q.node.Name.Text, p.name))
		}
	}
}

func (c *comparison) noteContext(p *tablePair) {
	if contextText(p.after) != contextText(p.decl) {
		c.note(p, NoteContext, false,
			fmt.Sprintf("table %s: its mutation context stays as it is and differs from the declared one", p.name))
	}
}

func contextText(t *catalog.Table) string {
	var b strings.Builder
	for _, v := range t.Context {
		fmt.Fprintf(&b, "%s %s %t;", types.Fold(v.Name), v.Type.Name, v.NotNull)
	}
	return b.String()
}
