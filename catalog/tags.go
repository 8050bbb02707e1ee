package catalog

import (
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// The reserved tags that the catalog itself reads (docs/reference/language.md).
const (
	TagID                  = "quereus.id"
	TagPreviousName        = "quereus.previous_name"
	TagExposeImplicitIndex = "quereus.expose_implicit_index"
	TagEngineManaged       = "quereus.engine_managed"
)

// BuildTags makes a tag bag of what WITH TAGS lists. Of a key that is written twice the last value stands in the first one's
// place. It is nil for no tags.
func BuildTags(list []ast.Tag) Tags {
	var b tagBag
	for _, t := range list {
		b.set(Tag{Key: t.Key.Text, Value: constantValue(t.Value)})
	}
	return b.tags
}

// constantValue gives a constant that stands outside an expression. A real that is whole is the integer of its value, which
// is also how it prints and reads back.
func constantValue(x *ast.Literal) types.Value {
	v := LiteralValue(x)
	if v.Kind() != types.KindReal || !types.IsWhole(v) {
		return v
	}
	if printed := ast.LiteralOf(v); printed.Kind == ast.IntegerLit {
		return LiteralValue(printed)
	}
	return v
}

// Get gives the value of a key; ok tells whether it is there.
func (t Tags) Get(key string) (v types.Value, ok bool) {
	if i := t.index(key); i >= 0 {
		return t[i].Value, true
	}
	return types.Null, false
}

func (t Tags) index(key string) int {
	return slices.IndexFunc(t, func(x Tag) bool { return x.Key == key })
}

// tagBag is a bag that is being filled. One of many tags remembers where they stand.
type tagBag struct {
	tags   Tags
	places map[string]int // by key; nil for few tags
}

// fewTags are found faster one by one.
const fewTags = 16

// set puts a tag into the bag, in the place of the one with its key.
func (b *tagBag) set(tag Tag) {
	if i := b.index(tag.Key); i >= 0 {
		b.tags[i] = tag
		return
	}
	if b.places != nil {
		b.places[tag.Key] = len(b.tags)
	}
	b.tags = append(b.tags, tag)
}

func (b *tagBag) index(key string) int {
	if len(b.tags) < fewTags {
		return b.tags.index(key)
	}
	if b.places == nil {
		b.places = make(map[string]int, 2*len(b.tags))
		for i, t := range b.tags {
			b.places[t.Key] = i
		}
	}
	if i, ok := b.places[key]; ok {
		return i
	}
	return -1
}

// Merged gives the bag with other's tags added or replaced: ADD TAGS.
func (t Tags) Merged(other Tags) Tags {
	b := tagBag{tags: slices.Clone(t)}
	for _, tag := range other {
		b.set(tag)
	}
	return b.tags
}

// Without gives the bag without the named keys: DROP TAGS. NOTFOUND names the keys that are absent; then nothing is dropped.
func (t Tags) Without(keys ...string) (Tags, error) {
	var missing []string
	b := tagBag{tags: t}
	for _, k := range keys {
		if b.index(k) < 0 {
			missing = append(missing, k)
		}
	}
	if missing != nil {
		return nil, types.Errorf(types.NOTFOUND, "Tag key(s) not found: %s", strings.Join(missing, ", "))
	}
	return t.drop(keys...), nil
}

// drop gives the bag without the keys, nil when none is left.
func (t Tags) drop(keys ...string) Tags {
	var out Tags
	var gone map[string]bool
	if len(keys) > fewTags {
		gone = make(map[string]bool, len(keys))
		for _, k := range keys {
			gone[k] = true
		}
	}
	for _, tag := range t {
		if !gone[tag.Key] && (gone != nil || !slices.Contains(keys, tag.Key)) {
			out = append(out, tag)
		}
	}
	return out
}

// AST gives the bag as a WITH TAGS clause lists it.
func (t Tags) AST() []ast.Tag {
	var out []ast.Tag
	for _, tag := range t {
		out = append(out, ast.Tag{Key: ast.Ident(tag.Key), Value: ast.LiteralOf(tag.Value)})
	}
	return out
}

// JSON gives the bag as the compact JSON object that introspection shows, NULL for an empty bag.
func (t Tags) JSON() types.Value {
	if len(t) == 0 {
		return types.Null
	}
	j := &types.JSON{Object: true}
	for _, tag := range t {
		j.Keys = append(j.Keys, tag.Key)
		j.Elems = append(j.Elems, tag.Value)
	}
	return types.Text(types.FormatJSON(types.FromJSON(j)))
}

// Compared gives the tags that a comparison of two definitions looks at, in order of key: all but the rename hints
// (docs/reference/declarative-schema.md).
func (t Tags) Compared() Tags {
	out := t.drop(TagID, TagPreviousName)
	slices.SortFunc(out, func(a, b Tag) int { return strings.Compare(a.Key, b.Key) })
	return out
}

// PreviousNames gives the former names that the bag lists, trimmed, without empty ones.
func (t Tags) PreviousNames() []string {
	v, _ := t.Get(TagPreviousName)
	var names []string
	for _, n := range strings.Split(v.Str(), ",") {
		if n = strings.TrimSpace(n); n != "" {
			names = append(names, n)
		}
	}
	return names
}

// StableID gives the trimmed quereus.id, "" for none.
func (t Tags) StableID() string {
	v, _ := t.Get(TagID)
	return strings.TrimSpace(v.Str())
}

// isSet reports whether the key is there with the value true.
func (t Tags) isSet(key string) bool {
	v, _ := t.Get(key)
	return v.Bool()
}
