package capture

import (
	"bufio"
	"errors"
	"fmt"
	"io"
)

// errTorn is a last line without its newline: what a writer was at when it was
// ended.
var errTorn = errors.New("the last line is not whole")

// A lineScanner reads the lines of a file of a spool.
type lineScanner struct {
	in   *bufio.Reader
	long []byte
	max  int
	read int64 // bytes of the lines so far
}

func newLineScanner(in io.Reader, limit int) *lineScanner {
	return &lineScanner{in: bufio.NewReaderSize(in, 128<<10), max: limit}
}

// next returns the next line without its newline, valid until the next call;
// io.EOF at the end, errTorn at a last line that has no newline.
func (l *lineScanner) next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	if err == nil {
		l.read += int64(len(line))
		return line[:len(line)-1], nil
	}
	l.long = l.long[:0]
	for errors.Is(err, bufio.ErrBufferFull) {
		l.long = append(l.long, line...)
		if len(l.long) > l.max {
			return nil, fmt.Errorf("a line of more than %d bytes", l.max)
		}
		line, err = l.in.ReadSlice('\n')
	}
	l.long = append(l.long, line...)
	switch {
	case err == nil:
		l.read += int64(len(l.long))
		return l.long[:len(l.long)-1], nil
	case !errors.Is(err, io.EOF):
		return nil, err
	case len(l.long) > 0:
		return nil, errTorn
	}
	return nil, io.EOF
}
