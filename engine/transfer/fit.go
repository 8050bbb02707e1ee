package transfer

import (
	"context"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/catalog/schemafile"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// fit leaves out what the engine does not take, clause by clause, notes why, and writes the text.
func (s *shaping) fit(ctx context.Context) error {
	db, err := engine.OpenMemory(ctx, engine.Options{})
	if err != nil {
		return err
	}
	defer db.Close()
	f := &fitting{shaping: s, conn: db.Conn()}
	defer f.conn.Close()
	for _, d := range s.drafts {
		if err := f.table(d); err != nil {
			return err
		}
	}
	if err := f.foreignKeys(); err != nil {
		return err
	}
	f.fitViews()
	s.out.Text = f.text()
	if len(s.drafts) == 0 {
		return types.Errorf(types.ERROR, "%s holds no table", s.source.Name())
	}
	_, err = f.verify(s.out.Text)
	return err
}

type fitting struct {
	*shaping
	conn *engine.Conn
	// varies is set once something needs the pragma.
	varies bool
	fitted []string // views
}

const variesPragma = "pragma " + catalog.NondeterministicSetting + " = true;\n\n"

// verify judges a text as a schema file is judged.
func (f *fitting) verify(text string) (*catalog.Declared, error) {
	all, err := schemafile.Read(ast.NewSource("", text))
	if err != nil {
		return nil, err
	}
	d := all[0]
	if err := f.conn.SetOption(catalog.NondeterministicSetting, types.Bool(d.Nondeterministic())); err != nil {
		return nil, err
	}
	_, err = f.conn.Verify(d, nil)
	return d, err
}

// fits judges a text, with the pragma if it needs it.
func (f *fitting) fits(text string) error {
	_, err := f.verify(text)
	if err == nil {
		return nil
	}
	if _, again := f.verify(variesPragma + text); again == nil {
		f.varies = true
		return nil
	}
	return err
}

// table leaves out what keeps a table from being made: each clause is tried on the bare table.
func (f *fitting) table(d *draftTable) error {
	whole := d.withoutKeys()
	if f.fits(whole.text()) == nil {
		return f.indexes(d)
	}
	bare := d.bare()
	if err := f.fits(bare.text()); err != nil {
		return types.Wrapf(types.CodeOf(err), err, "table %s", d.name)
	}
	for i, c := range d.columns {
		c.clauses = f.keep(d.name+"."+c.name, c.clauses, func(k *clause) error {
			bare.columns[i].clauses = []*clause{k}
			defer func() { bare.columns[i].clauses = nil }()
			return f.fits(bare.text())
		})
	}
	d.constraints = f.keep(d.name, d.constraints, func(k *clause) error {
		if isForeignKey(k) || k.what == "key" {
			return nil
		}
		with := *bare
		with.constraints = append(slices.Clone(bare.constraints), k)
		return f.fits(with.text())
	})
	return f.indexes(d)
}

func isForeignKey(k *clause) bool { return strings.HasPrefix(k.what, "FOREIGN KEY") }

// keep gives the clauses that pass a test, and notes the others.
func (f *fitting) keep(object string, clauses []*clause, test func(*clause) error) []*clause {
	var out []*clause
	for _, k := range clauses {
		if err := test(k); err != nil {
			f.note(LeftOut, object, k.was, "%s: %s", k.what, firstLine(err))
			continue
		}
		out = append(out, k)
	}
	return out
}

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}

func (f *fitting) indexes(d *draftTable) error {
	if d.indexes == nil {
		return nil
	}
	base := d.withoutKeys().text()
	d.indexes = f.keep(d.name, d.indexes, func(k *clause) error { return f.fits(base + k.text + ";\n") })
	return nil
}

// foreignKeys leaves out the foreign keys that do not fit their parents, if all of them together do not.
func (f *fitting) foreignKeys() error {
	if f.fits(f.text()) == nil {
		return nil
	}
	bare := func() string {
		var b strings.Builder
		for _, d := range f.drafts {
			b.WriteString(d.withoutKeys().text())
		}
		return b.String()
	}()
	for _, d := range f.drafts {
		d.constraints = f.keep(d.name, d.constraints, func(k *clause) error {
			if !isForeignKey(k) {
				return nil
			}
			with := d.withoutKeys()
			with.constraints = append(with.constraints, k)
			return f.fits(strings.Replace(bare, d.withoutKeys().text(), with.text(), 1))
		})
	}
	return nil
}

// fitViews takes the views that can be planned, again and again as long as more of them can: one may read another.
func (f *fitting) fitViews() {
	waiting, why := f.views, map[*clause]error{}
	base := f.text()
	for progress := true; progress; {
		progress = false
		var later []*clause
		for _, v := range waiting {
			if why[v] = f.fits(base + v.text + ";\n"); why[v] != nil {
				later = append(later, v)
				continue
			}
			progress = true
			f.fitted = append(f.fitted, v.text)
			base += v.text + ";\n"
		}
		waiting = later
	}
	for _, v := range waiting {
		f.note(LeftOut, strings.TrimPrefix(v.what, "view "), v.was, "view: %s", firstLine(why[v]))
	}
}

// text writes the whole schema.
func (f *fitting) text() string {
	var b strings.Builder
	if f.varies {
		b.WriteString(variesPragma)
	}
	for _, d := range f.drafts {
		b.WriteString(d.text())
		for _, ix := range d.indexes {
			b.WriteString(ix.text + ";\n")
		}
	}
	for _, v := range f.fitted {
		b.WriteString(v + ";\n")
	}
	return b.String()
}

// bare gives a copy of the table with its columns and its key alone.
func (d *draftTable) bare() *draftTable {
	out := &draftTable{name: d.name}
	for _, c := range d.columns {
		plain := *c
		plain.clauses = nil
		out.columns = append(out.columns, &plain)
	}
	for _, k := range d.constraints {
		if k.what == "key" {
			out.constraints = append(out.constraints, k)
		}
	}
	return out
}

// withoutKeys gives a copy without foreign keys.
func (d *draftTable) withoutKeys() *draftTable {
	out := &draftTable{name: d.name, columns: d.columns}
	for _, k := range d.constraints {
		if !isForeignKey(k) {
			out.constraints = append(out.constraints, k)
		}
	}
	return out
}

func (d *draftTable) text() string {
	var b strings.Builder
	b.WriteString("create table " + ast.FormatName(d.name) + " (")
	for i, c := range d.columns {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  " + c.text())
	}
	for _, k := range d.constraints {
		b.WriteString(",\n  " + k.text)
	}
	b.WriteString("\n);\n")
	return b.String()
}

func (c *draftColumn) text() string {
	text := ast.FormatName(c.name) + " " + c.typ
	if c.isNull {
		text += " null"
	} else {
		text += " not null"
	}
	if c.collation != "" && (c.typ == "text" || c.typ == "any") {
		text += " collate " + c.collation
	}
	text += c.key
	for _, k := range c.clauses {
		text += " " + k.text
	}
	return text
}
