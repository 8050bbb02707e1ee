package schemafile

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// ConfigName is the name, but for its ending, of the tool's configuration, which is no schema file wherever it lies.
const ConfigName = "quereus-migrate"

// Load reads the declaration of one schema from a file, or from all schema files below a folder. It also gives the sources, in the
// order read, for messages. See LoadAll; several schemas are ERROR.
func Load(fsys fs.FS, name string) (*catalog.Declared, []*ast.Source, error) {
	all, sources, err := LoadAll(fsys, name)
	if err != nil {
		return nil, sources, err
	}
	if len(all) > 1 {
		return nil, sources, types.Errorf(types.ERROR, "%s declares more than one schema: '%s' and '%s'", name, all[0].Schema(), all[1].Schema())
	}
	return all[0], sources, nil
}

// LoadAll reads the declarations of all schemas, in the order in which they first occur. They have passed Declared.Check.
//
// Faults in files are *catalog.SourceError. A file without any declaration is a fault, and so is a folder without a schema file:
// what is not there is never an empty schema.
func LoadAll(fsys fs.FS, name string) ([]*catalog.Declared, []*ast.Source, error) {
	sources, err := Sources(fsys, name)
	if err != nil {
		return nil, sources, err
	}
	all, err := Read(sources...)
	return all, sources, err
}

// Sources reads the texts of a schema file, or of all schema files below a folder in order of path; a folder without any is a
// fault. Read takes those of several files and folders together.
func Sources(fsys fs.FS, name string) ([]*ast.Source, error) { return Reader{}.Sources(fsys, name) }

// Reader reads schema files within limits and as long as somebody waits. The zero value has the default limits and hears nobody; it is
// what the functions of its methods' names go by.
type Reader struct {
	// Ctx ends the reading with INTERRUPT when it is done; nil never does.
	Ctx context.Context
	// Limits are those of files and statements, nil for the defaults.
	Limits *limit.Set
	// Reads says whether a file of a folder is one of the schema files, by its path; nil for all.
	Reads func(path string) bool
}

// Sources is the function Sources.
func (r Reader) Sources(fsys fs.FS, name string) ([]*ast.Source, error) {
	names, err := r.fileNames(fsys, name)
	if err != nil {
		return nil, err
	}
	var sources []*ast.Source
	for _, n := range names {
		src, err := r.readFile(fsys, n)
		if err != nil {
			return sources, err
		}
		sources = append(sources, src)
	}
	return sources, nil
}

func (r Reader) readFile(fsys fs.FS, name string) (*ast.Source, error) {
	f, err := fsys.Open(name)
	if err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "schema file %s", name)
	}
	defer f.Close()
	return r.ReadSource(name, f)
}

// ReadSource reads the text of a schema file to its end; TOOBIG beyond the limit of its length, of which no more is read: what is opened as
// a file may be a device or a pipe without an end.
func (r Reader) ReadSource(name string, from io.Reader) (*ast.Source, error) {
	var text strings.Builder
	most := r.Limits.Of(limit.SchemaFileLength)
	if f, ok := from.(fs.File); ok {
		if info, err := f.Stat(); err == nil && info.Mode().IsRegular() {
			text.Grow(int(min(info.Size(), most) + 1)) // at once, for a builder that grows takes a multiple
		}
	}
	n, err := io.Copy(&text, io.LimitReader(hearing{r.Ctx, from}, most+1))
	if err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "schema file %s", name)
	}
	if n > most {
		e := r.Limits.Exceeded(limit.SchemaFileLength, "schema file %s is larger than %d bytes", name, most)
		e.Hint = "divide it into the files of a folder; " + e.Hint
		return nil, e
	}
	return ast.NewSource(name, text.String()), nil
}

// hearing reads until nobody waits any more.
type hearing struct {
	ctx context.Context
	io.Reader
}

func (h hearing) Read(b []byte) (int, error) {
	if h.ctx != nil && h.ctx.Err() != nil {
		return 0, &types.Error{Code: types.INTERRUPT, Message: "interrupted: " + context.Cause(h.ctx).Error()}
	}
	return h.Reader.Read(b)
}

