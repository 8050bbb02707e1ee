package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/engine/ast"
)

// choice is the value of a flag that takes one of some words. The first word is the default, unless at says otherwise.
type choice struct {
	words []string
	at    int
}

func newChoice(words ...string) choice { return choice{words: words} }

func (c *choice) String() string { return c.words[c.at] }

func (c *choice) Type() string { return strings.Join(c.words, "|") }

func (c *choice) Set(word string) error {
	at := slices.Index(c.words, word)
	if at < 0 {
		return fmt.Errorf("want %s", strings.Join(c.words, ", "))
	}
	c.at = at
	return nil
}

// add adds the flag to a command, the words for the completion of the shell as well.
func (c *choice) add(cmd *cobra.Command, name, usage string) {
	cmd.Flags().Var(c, name, usage)
	if err := cmd.RegisterFlagCompletionFunc(name, cobra.FixedCompletions(c.words, cobra.ShellCompDirectiveNoFileComp)); err != nil {
		panic(err) // there is such a flag
	}
}

// renamePolicy is the flag --rename-policy.
type renamePolicy struct{ choice }

func (p *renamePolicy) add(cmd *cobra.Command) {
	p.choice = newChoice("allow", "require-hint", "deny")
	p.choice.add(cmd, "rename-policy", "renames by hints: allow; require-hint refuses drops beside creates without one; deny ignores hints")
}

// addColumnOrder adds --column-order.
func addColumnOrder(cmd *cobra.Command, to *bool) {
	cmd.Flags().BoolVar(to, "column-order", false, "put the columns of tables into the declared order too; no row is touched")
}

func (p *renamePolicy) policy() ast.RenamePolicy {
	return [...]ast.RenamePolicy{ast.RenameAllow, ast.RenameRequireHint, ast.RenameDeny}[p.at]
}
