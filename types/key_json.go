package types

// Key bytes of documents in a JSON column. Their order is CompareJSON's:
//
//	null, false, true   a tag
//	number, string      as elsewhere, strings as they are
//	array               tag, the elements, 0x00
//	object              tag, the sorted keys each as a string, 0x00, the values in that order
//
// Tags are above 0x00, so the shorter of two lists is first. Once two objects agree on their keys they have as many
// values, so those need no end.
const endOfList = 0x00

// appendDocument appends a JSON document. A BLOB, which no document holds, goes where CompareJSON puts it.
func appendDocument(dst []byte, v Value) []byte {
	switch jsonRankOf(v) {
	case jsonNull:
		return append(dst, tagJSONNull)
	case jsonFalse:
		return append(dst, tagJSONFalse)
	case jsonTrue:
		return append(dst, tagJSONTrue)
	case jsonArray:
		return appendArray(dst, v.JSON())
	case jsonObject:
		return appendObject(dst, v.JSON())
	}
	plain := KeyPart{}
	return plain.appendPlain(dst, v)
}

func appendArray(dst []byte, j *JSON) []byte {
	dst = append(dst, tagArray)
	for _, e := range j.Elems {
		dst = appendDocument(dst, e)
	}
	return append(dst, endOfList)
}

func appendObject(dst []byte, j *JSON) []byte {
	order := j.sortedKeys()
	dst = append(dst, tagObject)
	for i := range j.Keys {
		dst = appendEscaped(append(dst, tagText), j.Keys[at(order, i)])
	}
	dst = append(dst, endOfList)
	for i := range j.Elems {
		dst = appendDocument(dst, j.Elems[at(order, i)])
	}
	return dst
}
