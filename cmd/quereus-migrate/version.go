package main

import (
	"fmt"
	"runtime/debug"

	"github.com/spf13/cobra"
)

func newVersionCmd(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  cobra.NoArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			_, err := fmt.Fprintf(a.Out, "quereus-migrate %s\n", version())
			return err
		},
	}
}

// version gives the version of the module that the program was built from; of a build out of a checkout, what the build noted.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok || info.Main.Version == "" {
		return "(devel)"
	}
	return info.Main.Version
}

// toolName is how the history of a database calls this program.
func toolName() string { return "quereus-migrate " + version() }
