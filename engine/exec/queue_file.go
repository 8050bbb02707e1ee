package exec

import (
	varint "encoding/binary"

	"github.com/quereus/quereus-migrate/catalog"
	"github.com/quereus/quereus-migrate/types"
	"github.com/quereus/quereus-migrate/vtab/kv"
)

// queueBatch is how many checks are read from files at a time.
const queueBatch = 2048

// queueFile holds checks that wait, in their order.
type queueFile struct {
	run *kv.Run
	// len is how many of them still count: those behind were rolled back.
	len int
	// rules are the numbers of the rules in it.
	rules map[int]bool
}

// file moves the checks in memory to a file.
func (q *Queue) file(dir spillDir) error {
	w, err := dir.create(0)
	if err != nil {
		return err
	}
	f := &queueFile{len: len(q.entries), rules: map[int]bool{}}
	var buf []byte
	for _, e := range q.entries {
		n := q.number(e.rule)
		f.rules[n] = true
		buf = varint.AppendUvarint(buf[:0], uint64(n))
		for _, row := range []types.Row{e.row, e.key} {
			buf = varint.AppendUvarint(buf, uint64(len(row)))
			buf = appendRow(buf, row)
		}
		if err := w.Set(nil, buf); err != nil {
			return firstError(err, w.Abort())
		}
	}
	if f.run, err = w.Finish(); err != nil {
		return err
	}
	q.files = append(q.files, f)
	q.filed += f.len
	clear(q.entries)
	q.entries, q.bytes = q.entries[:0], 0
	return nil
}

// number gives the number by which files know a rule.
func (q *Queue) number(r rule) int {
	n, ok := q.numbers[r]
	if !ok {
		if q.numbers == nil {
			q.numbers = map[rule]int{}
		}
		n = len(q.rules)
		q.numbers[r] = n
		q.rules = append(q.rules, r)
	}
	return n
}

// cutFiles forgets all checks in files but the first n.
func (q *Queue) cutFiles(n int) error {
	var err error
	for q.filed > n {
		last := len(q.files) - 1
		f := q.files[last]
		if q.filed-f.len < n {
			f.len -= q.filed - n
			q.filed = n
			break
		}
		q.filed -= f.len
		q.files = q.files[:last]
		err = firstError(err, f.run.Close())
	}
	return err
}

// each calls f for every check of a rule that is wanted, of any if want is nil, in the order in which they were queued.
func (q *Queue) each(want func(rule) bool, f func(queued) error) error {
	wanted := make([]bool, len(q.rules))
	for i, r := range q.rules {
		wanted[i] = want == nil || want(r)
	}
	for _, file := range q.files {
		if err := q.eachFiled(file, wanted, f); err != nil {
			return err
		}
	}
	for _, e := range q.entries {
		if want != nil && !want(e.rule) {
			continue
		}
		if err := f(e); err != nil {
			return err
		}
	}
	return nil
}

func (q *Queue) eachFiled(file *queueFile, wanted []bool, f func(queued) error) error {
	any := false
	for n := range file.rules {
		any = any || wanted[n]
	}
	if !any {
		return nil
	}
	it := file.run.NewIter(kv.Span{})
	ok := it.First()
	for range file.len {
		if !ok {
			return it.Err()
		}
		b := it.Value()
		n, used := varint.Uvarint(b)
		if wanted[n] {
			e := queued{rule: q.rules[n]}
			var err error
			if e.row, b, err = decodeQueued(b[used:]); err == nil {
				e.key, _, err = decodeQueued(b)
			}
			if err == nil {
				err = f(e)
			}
			if err != nil {
				return err
			}
		}
		ok = it.Next()
	}
	return it.Err()
}

// decodeQueued reads a row with its length before it; its memory is its own.
func decodeQueued(b []byte) (row types.Row, rest []byte, err error) {
	n, used := varint.Uvarint(b)
	if b = b[used:]; n == 0 {
		return nil, b, nil
	}
	row = make(types.Row, n)
	for i := range row {
		if row[i], b, err = catalog.DecodeValue(b); err != nil {
			return nil, nil, err
		}
	}
	return row, b, nil
}
