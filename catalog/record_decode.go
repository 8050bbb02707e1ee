package catalog

import (
	"encoding/binary"
	"slices"

	"github.com/quereus/quereus-migrate/engine/ast"
	"github.com/quereus/quereus-migrate/engine/parse"
	"github.com/quereus/quereus-migrate/types"
)

// noIDs numbers nothing: the numbers of what is read from a record are in its header.
type noIDs struct{}

func (noIDs) NewID() ID      { return 0 }
func (noIDs) NewSeq() uint64 { return 0 }

// storedEnv is the environment in which records are read: explicit, whatever the session says, and trusting.
func storedEnv(reg *types.Registry) BuildEnv {
	return BuildEnv{Types: reg, Module: memoryModule, IDs: noIDs{}, stored: true}
}

// PutRecord reads the record of an object and puts the object into the catalog. An object that cannot be read is an error that
// names it and what it lacks; its numbers count as used all the same. The meta record sets schemas and allocators.
func (e *Edit) PutRecord(rec []byte, reg *types.Registry) error {
	kind, _, _, err := openRecord(rec)
	if err != nil {
		return err
	}
	if kind == MetaRecord {
		return e.putMeta(rec)
	}
	h, text, err := DecodeHeader(rec)
	if err != nil {
		return err
	}
	e.SetAllocators(h.used())
	if err := e.putObject(&h, text, reg); err != nil {
		return types.Wrapf(types.CORRUPT, err, "%s %s.%s cannot be read from the catalog", h.Kind, h.Schema, h.Name)
	}
	return nil
}

// used gives allocators behind every number that the object has.
func (h *Header) used() Allocators {
	a := Allocators{ID: h.ID, Seq: h.Seq}
	if h.Table != nil {
		for _, u := range h.Table.Uniques {
			a.ID = max(a.ID, u.ID)
		}
		for _, ix := range h.Table.Indexes {
			a.ID, a.Seq = max(a.ID, ix.ID), max(a.Seq, ix.Seq)
		}
	}
	return Allocators{ID: a.ID + 1, Seq: a.Seq + 1}
}

func (e *Edit) putObject(h *Header, text string, reg *types.Registry) error {
	stmts, err := parse.Stmts(ast.NewSource("", text))
	if err != nil {
		return err
	}
	e.AddSchema(h.Schema)
	switch h.Kind {
	case TableRecord:
		t, err := buildStored(h, stmts, storedEnv(reg))
		if err == nil {
			e.PutTable(t)
		}
		return err
	case ViewRecord:
		if stmt, ok := only[*ast.CreateViewStmt](stmts); ok {
			v := BuildView(stmt, storedEnv(reg))
			v.ID, v.Seq = h.ID, h.Seq
			e.PutView(v)
			return nil
		}
	case AssertionRecord:
		if stmt, ok := only[*ast.CreateAssertionStmt](stmts); ok {
			a := BuildAssertion(stmt, storedEnv(reg))
			a.ID, a.Seq = h.ID, h.Seq
			e.PutAssertion(a)
			return nil
		}
	}
	return errForeignText
}

var errForeignText = types.Errorf(types.CORRUPT, "its text does not define it")

func only[S ast.Stmt](stmts []ast.Stmt) (s S, ok bool) {
	if len(stmts) == 1 {
		s, ok = stmts[0].(S)
	}
	return s, ok
}

// DecodeTable reads the record of a table. Types, collations and the shape of the expressions come from the text, all numbers from
// the header. ERROR when the text names a type or collation that reg does not know.
func DecodeTable(rec []byte, reg *types.Registry) (*Table, error) {
	e := NewSnapshot().Edit()
	if err := e.PutRecord(rec, reg); err != nil {
		return nil, err
	}
	h, _, _ := DecodeHeader(rec)
	if t := e.Snapshot().Table(h.Schema, h.Name); t != nil {
		return t, nil
	}
	return nil, types.Errorf(types.MISUSE, "the record of %s %s.%s is no table's", h.Kind, h.Schema, h.Name)
}

