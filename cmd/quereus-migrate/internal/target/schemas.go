package target

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/catalog/schemafile"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
)

// Schemas reads schema files, folders of them, or standard input, all together: what they declare twice is a fault. See
// schemafile.LoadAll.
func (o Opener) Schemas(names ...string) ([]*catalog.Declared, error) {
	if first := slices.Index(names, Stdin); first >= 0 && slices.Contains(names[first+1:], Stdin) {
		return nil, types.Errorf(types.MISUSE, "standard input (-) can be read once only")
	}
	var sources []*ast.Source
	for _, name := range names {
		more, err := o.sources(name)
		if err != nil {
			return nil, err
		}
		sources = append(sources, more...)
	}
	all, err := o.reader().Read(sources...)
	var notes []*catalog.SourceError
	for _, d := range all {
		notes = append(notes, d.Notes...)
	}
	if len(notes) > 0 && o.Notes != nil {
		o.Notes(notes)
	}
	return all, err
}

// Schema is Schemas where only one schema may be declared: UNSUPPORTED for more.
func (o Opener) Schema(names ...string) (*catalog.Declared, error) {
	all, err := o.Schemas(names...)
	if err != nil {
		return nil, err
	}
	if len(all) > 1 {
		return nil, types.Errorf(types.UNSUPPORTED, "schemas '%s' and '%s' are declared, but only one schema can be applied at a time",
			all[0].Schema(), all[1].Schema())
	}
	return all[0], nil
}

func (o Opener) sources(name string) ([]*ast.Source, error) {
	switch {
	case name == Stdin:
		src, err := o.reader().ReadSource(StdinName, o.Stdin)
		if err != nil {
			return nil, err
		}
		return []*ast.Source{src}, nil
	case IsForeign(name):
		src, err := o.foreignSource(name)
		if err != nil {
			return nil, err
		}
		return []*ast.Source{src}, nil
	case IsDatabase(name):
		return nil, types.Errorf(types.MISUSE, "%s is a database, where a schema file or a folder of them is wanted", name)
	}
	if IsGit(name) {
		return gitSources(name)
	}
	return o.reader().Sources(files{}, name)
}

func (o Opener) reader() schemafile.Reader {
	return schemafile.Reader{Ctx: o.Ctx, Limits: o.Limits, Reads: o.Reads}
}

// SQLFiles reads the SQL files that a name means, those of a folder without its YAML files.
func (o Opener) SQLFiles(name string) ([]*ast.Source, error) {
	sources, err := o.sources(name)
	if err != nil {
		return nil, err
	}
	if len(sources) == 1 && sources[0].Name == name && isYAML(name) {
		return nil, types.Errorf(types.MISUSE, "%s is a YAML file, where SQL is wanted", name)
	}
	return slices.DeleteFunc(sources, func(s *ast.Source) bool { return isYAML(s.Name) }), nil
}

func isYAML(name string) bool {
	ext := strings.ToLower(path.Ext(name))
	return ext == ".yaml" || ext == ".yml"
}

// files are the files of the operating system under the names that users write, absolute ones and those with .. included.
type files struct{}

func (files) Open(name string) (fs.File, error) { return os.Open(name) }
