package target

import (
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/differ/planfile"
	"github.com/quereus/quereus-migrate/engine"
	"github.com/quereus/quereus-migrate/types"
)

// PlanFile is a plan file with its name.
type PlanFile struct {
	Name string
	// IsJSON tells that it is JSON, and not YAML.
	IsJSON bool
	*planfile.File
}

// Plans reads a plan file, standard input, or the plan files of a folder (*.yaml, *.yml, *.json) in order of name. Their checksums are
// checked.
func (o Opener) Plans(name string) ([]PlanFile, error) {
	names := []string{name}
	if name != Stdin {
		info, err := os.Stat(name)
		if err != nil {
			return nil, types.Wrapf(types.CANTOPEN, err, "plan %s", name)
		}
		if info.IsDir() {
			if names, err = planNames(name); err != nil {
				return nil, err
			}
		}
	}
	var out []PlanFile
	for _, n := range names {
		p, err := o.Plan(n)
		if err != nil {
			return nil, err
		}
		if err := p.Check(); err != nil {
			return nil, inFile(n, err)
		}
		out = append(out, p)
	}
	return out, nil
}

// HoldsPlans reports whether what bears the name is a plan file or a folder of them, and no schema: YAML or JSON with a checksum over its steps. ERROR
// for a folder that holds both. What cannot be read is no plan; whoever reads it as a schema will tell.
func HoldsPlans(name string) (bool, error) {
	info, err := os.Stat(name)
	if name == Stdin || err != nil {
		return false, nil
	}
	names, plans := []string{name}, 0
	if info.IsDir() {
		if names, err = planNames(name); err != nil {
			return false, nil
		}
	}
	for _, n := range names {
		if looksLikePlan(n) {
			plans++
		}
	}
	if plans > 0 && info.IsDir() {
		if statements, _ := filepath.Glob(filepath.Join(name, "*.sql")); len(statements) > 0 || plans < len(names) {
			return false, types.Errorf(types.ERROR, "folder %s holds plans and schema files; keep them in folders of their own", name)
		}
	}
	return plans > 0, nil
}

// planKey finds a key of the top of a plan file that schema files do not have.
var planKey = regexp.MustCompile(`(?m)^(?:\s*"checksum"\s*:|checksum\s*:)\s*"?sha256:`)

func looksLikePlan(name string) bool {
	if !slices.Contains(planExtensions, strings.ToLower(filepath.Ext(name))) {
		return false
	}
	text, err := Opener{}.readPlan(name)
	return err == nil && planKey.Match(text)
}

// planExtensions are those of the files of a folder that are plans.
var planExtensions = []string{".yaml", ".yml", ".json"}

// Plan reads a plan file, or standard input, whatever its checksum.
func (o Opener) Plan(name string) (PlanFile, error) {
	text, err := o.readPlan(name)
	if err != nil {
		return PlanFile{}, err
	}
	f, err := planfile.Decode(text)
	if err != nil {
		return PlanFile{}, inFile(name, err)
	}
	return PlanFile{name, planfile.IsJSON(text), f}, nil
}

// maxPlanBytes is the size in bytes up to which a plan file is read.
const maxPlanBytes = 256 << 20

func (o Opener) readPlan(name string) ([]byte, error) {
	in := o.Stdin
	if name != Stdin {
		f, err := os.Open(name)
		if err != nil {
			return nil, types.Wrapf(types.CANTOPEN, err, "plan %s", name)
		}
		defer f.Close()
		in = f
	}
	text, err := io.ReadAll(io.LimitReader(in, maxPlanBytes+1))
	if err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "plan %s", name)
	}
	if len(text) > maxPlanBytes {
		return nil, types.Errorf(types.TOOBIG, "plan file %s is larger than %d bytes", name, maxPlanBytes)
	}
	return text, nil
}

// inFile names the file of a fault.
func inFile(name string, err error) error {
	return types.Wrapf(types.CodeOf(err), err, "%s", name)
}

func planNames(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, types.Wrapf(types.CANTOPEN, err, "folder of plans %s", dir)
	}
	var names []string
	for _, e := range entries {
		ext := strings.ToLower(filepath.Ext(e.Name()))
		if !strings.HasPrefix(e.Name(), ".") && e.Type().IsRegular() && slices.Contains(planExtensions, ext) {
			names = append(names, filepath.Join(dir, e.Name()))
		}
	}
	if names == nil {
		return nil, types.Errorf(types.ERROR, "folder %s holds no plan: no *.yaml, *.yml or *.json file", dir)
	}
	return names, nil
}

// PlanSession opens a connection for work with a plan file: the settings that its statements were written under are set.
func PlanSession(db *engine.DB, f *planfile.File) (*engine.Conn, error) {
	conn := db.Conn()
	set := func(name string, v types.Value) error {
		if err := conn.SetOption(name, v); err != nil {
			conn.Close()
			return err
		}
		return nil
	}
	s := f.Settings
	if err := set("default_column_nullability", types.Text(s.Nullability)); err != nil {
		return nil, err
	}
	if err := set("default_collation", types.Text(s.Collation)); err != nil {
		return nil, err
	}
	if s.Module != "" {
		if err := set("default_vtab_module", types.Text(s.Module)); err != nil {
			return nil, err
		}
	}
	if s.ModuleArgs != "" {
		if err := set("default_vtab_args", types.Text(s.ModuleArgs)); err != nil {
			return nil, err
		}
	}
	if s.Nondeterministic {
		if err := set(catalog.NondeterministicSetting, types.True); err != nil {
			return nil, err
		}
	}
	return conn, nil
}