// buildStored builds a table of its statements and gives it the numbers of its header.
func buildStored(h *Header, stmts []ast.Stmt, env BuildEnv) (*Table, error) {
	create, ok := first[*ast.CreateTableStmt](stmts)
	if !ok {
		return nil, errForeignText
	}
	t, err := BuildTable(create, env)
	if err != nil {
		return nil, err
	}
	for _, stmt := range stmts[1:] {
		if err := t.addStored(stmt, env); err != nil {
			return nil, err
		}
	}
	return t, t.setNumbers(h)
}

func first[S ast.Stmt](stmts []ast.Stmt) (s S, ok bool) {
	if len(stmts) > 0 {
		s, ok = stmts[0].(S)
	}
	return s, ok
}

// addStored adds what a statement behind the CREATE TABLE says to a table that nobody else holds.
func (t *Table) addStored(stmt ast.Stmt, env BuildEnv) error {
	switch n := stmt.(type) {
	case *ast.CreateIndexStmt:
		ix, err := BuildIndex(n, t, env)
		if err == nil {
			t.Indexes = append(t.Indexes, ix)
		}
		return err
	case *ast.AlterStmt:
		tags, ok := n.Action.(*ast.TagAction)
		if i := t.StructurePosition(n.Name.Name.Text); ok && i >= 0 {
			t.Uniques[i].StructureTags = BuildTags(tags.Tags)
			return nil
		}
	}
	return errForeignText
}

// setNumbers gives a table that nobody else holds the numbers of its header.
func (t *Table) setNumbers(h *Header) error {
	th := h.Table
	if len(th.Columns) != len(t.Columns) || len(th.Uniques) != len(t.Uniques) || len(th.Indexes) != len(t.Indexes) ||
		t.Schema != h.Schema || t.Name != h.Name {
		return errForeignText
	}
	t.ID, t.Seq, t.Storage = h.ID, h.Seq, th.Storage
	t.Key.Declared = th.KeyDeclared
	if t.Maintained != nil {
		t.Maintained.Declared, t.Maintained.Stale = th.MaintainedDeclared, th.Stale
	}
	for i, c := range t.Columns {
		c.ID, c.Fill = th.Columns[i].ID, th.Columns[i].Fill
		if rank := th.Columns[i].Rank; rank != types.RankNone {
			c.CollationRank = rank
		}
	}
	for i, u := range t.Uniques {
		u.ID, u.Incarnation = th.Uniques[i].ID, th.Uniques[i].Incarnation
	}
	for i, ix := range t.Indexes {
		ix.ID, ix.Seq, ix.Incarnation = th.Indexes[i].ID, th.Indexes[i].Seq, th.Indexes[i].Incarnation
		for j := range ix.Members {
			ix.Members[j].IsWritten = slices.Contains(th.Indexes[i].Collated, j)
		}
	}
	return nil
}

// EncodeMeta gives the record of what belongs to no object: the schemas, in order of creation, and the allocators.
func EncodeMeta(s *Snapshot) []byte {
	b := binary.AppendUvarint(nil, uint64(s.next.ID))
	b = binary.AppendUvarint(b, s.next.Seq)
	b = binary.AppendUvarint(b, uint64(len(s.schemas)))
	for _, name := range s.schemas {
		b = appendText(b, name)
	}
	return sealRecord(MetaRecord, b, "")
}

func (e *Edit) putMeta(rec []byte) error {
	_, header, _, err := openRecord(rec)
	if err != nil {
		return err
	}
	r := headerReader{rest: header}
	a := Allocators{ID: ID(r.number()), Seq: r.number()}
	var schemas []string
	for range r.count() {
		schemas = append(schemas, r.text())
	}
	if r.bad {
		return errBadRecord
	}
	e.SetAllocators(a)
	for _, name := range schemas {
		e.AddSchema(name)
	}
	return nil
}
