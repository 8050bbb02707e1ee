package main

import (
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/cmd/quereus-migrate/internal/config"
)

// configFlags are the flags of every command that say which configuration is used.
type configFlags struct {
	file, env string
	none      bool
	read      *config.File // nil without one
}

func (c *configFlags) add(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&c.file, "config", "", "configuration; without it "+config.Name+" in the working directory or above it")
	f.BoolVar(&c.none, "no-config", false, "use no configuration")
	f.StringVar(&c.env, "env", "", "environment of the configuration")
	root.MarkFlagsMutuallyExclusive("config", "no-config")
	root.MarkFlagsMutuallyExclusive("env", "no-config")
	err := root.RegisterFlagCompletionFunc("env", func(*cobra.Command, []string, string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if c.load() != nil || c.read == nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		return c.read.Environments(), cobra.ShellCompDirectiveNoFileComp
	})
	if err != nil {
		panic(err) // there is such a flag
	}
}

// load reads the configuration, if there is one.
func (c *configFlags) load() error {
	path := c.file
	if path == "" && !c.none {
		here, err := os.Getwd()
		if err != nil {
			return err
		}
		if path = config.Find(here); path != "" {
			if path, err = filepath.Rel(here, path); err != nil {
				return err
			}
		}
	}
	if path == "" {
		if c.env != "" {
			return &usageError{"--env names an environment of " + config.Name + ", and there is none here or above: init writes one"}
		}
		return nil
	}
	read, err := config.Read(path)
	if err == nil {
		c.read = read
	}
	return err
}

// unconfigured are the commands that work on no project.
var unconfigured = map[string]bool{"version": true, "completion": true, "help": true, "init": true, "fmt": true}

// fill gives the flags that were not given the values of the configuration.
func (c *configFlags) fill(cmd *cobra.Command) error {
	if unconfigured[cmd.Name()] {
		return nil
	}
	if err := c.load(); err != nil || c.read == nil {
		return err
	}
	values, err := c.read.Flags(c.env, cmd.Name())
	if err != nil {
		return err
	}
	for name, list := range values {
		f := cmd.Flags().Lookup(name)
		if f == nil || f.Changed || name == "env" || name == "db" && (isGiven(cmd, "from") || isGiven(cmd, "to")) {
			continue
		}
		for _, v := range list {
			if err := cmd.Flags().Set(name, v.Text); err != nil {
				return v.Fault("%s: %s", name, err)
			}
		}
	}
	return nil
}

func isGiven(cmd *cobra.Command, flag string) bool {
	f := cmd.Flags().Lookup(flag)
	return f != nil && f.Changed
}

// takesPaths is the annotation of a command that takes paths of the configuration where it is given none; its value is the setting.
const takesPaths = "paths"

// arguments gives the arguments of a command: those of the configuration where it takes them and has none.
func (c *configFlags) arguments(cmd *cobra.Command, args []string) []string {
	if c.read == nil || len(args) > 0 || cmd.Annotations[takesPaths] == "" || isGiven(cmd, "from") || isGiven(cmd, "to") || isGiven(cmd, "plan") {
		return args
	}
	return c.read.Paths(cmd.Annotations[takesPaths])
}

// reads says which files of folders are schema files, nil for all.
func (c *configFlags) reads() func(string) bool {
	if c.read == nil {
		return nil
	}
	return c.read.Reads
}
