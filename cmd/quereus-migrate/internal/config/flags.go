package config

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Flags gives the values of the flags of a command, by name: of the top of the file, in their place those of the environment (the file's
// default one for ""), and those of the section that has the command's name. NOTFOUND for an environment that there is not.
func (f *File) Flags(environment, command string) (map[string][]Value, error) {
	env, err := f.environment(environment)
	if err != nil {
		return nil, err
	}
	out := map[string][]Value{}
	for _, s := range []section{f.root, env, f.root.sections[command]} {
		for name, values := range s.values {
			out[name] = values
		}
		for name, m := range s.mappings {
			out[name] = nil
			for _, key := range slices.Sorted(mapKeys(m)) {
				v := m[key]
				v.Text = key + "=" + v.Text
				out[name] = append(out[name], v)
			}
		}
	}
	for i, v := range out["db"] {
		out["db"][i].Text = f.target(v.Text)
	}
	return out, nil
}

func mapKeys[V any](m map[string]V) func(func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// target gives a target of the file as it is written from the working directory.
func (f *File) target(text string) string {
	prefix, path := "", text
	for _, p := range []string{"sqlite:", "dump:"} {
		if rest, ok := strings.CutPrefix(text, p); ok {
			prefix, path = p, rest
		}
	}
	if path == "" || path == "-" || strings.HasPrefix(path, "mem:") || strings.HasPrefix(path, "git:") || filepath.IsAbs(path) {
		return text
	}
	return prefix + filepath.Join(f.Dir, path)
}

// Paths gives the arguments of a command that was given none: schemas, or tests.
func (f *File) Paths(name string) []string {
	var out []string
	for _, v := range f.root.values[name] {
		out = append(out, f.target(v.Text))
	}
	return out
}

// Reads reports whether a file of a folder is read: it fits include and does not fit exclude. Patterns count from the folder of the
// configuration.
func (f *File) Reads(path string) bool {
	absolute, err := filepath.Abs(path)
	dir, err2 := filepath.Abs(f.Dir)
	if err != nil || err2 != nil {
		return true
	}
	name, err := filepath.Rel(dir, absolute)
	if err != nil {
		return true
	}
	fits := func(v Value) bool {
		ok, err := doublestar.Match(v.Text, filepath.ToSlash(name))
		return ok && err == nil
	}
	include := f.root.values["include"]
	return (len(include) == 0 || slices.ContainsFunc(include, fits)) && !slices.ContainsFunc(f.root.values["exclude"], fits)
}

// checkPatterns refuses patterns that can match nothing.
func (f *File) checkPatterns() error {
	for _, name := range []string{"include", "exclude"} {
		for _, v := range f.root.values[name] {
			if !doublestar.ValidatePattern(v.Text) {
				return v.Fault("%s is no pattern", v.Text)
			}
		}
	}
	return nil
}
