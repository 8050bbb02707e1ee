package differ

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// subject is one object, column or constraint as matching sees it.
type subject struct {
	name string
	tags catalog.Tags
}

// matching says which live subject each declared one is (docs/reference/declarative-schema.md).
type matching struct {
	// of gives the position of the live subject for each declared one, -1 for a new one.
	of []int
	// left are the positions of live subjects that nothing declared is, ascending.
	left []int
	// idle are the positions of new declared subjects whose hints name nothing that is there.
	idle []int
}

// match finds the live subjects of one kind and scope that the declared ones are: by name, else by a hint. A conflict is ERROR at the
// declared subject that makes it; at gives its place. kind is the singular. With whole a hint has done its work when both names are there and
// declared, other than in a circle: the old name is used again.
func match(policy ast.RenamePolicy, kind string, whole bool, declared, live []subject, at func(i int, err error) error) (matching, error) {
	m := matching{of: make([]int, len(declared))}
	var byID map[string]int
	if policy != ast.RenameDeny {
		var err error
		if byID, err = liveIDs(kind, live); err != nil {
			return m, err
		}
	}
	names, claimed := newNameIndex(live), make([]bool, len(live))
	for i, d := range declared {
		same, hint := names.find(d.name, i), -1
		if policy != ast.RenameDeny && len(d.tags) > 0 {
			hint = hinted(d, byID, names)
			if whole && same >= 0 && hint >= 0 && hint != same && hasDone(i, declared, live, byID, names) {
				hint = same
			}
			if same < 0 && hint < 0 && len(d.tags.PreviousNames()) > 0 {
				m.idle = append(m.idle, i)
			}
		}
		found, conflict := same, ""
		switch {
		case same >= 0 && hint >= 0 && hint != same:
			conflict = "it exists, and its hint names '" + live[hint].name + "', which exists too; do it in two applies"
		case same < 0:
			found = hint
		}
		if conflict == "" && found >= 0 && claimed[found] {
			conflict = "'" + live[found].name + "' is already claimed by another declaration"
		}
		if conflict != "" {
			return m, at(i, types.Errorf(types.ERROR, "Rename conflict for %s '%s': %s", kind, d.name, conflict))
		}
		if m.of[i] = found; found >= 0 {
			claimed[found] = true
		}
	}
	for i, is := range claimed {
		if !is {
			m.left = append(m.left, i)
		}
	}
	return m, nil
}

// liveIDs indexes the live subjects by their quereus.id.
func liveIDs(kind string, live []subject) (map[string]int, error) {
	var byID map[string]int
	for i, s := range live {
		if len(s.tags) == 0 {
			continue
		}
		id := s.tags.StableID()
		if id == "" {
			continue
		}
		if _, taken := byID[id]; taken {
			plural := map[string]string{"index": "indexes"}[kind]
			if plural == "" {
				plural = kind + "s"
			}
			return nil, types.Errorf(types.ERROR, "Duplicate quereus.id '%s' on %s in actual catalog", id, plural)
		}
		if byID == nil {
			byID = map[string]int{}
		}
		byID[id] = i
	}
	return byID, nil
}

// hinted gives the live subject that the hints of a declared one point at, -1 for none: the id goes before former names, and its
// own name is no former one.
func hinted(d subject, byID map[string]int, names nameIndex) int {
	if id := d.tags.StableID(); id != "" {
		if i, ok := byID[id]; ok {
			return i
		}
	}
	for _, former := range d.tags.PreviousNames() {
		if types.EqualFold(former, d.name) {
			continue
		}
		if i := names.find(former, -1); i >= 0 {
			return i
		}
	}
	return -1
}

// hasDone reports whether the hint of a declared subject that is there by name has done its work: what it names is declared by that name
// too, and the hints from there on do not lead back, as they do where names are to be exchanged.
func hasDone(i int, declared, live []subject, byID map[string]int, names nameIndex) bool {
	if id := declared[i].tags.StableID(); id != "" {
		if _, ok := byID[id]; ok {
			return false
		}
	}
	own := newNameIndex(declared)
	for at, steps := i, 0; steps <= len(declared); steps++ {
		hint := hinted(declared[at], byID, names)
		if hint < 0 || types.EqualFold(live[hint].name, declared[at].name) {
			return true
		}
		if at = own.find(live[hint].name, -1); at < 0 || at == i {
			return false
		}
	}
	return false
}

// nameIndex finds subjects by name in any case: by scanning short lists, by a map in long ones.
type nameIndex struct {
	list  []subject
	byKey map[string]int
}

// scanLimit is the length up to which a list is scanned.
const scanLimit = 12

func newNameIndex(list []subject) nameIndex {
	x := nameIndex{list: list}
	if len(list) > scanLimit {
		x.byKey = make(map[string]int, len(list))
		for i := len(list) - 1; i >= 0; i-- {
			x.byKey[types.Fold(list[i].name)] = i
		}
	}
	return x
}

// find gives the position of a name, -1 for none. guess is where it most likely stands, -1 for no guess.
func (x nameIndex) find(name string, guess int) int {
	if guess >= 0 && guess < len(x.list) && types.EqualFold(x.list[guess].name, name) {
		return guess
	}
	if x.byKey != nil {
		if i, ok := x.byKey[types.Fold(name)]; ok {
			return i
		}
		return -1
	}
	for i := range x.list {
		if types.EqualFold(x.list[i].name, name) {
			return i
		}
	}
	return -1
}

// isNamed reports whether a name that is written means the folded one.
func isNamed(n ast.Name, folded string) bool { return !n.IsZero() && types.EqualFold(n.Text, folded) }
