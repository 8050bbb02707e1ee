package differ

import (
	"slices"
	"strconv"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Constraints without a name of their own are told apart by what they say, and addressed by the names that the engine has for them
// (catalog.Table.AddressConstraint).

// pairHidden pairs the declared constraints without a name of their own with live ones that say the same; each counts once.
func (c *comparison) pairHidden(p *tablePair) {
	live := slices.Clone(p.unnamed)
	bodies := make([]string, len(live))
	for i := range live {
		live[i].name = p.after.ConstraintAddress(live[i].ref)
		bodies[i] = live[i].body(p.after)
	}
	taken := map[string]*constraintPair{}
	for _, k := range p.declaredConstraints() {
		body := c.unnamedBody(p, k.node)
		if !catalog.IsHiddenName(k.node.Name.Text) || taken[body] != nil {
			continue
		}
		q := &constraintPair{node: k.node, inline: k.inline}
		taken[body] = q
		p.hidden = append(p.hidden, q)
		for i := range live {
			if q.live == nil && !slices.Contains(p.hiddenLives(), &live[i]) && (bodies[i] == body || c.samePlain(p, &live[i], k.node)) {
				q.live = &live[i]
			}
		}
	}
	named := c.nameUnnamed(p, live, bodies)
	for i := range live {
		if !named[i] && !slices.Contains(p.hiddenLives(), &live[i]) && taken[bodies[i]] == nil && !c.goesWithColumn(p, &live[i]) {
			p.lostConstraints = append(p.lostConstraints, live[i])
		}
	}
}

// nameUnnamed gives live constraints without a name to declared ones that are new and say the same: they are renamed. It reports which.
func (c *comparison) nameUnnamed(p *tablePair, live []storedConstraint, bodies []string) map[int]bool {
	named := map[int]bool{}
	for _, q := range p.constraints {
		if q.live != nil || q.comesWithColumn() {
			continue
		}
		bare := *q.node
		bare.Name = ast.Name{}
		body := c.unnamedBody(p, &bare)
		for i := range live {
			isTaken := named[i] || slices.Contains(p.hiddenLives(), &live[i])
			if q.live == nil && !isTaken && (bodies[i] == body || c.samePlain(p, &live[i], &bare)) {
				q.live, q.oldName, named[i] = &live[i], live[i].name, true
			}
		}
	}
	return named
}

func (p *tablePair) hiddenLives() []*storedConstraint {
	var out []*storedConstraint
	for _, q := range p.hidden {
		if q.live != nil {
			out = append(out, q.live)
		}
	}
	return out
}

// pairs lists the declared constraints that the plan can address, those without a name of their own last.
func (p *tablePair) pairs() []*constraintPair {
	if p.hidden == nil {
		return p.constraints
	}
	return slices.Concat(p.constraints, p.hidden)
}

// nameHidden gives a CHECK that is added without a name one of those that nobody else uses: the engine would give it one that counts as
// written.
func (c *comparison) nameHidden(p *tablePair, node *ast.TableConstraint) *ast.TableConstraint {
	if node.Kind != ast.CheckClause || !node.Name.IsZero() {
		return node
	}
	n := *node
	for i := len(p.live.Checks); n.Name.IsZero(); i++ {
		name := "_check_" + strconv.Itoa(i)
		if !p.minted[name] && !p.live.HasConstraint(name) {
			n.Name = ast.Ident(name)
		}
	}
	if p.minted == nil {
		p.minted = map[string]bool{}
	}
	p.minted[n.Name.Text] = true
	return &n
}

// orderDrop puts the drop or the renaming of an unnamed CHECK, whose address is its place, before drops of CHECKs in front of it.
func (p *tablePair) orderDrop(k *storedConstraint, s *step) {
	if k.ref.Class != catalog.CheckClass {
		return
	}
	d := checkDrop{position: k.ref.Position, isUnnamed: p.after.Checks[k.ref.Position].Name == "", step: s}
	for _, other := range p.checkDrops {
		first, then := &other, &d
		if first.position < then.position {
			first, then = then, first
		}
		if first.isUnnamed {
			link := resource{sequenceOf, first.step.SQL, then.step.SQL}
			first.step.give(link)
			then.step.need(link)
		}
	}
	p.checkDrops = append(p.checkDrops, d)
}

// checkDrop is the drop of a live CHECK.
type checkDrop struct {
	position  int
	isUnnamed bool
	step      *step
}

// isNew reports whether a table's constraint of that name is one that the plan brings.
func (q *constraintPair) isNew() bool { return q.live == nil || q.isRedefined() || q.comesWithColumn() }

// newBodies are what the constraints without a name of their own say that the plan brings.
func (c *comparison) newBodies(p *tablePair) map[string]bool {
	out := map[string]bool{}
	for _, q := range p.hidden {
		if q.isNew() {
			out[c.unnamedBody(p, q.node)] = true
		}
	}
	return out
}

// samePlain reports whether a live constraint says what is declared, in another spelling.
func (c *comparison) samePlain(p *tablePair, k *storedConstraint, node *ast.TableConstraint) bool {
	if k.ref.Class == catalog.ForeignKeyClass && node.Kind == ast.ForeignKeyClause {
		return c.opts.Whole && c.sameKey(p, p.after.ForeignKeys[k.ref.Position], node)
	}
	if k.ref.Class != catalog.CheckClass || node.Kind != ast.CheckClause {
		return false
	}
	return c.sameCheck(p, p.after.Checks[k.ref.Position], node)
}

// keepsHidden reports whether a CHECK of the declared table is the one that a pair declares.
func (q *constraintPair) keepsHidden(k *catalog.Check) bool {
	if catalog.IsHiddenName(k.Name) || catalog.IsHiddenName(q.node.Name.Text) {
		return catalog.NormalCheck(k) == ast.FormatWith(q.node, ast.Options{Compare: true})
	}
	return types.EqualFold(k.Name, q.node.Name.Text)
}
