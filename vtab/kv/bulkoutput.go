package kv

// BulkOutput spreads entries in rising key order over bulk files of one store, so that none grows without end. One goroutine uses
// it. It ends with Finish and Take, or with Abort, also after an error.
type BulkOutput struct {
	Store Store
	// FileBytes is the size at which another file begins.
	FileBytes uint64

	w     BulkWriter // nil between files
	files []BulkFile
}

// Next gives the writer for the next entry.
func (o *BulkOutput) Next() (BulkWriter, error) {
	if o.w != nil && o.w.Bytes() >= o.FileBytes {
		if err := o.finishFile(); err != nil {
			return nil, err
		}
	}
	if o.w == nil {
		w, err := o.Store.NewBulkWriter()
		if err != nil {
			return nil, err
		}
		o.w = w
	}
	return o.w, nil
}

func (o *BulkOutput) finishFile() error {
	f, err := o.w.Finish()
	o.w = nil
	if err != nil {
		return err
	}
	o.files = append(o.files, f)
	return nil
}

// Empty reports whether no entry was asked for yet.
func (o *BulkOutput) Empty() bool { return o.w == nil && len(o.files) == 0 }

// Finish completes the last file, if there is one.
func (o *BulkOutput) Finish() error {
	if o.w == nil {
		return nil
	}
	return o.finishFile()
}

// Take gives the complete files, which are the caller's from then on: Abort leaves them alone.
func (o *BulkOutput) Take() []BulkFile {
	files := o.files
	o.files = nil
	return files
}

// Add takes over complete files of other outputs, whose entries come after those that it has, and before those to come.
func (o *BulkOutput) Add(files []BulkFile) { o.files = append(o.files, files...) }

// Abort removes what was written. The files lie in a directory that is emptied at the next open, so what cannot be removed now
// goes then.
func (o *BulkOutput) Abort() {
	if o.w != nil {
		_ = o.w.Abort()
	}
	for _, f := range o.files {
		_ = f.Remove()
	}
	o.w, o.files = nil, nil
}