// fileNames lists the schema files that a name means: itself, or those below it in order of path.
func (r Reader) fileNames(fsys fs.FS, name string) ([]string, error) {
	info, err := fs.Stat(fsys, name)
	if err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "schema %s", name)
	}
	if !info.IsDir() {
		return []string{name}, nil
	}
	var names []string
	err = fs.WalkDir(fsys, name, func(p string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case p != name && strings.HasPrefix(d.Name(), "."):
			if d.IsDir() {
				return fs.SkipDir
			}
		case d.IsDir() || !isSchemaFile(d.Name()) || r.Reads != nil && !r.Reads(p):
		case !d.Type().IsRegular():
			// A link may lead out of the folder, and a device or pipe may have no end.
			return fmt.Errorf("%s is no regular file: a folder is read without links, devices and pipes; put the file itself there, or name it", p)
		default:
			names = append(names, p)
		}
		return nil
	})
	if err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "schema folder %s", name)
	}
	if len(names) == 0 {
		return nil, types.Errorf(types.ERROR, "no declaration found: folder %s holds no *.sql, *.yaml or *.yml file", name)
	}
	slices.Sort(names)
	return names, nil
}

// isSchemaFile reports whether a file of a folder is one, by its name.
func isSchemaFile(name string) bool {
	switch ext := strings.ToLower(path.Ext(name)); ext {
	case ".sql":
		return true
	case ".yaml", ".yml":
		return strings.TrimSuffix(strings.ToLower(name), ext) != ConfigName
	}
	return false
}

// Read reads declarations from texts, a source named *.yaml or *.yml as YAML, any other as SQL. The faults of all of them are joined
// (errors.Join). See LoadAll.
func Read(sources ...*ast.Source) ([]*catalog.Declared, error) { return Reader{}.Read(sources...) }

// Read is the function Read.
func (r Reader) Read(sources ...*ast.Source) ([]*catalog.Declared, error) {
	c := collection{reader: r}
	var faults []error
	for _, src := range sources {
		faults = append(faults, c.read(src))
	}
	if err := catalog.JoinFaults(faults...); err != nil {
		return nil, err
	}
	for _, d := range c.schemas {
		faults = append(faults, d.Check())
	}
	if err := catalog.JoinFaults(faults...); err != nil {
		return nil, err
	}
	return c.schemas, nil
}

// collection gathers the declarations of several files.
type collection struct {
	reader  Reader
	schemas []*catalog.Declared
	// parts tells, in step with schemas, what made each so far.
	parts []part
}

// part is the first statement, or the first file, that declares something of a schema. Whole marks a DECLARE SCHEMA, which nothing
// may be added to.
type part struct {
	origin  catalog.Origin
	node    ast.Node
	isWhole bool
}

func (c *collection) read(src *ast.Source) error {
	var err error
	found := false
	switch strings.ToLower(path.Ext(src.Name)) {
	case ".yaml", ".yml":
		found, err = c.readYAML(src)
	default:
		found, err = c.readSQL(src)
	}
	if err == nil && !found {
		err = fileFault(src, "no declaration found: write declare schema %s { … } or create statements; an empty file is no empty schema",
			catalog.MainSchema)
	}
	return err
}

// fileFault is a fault of a file as a whole.
func fileFault(src *ast.Source, format string, args ...any) error {
	return &catalog.SourceError{Source: src, Err: types.Errorf(types.ERROR, format, args...)}
}

// at gives an origin's fault at a node.
func at(o catalog.Origin, n ast.Node, format string, args ...any) error {
	return o.Fault(n, types.Errorf(types.ERROR, format, args...))
}

// schema gives the declaration that a part adds to, which it begins if it is the first.
func (c *collection) schema(name string, p part) (*catalog.Declared, error) {
	i := slices.IndexFunc(c.schemas, func(d *catalog.Declared) bool { return types.EqualFold(d.Name, name) })
	if i < 0 {
		c.schemas, c.parts = append(c.schemas, catalog.NewDeclared(name)), append(c.parts, p)
		return c.schemas[len(c.schemas)-1], nil
	}
	if p.isWhole || c.parts[i].isWhole {
		return nil, c.declaredTwice(i, p)
	}
	return c.schemas[i], nil
}

func (c *collection) declaredTwice(i int, p part) error {
	first := c.parts[i]
	err := types.Errorf(types.ERROR, "schema '%s' is declared more than once (first in %s)", c.schemas[i].Schema(), first.origin.At(first.node))
	return p.origin.FaultBeside(p.node, err, first.origin, first.node, "the first one stands here")
}
