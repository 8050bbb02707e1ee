package main

import (
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/types/limit"
)

// limitFlags are the flags of every command that set limits; see docs/limits.md.
type limitFlags struct {
	set    *limit.Set // nil while nothing was set
	memory int64      // of --memory, 0 without
}

func (f *limitFlags) add(root *cobra.Command) {
	flags := root.PersistentFlags()
	flags.Func("limit", "set a limit, as `NAME=VALUE` (repeatable; docs/limits.md lists them)", func(text string) error {
		id, n, err := limit.ParseSetting(text)
		if err == nil {
			f.put(id, n)
		}
		return err
	})
	flags.Func("statement-timeout", "end a statement that runs longer than the `DURATION`, such as 30s", func(text string) error {
		d, err := time.ParseDuration(text)
		if err == nil && d < 0 {
			err = types.Errorf(types.ERROR, "it must not be negative")
		}
		f.put(limit.StatementTime, int64((d+time.Millisecond-1)/time.Millisecond))
		return err
	})
	flags.Func("memory", "keep to about `SIZE` of memory, such as 64MiB; what does not fit goes to disk", func(text string) error {
		n, ok := limit.ParseBytes(text)
		if least := limit.Table[limit.StatementMemory].Min; !ok || n < least {
			return types.Errorf(types.ERROR, "write a number of bytes of at least %s, such as 64MiB", limit.FormatBytes(least))
		}
		f.memory = n
		f.put(limit.StatementMemory, n)
		f.put(limit.DatabaseMemory, n)
		debug.SetMemoryLimit(n + memoryBeside)
		return nil
	})
}

// memoryBeside is what the process holds beside what statements do, before the collector works harder: the store's caches and itself.
const memoryBeside = 48 << 20

func (f *limitFlags) put(id limit.ID, n int64) {
	if f.set == nil {
		f.set = limit.Defaults()
	}
	f.set[id] = n
}

// spillAt is how much a sort, a hash or the writes of a transaction hold before they go to disk; 0 for the default. Several of them may be
// at work in one statement.
func (f *limitFlags) spillAt() int64 { return f.memory / 8 }
