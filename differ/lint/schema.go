package lint

import (
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Rule is something that objects are looked at for.
type Rule struct {
	Code     string
	Severity Severity
	// Summary says in a line what it finds.
	Summary string
	check   func(*pass)
}

// Rules lists the rules in order of their codes.
func Rules() []Rule { return slices.Clone(rules) }

// IsCode reports whether there is a rule, or a hazard of plans, with this code.
func IsCode(code string) bool {
	return strings.HasPrefix(code, HazardPrefix) || slices.ContainsFunc(rules, func(r Rule) bool { return r.Code == code })
}

// Options say what is looked at.
type Options struct {
	// Severities replaces those of rules, by code; Off leaves a rule out.
	Severities map[string]Severity
}

func (o Options) severity(code string, normal Severity) Severity {
	if s, ok := o.Severities[code]; ok {
		return s
	}
	return normal
}

// Schemas looks at what is declared. cat is what a database would be that has all of it. The findings are ordered by their place, without
// those that the texts suppress. It takes time linear in the schemas, for each rule.
func Schemas(declared []*catalog.Declared, cat *catalog.Snapshot, o Options) []Finding {
	p := pass{cat: cat, options: o}
	for _, d := range declared {
		p.schema = d.Schema()
		for _, item := range d.Items {
			p.look(item)
		}
	}
	sortFindings(p.found)
	return unsuppressed(p.found)
}

// pass is one look at one item.
type pass struct {
	cat     *catalog.Snapshot
	options Options
	schema  string

	rule  *Rule
	item  catalog.DeclaredItem
	name  ast.QName
	table *catalog.Table // of a CREATE TABLE and of a CREATE INDEX; nil where it is not known
	found []Finding
}

func (p *pass) look(item catalog.DeclaredItem) {
	p.item, p.table = item, nil
	switch s := item.Stmt.(type) {
	case *ast.CreateTableStmt:
		p.name, p.table = s.Name, p.cat.Table(p.schema, s.Name.Name.Text)
	case *ast.CreateIndexStmt:
		p.name, p.table = s.Name, p.cat.Table(p.schema, s.Table.Name.Text)
	case *ast.CreateViewStmt:
		p.name = s.Name
	case *ast.CreateMaterializedViewStmt:
		p.name = s.Name
	case *ast.CreateAssertionStmt:
		p.name = s.Name
	}
	for i := range rules {
		p.rule = &rules[i]
		if p.options.severity(p.rule.Code, p.rule.Severity) != Off {
			p.rule.check(p)
		}
	}
}

// report notes a finding at a node of the item.
func (p *pass) report(n ast.Node, message, avoid string) {
	f := Finding{
		Rule: p.rule.Code, Severity: p.options.severity(p.rule.Code, p.rule.Severity), Object: p.name.Name.Text, Message: message, Avoid: avoid,
	}
	f.setPlace(p.item.Origin, n)
	p.found = append(p.found, f)
}

// stmtTable gives the item where it is a table that is built.
func (p *pass) stmtTable() (*ast.CreateTableStmt, *catalog.Table) {
	s, ok := p.item.Stmt.(*ast.CreateTableStmt)
	if !ok || p.table == nil {
		return nil, nil
	}
	return s, p.table
}

// columnDef gives what declares a column; nil if it is not there.
func columnDef(s *ast.CreateTableStmt, name string) *ast.ColumnDef {
	for _, c := range s.Columns {
		if types.EqualFold(c.Name.Text, name) {
			return c
		}
	}
	return nil
}

// HazardPrefix begins the codes of findings that are hazards of a plan.
const HazardPrefix = "hazard/"

// Hazards gives the hazards of a plan as findings, at the declared items that its steps serve.
func Hazards(plan *differ.Plan, o Options) []Finding {
	var out []Finding
	for i := range plan.Steps {
		s := &plan.Steps[i]
		for _, h := range s.Hazards {
			code := HazardPrefix + string(h.Code)
			f := Finding{Rule: code, Severity: o.severity(code, hazardSeverity(h.Severity)), Object: s.Object, Message: h.Message, Avoid: h.Avoid}
			if s.Item != nil {
				f.setPlace(s.Origin, s.Item)
			}
			if f.Severity != Off {
				out = append(out, f)
			}
		}
	}
	sortFindings(out)
	return unsuppressed(out)
}

func hazardSeverity(s differ.Severity) Severity {
	switch s {
	case differ.Destructive, differ.Failure:
		return Error
	case differ.Warning:
		return Warning
	}
	return Info
}
