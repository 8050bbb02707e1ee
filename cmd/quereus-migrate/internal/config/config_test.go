package config

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
	"gopkg.in/yaml.v3"
)

var update = flag.Bool("update", false, "write the published JSON schema anew")

const published = "../../../../docs/quereus-migrate.schema.json"

func read(t *testing.T, text string) (*File, error) {
	path := filepath.Join(t.TempDir(), Name)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	return Read(path)
}

const whole = `
version: 1
schemas: [schemas, extra/one.sql]
exclude: "schemas/drafts/**"
env: local
lint: { fail-on: warning, severity: { select-star: error } }
lock-timeout: 5s
limit: { columns: 10 }
environments:
  local: { db: data, allow: [warning, "DS101:t"] }
  production: { db: "${CONFIG_TEST_DB}", lock-timeout: "${CONFIG_TEST_WAIT:-1m}", memory: a$$b }
`

func texts(values []Value) (out []string) {
	for _, v := range values {
		out = append(out, v.Text)
	}
	return out
}

func TestFlags(t *testing.T) {
	t.Setenv("CONFIG_TEST_DB", "/srv/shop")
	f, err := read(t, whole)
	require.NoError(t, err)
	local, err := f.Flags("", "apply")
	require.NoError(t, err)
	require.Equal(t, []string{filepath.Join(f.Dir, "data")}, texts(local["db"]))
	require.Equal(t, []string{"warning", "DS101:t"}, texts(local["allow"]))
	require.Equal(t, []string{"5s"}, texts(local["lock-timeout"]))
	require.Equal(t, []string{"columns=10"}, texts(local["limit"]))
	require.Empty(t, local["fail-on"])
	production, err := f.Flags("production", "lint")
	require.NoError(t, err)
	require.Equal(t, []string{"/srv/shop"}, texts(production["db"]))
	require.Equal(t, []string{"1m"}, texts(production["lock-timeout"]))
	require.Equal(t, []string{"a$b"}, texts(production["memory"]))
	require.Equal(t, []string{"select-star=error"}, texts(production["severity"]))
	require.Equal(t, []string{filepath.Join(f.Dir, "schemas"), filepath.Join(f.Dir, "extra/one.sql")}, f.Paths("schemas"))
	require.True(t, f.Reads(filepath.Join(f.Dir, "schemas/a.sql")))
	require.False(t, f.Reads(filepath.Join(f.Dir, "schemas/drafts/deep/a.sql")))
	_, err = f.Flags("nowhere", "apply")
	require.ErrorContains(t, err, "no environment nowhere")
}

func TestFaultsHaveTheirPlaces(t *testing.T) {
	for text, want := range map[string]string{
		"shemas: x":                       ":1:1: there is no setting shemas in the file; did you mean schemas?",
		"environments:\n  a: { dbb: x }":  ":2:8: there is no setting dbb in environments.a; did you mean db?",
		"db: [a]":                         ":1:5: db wants one value",
		"db:":                             ":1:4: db wants one value",
		"db: ${CONFIG_TEST_NONE}":         ":1:5: the environment has no variable CONFIG_TEST_NONE",
		"rename-policy: maybe":            ":1:16: rename-policy is maybe; want allow, require-hint, deny",
		"column-order: yes":               ":1:15: column-order is true or false",
		"env: a\nenvironments: { b: {} }": ":1:6: there is no environment a",
		"db: a\ndb: b":                    ":2:1: db is set twice",
		"version: 2":                      ":1:10: version 2 of the form is not known",
		"exclude: '[a'":                   ":1:10: [a is no pattern",
		"- a":                             ":1:1: the file is a mapping of settings",
		"a: b: c":                         "no YAML",
	} {
		f, err := read(t, text)
		if err == nil {
			_, err = f.Flags("", "apply")
		}
		require.ErrorContains(t, err, want, text)
	}
}

func TestPublishedSchema(t *testing.T) {
	if *update {
		require.NoError(t, os.WriteFile(published, JSONSchema(), 0o644))
	}
	text, err := os.ReadFile(published)
	require.NoError(t, err)
	require.Equal(t, string(JSONSchema()), string(text), "go test ./cmd/quereus-migrate/internal/config -update writes it anew")
}

// TestSchemaAgreesWithReader judges texts by the JSON schema and by the reader.
func TestSchemaAgreesWithReader(t *testing.T) {
	t.Setenv("CONFIG_TEST_DB", "x")
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(JSONSchema()))
	require.NoError(t, err)
	c := jsonschema.NewCompiler()
	require.NoError(t, c.AddResource("config.json", doc))
	schema, err := c.Compile("config.json")
	require.NoError(t, err)
	for text, isGood := range map[string]bool{
		whole: true, "shemas: x": false, "db: [a]": false, "rename-policy: maybe": false, "lint: { fail-on: never }": true, "lint: { x: y }": false,
		"environments: { a: { db: x, allow: y } }": true, "environments: { a: { schemas: x } }": false, "version: 2": false, "column-order: 1": false,
	} {
		var v any
		require.NoError(t, yaml.Unmarshal([]byte(text), &v))
		_, err := read(t, text)
		require.Equal(t, isGood, err == nil, "reader: %s: %v", text, err)
		require.Equal(t, isGood, schema.Validate(v) == nil, "schema: %s: %v", text, schema.Validate(v))
	}
}
