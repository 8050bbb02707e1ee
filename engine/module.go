package engine

import (
	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab"
)

// module is a registered module with its abilities, found once at registration.
type module struct {
	name       string // folded
	index      int
	vtab       vtab.Module
	creator    vtab.Creator
	alterer    vtab.Alterer
	truncator  vtab.Truncator
	transactor vtab.Transactor
	records    vtab.RecordStore
	planner    vtab.AccessPlanner
}

// ModuleEntry is a module with the name that CREATE TABLE … USING knows it by.
type ModuleEntry struct {
	Name   string
	Module vtab.Module
}

// register adds a module; a name that is taken is MISUSE.
func (db *DB) register(e ModuleEntry) error {
	name := types.Fold(e.Name)
	if db.module(name) != nil {
		return types.Errorf(types.MISUSE, "module %s is registered already", name)
	}
	m := &module{name: name, index: len(db.modules), vtab: e.Module}
	m.creator, _ = e.Module.(vtab.Creator)
	m.alterer, _ = e.Module.(vtab.Alterer)
	m.truncator, _ = e.Module.(vtab.Truncator)
	m.transactor, _ = e.Module.(vtab.Transactor)
	m.records, _ = e.Module.(vtab.RecordStore)
	m.planner, _ = e.Module.(vtab.AccessPlanner)
	db.modules = append(db.modules, m)
	return nil
}

// module finds a registered module by name; nil when there is none. "mem" stands for memory.
func (db *DB) module(name string) *module {
	name = types.Fold(name)
	if name == "mem" {
		name = memoryModule
	}
	for _, m := range db.modules {
		if m.name == name {
			return m
		}
	}
	return nil
}

// moduleOf finds the module of a table; ERROR when nothing is registered under its name.
func (db *DB) moduleOf(t *catalog.Table) (*module, error) {
	if m := db.module(t.Module); m != nil {
		return m, nil
	}
	return nil, types.Errorf(types.ERROR, "No virtual table module named '%s'", t.Module)
}

// The names of the built-in modules.
const (
	memoryModule = "memory"
	storeModule  = "store"
)
