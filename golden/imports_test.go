package golden

import (
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const modulePath = "github.com/quereus/quereus-migrate"

// floors is the picture of the house: a package imports packages of lower floors, and of its own floor only where peers says so.
var floors = map[string]int{
	"types": 0, "types/invariant": 0, "types/limit": 0,
	"engine/ast": 1, "engine/parse": 1, "engine/resolve": 1, "engine/resolve/resolvetest": 1, "engine/format": 1, "catalog": 1, "catalog/schemafile": 1,
	"vtab": 2, "vtab/kv/internal/memtree": 2, "vtab/kv": 2, "vtab/kv/mem": 2, "vtab/kv/pebble": 2, "vtab/kv/pebble/crashtest": 2, "vtab/kv/kvtest": 2, "vtab/store": 2, "vtab/vtabtest": 2,
	"engine/function": 3, "engine/plan": 3, "engine/exec": 3,
	"alter": 4, "differ": 4, "differ/planfile": 4, "differ/lint": 4, "differ/report": 4,
	"engine":                  5,
	"engine/transfer/foreign": 6, "engine/transfer": 6, "engine/transfer/sqlite": 6, "engine/transfer/dump": 6, "engine/transfer/export": 6,
	"golden": 6, "engine/sqldriver": 6, "engine/sqlitelaw": 6,
	"cmd/quereus-migrate": 7, "cmd/quereus-migrate/internal/config": 7, "cmd/quereus-migrate/internal/target": 7, "cmd/quereus-migrate/internal/term": 7, "cmd/quereus-migrate/internal/findings": 7,
}

// peers are the imports allowed within a floor.
var peers = map[string][]string{
	"types":                  {"types/invariant"},
	"engine/parse":           {"engine/ast"},
	"engine/resolve":         {"engine/ast"},
	"engine/format":          {"engine/ast", "engine/parse"},
	"catalog":                {"engine/ast", "engine/parse", "engine/resolve"},
	"catalog/schemafile":     {"catalog", "engine/ast", "engine/parse"},
	"vtab/kv":                {"vtab/kv/internal/memtree"},
	"vtab/kv/mem":            {"vtab/kv", "vtab/kv/internal/memtree"},
	"vtab/kv/pebble":         {"vtab/kv"},
	"vtab/kv/kvtest":         {"vtab/kv"},
	"vtab/store":             {"vtab", "vtab/kv"},
	"vtab/vtabtest":          {"vtab"},
	"engine/plan":            {"engine/function"},
	"engine/exec":            {"engine/function", "engine/plan"},
	"differ/planfile":        {"differ"},
	"differ/lint":            {"differ"},
	"differ/report":          {"differ"},
	"engine/transfer":        {"engine/transfer/foreign"},
	"engine/transfer/dump":   {"engine/transfer", "engine/transfer/foreign"},
	"engine/transfer/sqlite": {"engine/transfer", "engine/transfer/foreign"},
	"types/limit":            {"types"},
	"cmd/quereus-migrate": {
		"cmd/quereus-migrate/internal/config", "cmd/quereus-migrate/internal/findings", "cmd/quereus-migrate/internal/target", "cmd/quereus-migrate/internal/term"},
	"cmd/quereus-migrate/internal/target": {"cmd/quereus-migrate/internal/term"},
}

// homes are the only packages that may import an outside package, so that it can be replaced there.
var homes = map[string][]string{
	"github.com/cockroachdb/pebble/v2":  {"vtab/kv/pebble", "vtab/kv/pebble/crashtest"},
	"github.com/tidwall/btree":          {"catalog", "vtab/kv/internal/memtree"},
	"github.com/spf13/cobra":            {"cmd/quereus-migrate"},
	"gopkg.in/yaml.v3":                  {"catalog/schemafile", "differ/planfile", "cmd/quereus-migrate/internal/findings", "cmd/quereus-migrate/internal/config"},
	"golang.org/x/text":                 {"types"},
	"github.com/owenrumney/go-sarif/v3": {"cmd/quereus-migrate/internal/findings"},
	"github.com/sergi/go-diff":          {"golden", "differ/report"},
	"modernc.org/sqlite":                {"engine/transfer/sqlite"},
}

func TestImportsPointDownward(t *testing.T) {
	out, err := exec.Command("go", "list", "-f", `{{.ImportPath}} {{join .Imports " "}}`, modulePath+"/...").Output()
	require.NoError(t, err)
	for line := range strings.Lines(string(out)) {
		words := strings.Fields(line)
		pkg := strings.TrimPrefix(words[0], modulePath+"/")
		floor, known := floors[pkg]
		if !known {
			t.Errorf("package %s has no floor: add it to the table, or to the package it belongs to", pkg)
			continue
		}
		for _, imp := range words[1:] {
			checkImport(t, pkg, floor, imp)
		}
	}
}

func checkImport(t *testing.T, pkg string, floor int, imp string) {
	t.Helper()
	if own, ok := strings.CutPrefix(imp, modulePath+"/"); ok {
		if floors[own] > floor || floors[own] == floor && !slices.Contains(peers[pkg], own) {
			t.Errorf("%s (floor %d) imports %s (floor %d)", pkg, floor, own, floors[own])
		}
		return
	}
	for outside, allowed := range homes {
		if (imp == outside || strings.HasPrefix(imp, outside+"/")) && !slices.Contains(allowed, pkg) {
			t.Errorf("%s imports %s, whose home is %v", pkg, imp, allowed)
		}
	}
}
