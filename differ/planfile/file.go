// Package planfile turns plans into files for review, and back: YAML or JSON, versioned, with a checksum over the content.
// docs/plan-file.md describes the files, Schema is their JSON schema.
package planfile

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Format is the version of the files that are written. Every lower one is read.
const Format = 1

// File is the content of a plan file. The same plan gives the same bytes.
type File struct {
	Format int    `json:"format" yaml:"format"`
	Schema string `json:"schema" yaml:"schema"`
	// Version is the declared version, "" without one.
	Version string `json:"version,omitempty" yaml:"version,omitempty"`
	// From and To are the hashes of the schema before and after; To is "" when the target cannot be built.
	From     string   `json:"from" yaml:"from"`
	To       string   `json:"to" yaml:"to"`
	Settings Settings `json:"settings" yaml:"settings"`
	Steps    []Step   `json:"steps" yaml:"steps"`
	Notes    []Note   `json:"notes,omitempty" yaml:"notes,omitempty"`
	// Checksum is that of everything else: see Sum.
	Checksum string `json:"checksum" yaml:"checksum"`
}

// Settings are the session settings that the statements mean something under.
type Settings struct {
	Nullability string `json:"nullability" yaml:"nullability"`
	Collation   string `json:"collation" yaml:"collation"`
	Module      string `json:"module,omitempty" yaml:"module,omitempty"`
	// ModuleArgs is a JSON object, "" for none.
	ModuleArgs       string `json:"module_args,omitempty" yaml:"module_args,omitempty"`
	RenamePolicy     string `json:"rename_policy" yaml:"rename_policy"`
	Nondeterministic bool   `json:"nondeterministic,omitempty" yaml:"nondeterministic,omitempty"`
}

// Step is a statement of a plan.
type Step struct {
	// Step is its number, from 1; 0 for one that was written in and not sealed yet.
	Step      int    `json:"step,omitempty" yaml:"step,omitempty"`
	Statement string `json:"statement" yaml:"statement"`
	Kind      string `json:"kind,omitempty" yaml:"kind,omitempty"`
	Object    string `json:"object,omitempty" yaml:"object,omitempty"`
	Reason    string `json:"reason,omitempty" yaml:"reason,omitempty"`
	Effect    string `json:"effect,omitempty" yaml:"effect,omitempty"`
	// Rows is how many rows the effect concerns, nil when nobody knows or it concerns none.
	Rows *int64 `json:"rows,omitempty" yaml:"rows,omitempty"`
	// Fills is in how many rows a value takes the place of NULL, 0 for none and when nobody counted.
	Fills   int64    `json:"fills,omitempty" yaml:"fills,omitempty"`
	Hazards []Hazard `json:"hazards,omitempty" yaml:"hazards,omitempty"`
	// After are the numbers of the steps that must run before, ascending.
	After []int `json:"after,omitempty" yaml:"after,omitempty,flow"`
}

// Hazard is one of a step. Examples are left out: they hold values of rows.
type Hazard struct {
	Code     string `json:"code" yaml:"code"`
	Name     string `json:"name" yaml:"name"`
	Severity string `json:"severity" yaml:"severity"`
	Message  string `json:"message" yaml:"message"`
	Avoid    string `json:"avoid,omitempty" yaml:"avoid,omitempty"`
}

// Note is what the comparison found and no statement says.
type Note struct {
	Kind       string `json:"kind" yaml:"kind"`
	Object     string `json:"object" yaml:"object"`
	Message    string `json:"message" yaml:"message"`
	Difference bool   `json:"difference,omitempty" yaml:"difference,omitempty"`
}

// About is what a file says and a plan does not know.
type About struct {
	Version          string
	Nondeterministic bool
}

// New gives the sealed file of a plan that was made with hashes.
func New(p *differ.Plan, about About) *File {
	f := &File{Format: Format, Schema: p.Schema, Version: about.Version, From: p.From, To: p.To, Settings: newSettings(p.Settings, about.Nondeterministic), Steps: []Step{}}
	for i := range p.Steps {
		f.Steps = append(f.Steps, newStep(&p.Steps[i], i+1))
	}
	for _, n := range p.Notes {
		f.Notes = append(f.Notes, Note{string(n.Kind), n.Object, n.Message, n.Difference})
	}
	f.Checksum = f.Sum()
	return f
}

var renamePolicies = map[ast.RenamePolicy]string{
	ast.RenameAllow: "allow", ast.RenameRequireHint: "require-hint", ast.RenameDeny: "deny",
}

func newSettings(s differ.Settings, nondeterministic bool) Settings {
	out := Settings{Nullability: "not_null", Collation: s.Collation, Module: s.Module, RenamePolicy: renamePolicies[s.Policy], Nondeterministic: nondeterministic}
	if s.Nullable {
		out.Nullability = "nullable"
	}
	if len(s.ModuleArgs) > 0 {
		args := &types.JSON{Object: true}
		for _, a := range s.ModuleArgs {
			args.Keys, args.Elems = append(args.Keys, a.Key), append(args.Elems, a.Value)
		}
		out.ModuleArgs = types.ToText(types.FromJSON(args))
	}
	return out
}

func newStep(s *differ.Step, number int) Step {
	out := Step{Step: number, Statement: s.SQL, Kind: s.Kind.String(), Object: s.Object, Reason: s.Reason, Effect: s.Effect.Kind.String()}
	if s.Effect.Kind != differ.MetadataOnly && s.Effect.Rows != differ.Unknown {
		rows := s.Effect.Rows
		out.Rows, out.Fills = &rows, s.Effect.Fills
	}
	for _, h := range s.Hazards {
		out.Hazards = append(out.Hazards, Hazard{h.Code.Info().ID, string(h.Code), h.Severity.String(), h.Message, h.Avoid})
	}
	for _, a := range s.After {
		out.After = append(out.After, a+1)
	}
	return out
}

