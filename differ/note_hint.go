package differ

import (
	"cmp"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/types"
)

// noteIdle says which new subjects carry hints that name nothing. Where nothing is there at all, no hint can name anything.
func (c *comparison) noteIdle(kind, object string, m matching, declared, live []subject) {
	if len(live) == 0 || !c.opts.Whole {
		return
	}
	for _, i := range m.idle {
		d := declared[i]
		c.notes = append(c.notes, Note{Kind: NoteIdleHint, Object: cmp.Or(object, d.name), Message: "the hint of " + kind + " '" + d.name + "' names " +
			quotedNames(d.tags.PreviousNames()) + ", which is not there: it is new"})
	}
}

// noteMisplaced says which hints stand behind a constraint, to which they belong, though a column that goes has the name: m.idle is left with
// the others.
func (c *comparison) noteMisplaced(p *tablePair, m *matching) {
	for i, q := range p.constraints {
		if q.inline == nil || !c.opts.Whole {
			continue
		}
		for _, former := range q.tags.PreviousNames() {
			if slices.ContainsFunc(p.lost, func(at int) bool { return types.EqualFold(p.after.Columns[at].Name, former) }) {
				name := q.node.Name.Text
				c.notes = append(c.notes, Note{Kind: NoteMisplacedHint, Object: p.name, Message: "table " + p.name + ": the hint that names column '" + former +
					"' stands behind constraint '" + name + "' and belongs to that; write the constraint for the table, or `with tags ()` behind it and the tags of column '" +
					q.inline.decl.Name + "' behind that"})
				m.idle = slices.DeleteFunc(m.idle, func(at int) bool { return at == i })
			}
		}
	}
}

func quotedNames(names []string) string {
	return "'" + strings.Join(names, "', '") + "'"
}
