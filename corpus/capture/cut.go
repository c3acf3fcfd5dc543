package capture

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"strconv"

	"github.com/stillfires/stillfires/corpus"
)

// Bounds of the most bytes of a line that are kept.
const (
	DefaultMaxLine = 4 << 20
	LeastMaxLine   = 1 << 10
	MostMaxLine    = corpus.MaxRecord - maxMark
)

// A line that is cut keeps its first bytes and ends in a mark that says how
// long it was: "…[cut: 20971520 bytes]".
const (
	markBegin = "…[cut: "
	markEnd   = " bytes]"
	maxMark   = 64
)

// appendMark ends a line that was cut.
func appendMark(line []byte, size int64) []byte {
	line = append(line, markBegin...)
	line = strconv.AppendInt(line, size, 10)
	return append(line, markEnd...)
}

// CutSize returns how long a line was before it was cut at limit bytes, and
// whether it was.
func CutSize(line []byte, limit int) (int64, bool) {
	if len(line) <= limit || len(line) > limit+maxMark {
		return 0, false
	}
	rest, ok1 := bytes.CutPrefix(line[limit:], []byte(markBegin))
	rest, ok2 := bytes.CutSuffix(rest, []byte(markEnd))
	if !ok1 || !ok2 {
		return 0, false
	}
	n, err := strconv.ParseInt(string(rest), 10, 64)
	return n, err == nil && n > int64(limit)
}

// CutLine cuts a line that had size bytes, of which line may hold only the
// first, to limit bytes and a mark. What fits is returned as it is.
func CutLine(line []byte, size int64, limit int) []byte {
	if size <= int64(limit) {
		return line
	}
	return appendMark(append(make([]byte, 0, limit+maxMark), line[:limit]...), size)
}

// cutLine returns a line of at most limit bytes and a mark.
func cutLine(line []byte, limit int) []byte {
	if len(line) <= limit {
		return line
	}
	if _, ok := CutSize(line, limit); ok {
		return line
	}
	return CutLine(line, int64(len(line)), limit)
}

// A LineReader cuts what a process writes into lines. A line of more than limit
// bytes is cut and marked, and takes no more memory than that.
type LineReader struct {
	in    *bufio.Reader
	limit int
	line  []byte // begun
	size  int64  // bytes of the line that was begun
	taken int64
}

// NewLineReader returns a reader of the lines of in.
func NewLineReader(in io.Reader, limit int) *LineReader {
	return &LineReader{in: bufio.NewReaderSize(in, 64<<10), limit: limit}
}

// Next returns the next line without its newline, valid until the next call.
// At an error of the input it returns that; what was read of the last line is
// then told by Rest, and Next can be called again where the input may have
// more, as that of a file that grows.
func (l *LineReader) Next() ([]byte, error) {
	if l.size < 0 {
		l.line, l.size = l.line[:0], 0
	}
	for {
		piece, err := l.in.ReadSlice('\n')
		l.taken += int64(len(piece))
		if n := len(piece); n > 0 && piece[n-1] == '\n' {
			if l.size == 0 && n-1 <= l.limit {
				return piece[:n-1], nil
			}
			l.keep(piece[:n-1])
			return l.end(), nil
		}
		l.keep(piece)
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) {
			return nil, err
		}
	}
}

func (l *LineReader) keep(piece []byte) {
	l.size += int64(len(piece))
	if room := l.limit - len(l.line); room > 0 {
		l.line = append(l.line, piece[:min(room, len(piece))]...)
	}
}

// end returns the line that was begun.
func (l *LineReader) end() []byte {
	if l.size > int64(l.limit) {
		l.line = appendMark(l.line, l.size)
	}
	l.size = -1 // to be forgotten by the next call
	return l.line
}

// Rest returns the beginning of a line whose end was not read, nil for none,
// and forgets it.
func (l *LineReader) Rest() []byte {
	if l.size <= 0 {
		return nil
	}
	return l.end()
}

// Taken returns the bytes of all lines that Next returned, with their newlines,
// and of what Rest has or would return.
func (l *LineReader) Taken() int64 { return l.taken }

// Begun returns the bytes of a line whose end was not read yet.
func (l *LineReader) Begun() int64 { return max(l.size, 0) }