// Sum gives the checksum of the content: the SHA-256 of its compact JSON without the checksum. Comments, layout, and whether the file is YAML
// or JSON do not count.
func (f *File) Sum() string {
	bare := *f
	bare.Checksum = ""
	text, err := json.Marshal(&bare)
	if err != nil {
		panic(err) // texts, numbers and truth values have a form
	}
	sum := sha256.Sum256(append([]byte("quereus-migrate plan\n"), text...))
	return "sha256:" + hex.EncodeToString(sum[:])
}

// Check tells whether the content is what was sealed: CORRUPT when not.
func (f *File) Check() error {
	if want := f.Sum(); f.Checksum != want {
		return &types.Error{
			Code:    types.CORRUPT,
			Message: "the plan is not what was sealed: its checksum is that of another content",
			Hint:    "if the change is meant, look at it once more and run: quereus-migrate plan seal FILE",
		}
	}
	return nil
}

// Plan gives the plan that a sealed file holds. CORRUPT for one that is not what was sealed, FORMAT for content that means nothing.
func (f *File) Plan() (*differ.Plan, error) {
	if err := f.Check(); err != nil {
		return nil, err
	}
	p := &differ.Plan{Schema: f.Schema, From: f.From, To: f.To}
	var err error
	if p.Settings, err = f.Settings.plan(); err != nil {
		return nil, err
	}
	for i := range f.Steps {
		s, err := f.Steps[i].plan(i + 1)
		if err != nil {
			return nil, err
		}
		p.Steps = append(p.Steps, s)
	}
	for _, n := range f.Notes {
		p.Notes = append(p.Notes, differ.Note{Kind: differ.NoteKind(n.Kind), Object: n.Object, Message: n.Message, Difference: n.Difference})
	}
	return p, nil
}

func (s *Settings) plan() (differ.Settings, error) {
	out := differ.Settings{Nullable: s.Nullability == "nullable", Collation: s.Collation, Module: s.Module}
	if !out.Nullable && s.Nullability != "not_null" {
		return out, unknown("settings.nullability", s.Nullability)
	}
	for policy, word := range renamePolicies {
		if word == s.RenamePolicy {
			out.Policy = policy
		}
	}
	if renamePolicies[out.Policy] != s.RenamePolicy {
		return out, unknown("settings.rename_policy", s.RenamePolicy)
	}
	if s.ModuleArgs == "" {
		return out, nil
	}
	v, err := types.ParseJSON(s.ModuleArgs)
	if err != nil || v.JSON() == nil || !v.JSON().Object {
		return out, unknown("settings.module_args", s.ModuleArgs)
	}
	for i, key := range v.JSON().Keys {
		out.ModuleArgs = append(out.ModuleArgs, catalog.ModuleArg{Key: key, Value: v.JSON().Elems[i]})
	}
	return out, nil
}

// plan gives the step of a sealed file at its place, from 1.
func (s *Step) plan(place int) (differ.Step, error) {
	out, err := s.parse()
	if err != nil {
		return out, err
	}
	if s.Step != place || out.SQL != s.Statement {
		return out, types.Errorf(types.FORMAT, "step %d of the plan is not in the form that a sealed plan has", place)
	}
	if out.Kind.String() != s.Kind || out.Object != s.Object {
		return out, types.Errorf(types.FORMAT, "step %d is about %s %s, the plan says %s %s", place, out.Kind, out.Object, s.Kind, s.Object)
	}
	out.Reason = s.Reason
	if out.Effect, err = s.effect(); err != nil {
		return out, err
	}
	if out.Hazards, err = s.hazards(); err != nil {
		return out, err
	}
	for _, a := range s.After {
		if a < 1 || a >= place || len(out.After) > 0 && a-1 <= out.After[len(out.After)-1] {
			return out, types.Errorf(types.FORMAT, "step %d cannot run after step %d", place, a)
		}
		out.After = append(out.After, a-1)
	}
	return out, nil
}

func (s *Step) effect() (differ.Effect, error) {
	e := differ.Effect{Rows: differ.Unknown}
	kind, ok := effects[s.Effect]
	switch {
	case !ok:
		return e, unknown("effect", s.Effect)
	case kind == differ.MetadataOnly:
		e.Rows = 0
	case s.Rows != nil:
		e.Rows = *s.Rows
	}
	e.Kind, e.Fills = kind, s.Fills
	return e, nil
}

var effects, severities = map[string]differ.EffectKind{}, map[string]differ.Severity{}

func init() {
	for k := differ.MetadataOnly; k <= differ.WritesRows; k++ {
		effects[k.String()] = k
	}
	for s := differ.Info; s <= differ.Destructive; s++ {
		severities[s.String()] = s
	}
}

func (s *Step) hazards() ([]differ.Hazard, error) {
	var out []differ.Hazard
	for _, h := range s.Hazards {
		severity, ok := severities[h.Severity]
		if !ok {
			return nil, unknown("severity", h.Severity)
		}
		code := differ.HazardCode(h.Name)
		if code.Info().ID != h.Code || h.Code == "" {
			return nil, unknown("hazard", h.Code+" "+h.Name)
		}
		out = append(out, differ.Hazard{Code: code, Severity: severity, Message: h.Message, Avoid: h.Avoid})
	}
	return out, nil
}

func unknown(what, value string) error {
	return types.Errorf(types.FORMAT, "a plan knows no %s %s", what, fmt.Sprintf("%q", value))
}
