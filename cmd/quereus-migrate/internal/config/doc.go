// Package config reads quereus-migrate.yaml, which holds what the flags of a project's commands would say again and again. One table of
// settings says what may stand in it; the published JSON schema is made of the same table. docs/config.md is the manual.
package config

// Name is the file, looked for in the working directory and then in those above it.
const Name = "quereus-migrate.yaml"

// Kind is what the value of a setting is.
type Kind uint8

// The kinds.
const (
	Text Kind = iota
	// Words is a list of texts, or one text.
	Words
	// Switch is true or false.
	Switch
	// Number is an integer.
	Number
	// Mapping gives texts to names of the user's choice.
	Mapping
	// Section holds the settings of Of; Sections gives one to each of several names.
	Section
	Sections
)

// Setting is one key of the file.
type Setting struct {
	Name    string
	Kind    Kind
	About   string
	Choices []string
	Of      []Setting
}

// common are the settings of the top and of each environment. Each has the name of the flag that it gives a value to.
var common = []Setting{
	{Name: "db", Kind: Text, About: "The database that commands work on; a path counts from this file."},
	{Name: "allow", Kind: Words, About: "Hazards that apply lets through: those of a severity and below, or single ones as CODE or CODE:OBJECT."},
	{Name: "rename-policy", Kind: Text, About: "Renames by hints.", Choices: []string{"allow", "require-hint", "deny"}},
	{Name: "column-order", Kind: Switch, About: "The order of columns is a difference."},
	{Name: "no-undo", Kind: Switch, About: "apply keeps no checkpoint for undo."},
	{Name: "with-seed", Kind: Switch, About: "apply brings the declared seed rows about."},
	{Name: "lock-timeout", Kind: Text, About: "How long to wait for a database that another process has open, as 30s."},
	{Name: "statement-timeout", Kind: Text, About: "Statements that run longer end, as 10m."},
	{Name: "memory", Kind: Text, About: "How much memory to keep to, as 512MiB."},
	{Name: "limit", Kind: Mapping, About: "Limits of docs/limits.md, by name."},
}

// Settings are all keys of the file.
var Settings = append([]Setting{
	{Name: "version", Kind: Number, About: "The version of the form of this file: 1."},
	{Name: "schemas", Kind: Words, About: "Schema files and folders, used where a command is given none; paths count from this file."},
	{Name: "include", Kind: Words, About: "Patterns (with **) of the files of folders that are read; all without it."},
	{Name: "exclude", Kind: Words, About: "Patterns (with **) of the files of folders that are not read."},
	{Name: "tests", Kind: Words, About: "Golden tests of migrations, used where test is given none."},
	{Name: "env", Kind: Text, About: "The environment that is used without --env."},
	{Name: "environments", Kind: Sections, About: "What differs between databases, by name.", Of: common},
	{Name: "lint", Kind: Section, About: "Settings of lint.", Of: []Setting{
		{Name: "severity", Kind: Mapping, About: "Severities of rules, by code: off, info, warning or error."},
		{Name: "fail-on", Kind: Text, About: "Findings of this severity and above make the exit code 1.", Choices: []string{"error", "warning", "info", "never"}},
	}},
}, common...)
