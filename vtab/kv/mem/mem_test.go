package mem_test

import (
	"testing"

	"github.com/quereus/quereus-migrate/vtab/kv"
	"github.com/quereus/quereus-migrate/vtab/kv/kvtest"
	"github.com/quereus/quereus-migrate/vtab/kv/mem"
)

func open(*testing.T) kv.Store { return mem.Open() }

func TestStore(t *testing.T) { kvtest.RunStoreTests(t, open) }

func TestTxn(t *testing.T) { kvtest.RunTxnTests(t, open) }
