package kv

import "bytes"

// walk answers questions for keys that rise, as those of the rows do that a statement changes in key order: one iterator goes along with
// them, where each would else be a seek through the filters.
type walk struct {
	it     Iterator // stands at the first entry at or after last once it is placed
	own    bool     // whether last lies, and it reads, in the live store
	placed bool
	last   []byte // the key of the last question
	rising int    // how many keys before it rose
}

const (
	risenEnough = 4 // so many keys in a row have to rise before an iterator goes along
	walkSteps   = 4 // so many entries are stepped over before it seeks
)

// getRising is get for keys of which most come after the one before.
func (p *baseProber) getRising(b *base, key, dst []byte) ([]byte, bool, error) {
	reader, _, own := b.part(key)
	w := &p.walk
	rises := w.own == own && bytes.Compare(key, w.last) > 0
	w.last = append(w.last[:0], key...)
	if !rises || w.rising < risenEnough {
		if err := w.leave(own, rises); err != nil {
			return dst, false, err
		}
		return p.get(b, key, dst)
	}
	if w.it == nil {
		it, err := reader.NewIter(IterOptions{})
		if err != nil {
			return dst, false, err
		}
		w.it = it
	}
	if !w.to(key) {
		return dst, false, w.it.Err()
	}
	return append(dst, w.it.Value()...), true, nil
}

// leave notes a question that the walk does not answer.
func (w *walk) leave(own, rises bool) error {
	w.placed = false
	w.rising++
	if !rises {
		w.rising = 0
	}
	if own == w.own {
		return nil
	}
	w.own = own
	return w.close()
}

// to moves to key, which comes after that of the last question, and reports whether there is an entry under it.
func (w *walk) to(key []byte) bool {
	ok := w.placed && w.it.Valid()
	w.placed = true
	for range walkSteps {
		if !ok {
			break
		}
		if c := bytes.Compare(w.it.Key(), key); c >= 0 {
			return c == 0
		}
		ok = w.it.Next()
	}
	return w.it.SeekGE(key) && bytes.Equal(w.it.Key(), key)
}

func (w *walk) close() error {
	if w.it == nil {
		return nil
	}
	err := w.it.Close()
	w.it = nil
	return err
}
