package logql

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/stillfires/stillfires/internal/logs"
)

// countBlock is how much text is read at a time. A longer line makes its block
// longer.
const countBlock = 1 << 20

// ErrLineTooLong is returned for a line that is longer than 1 GiB.
var ErrLineTooLong = errors.New("a line is longer than 1 GiB")

const maxCountLine = 1 << 30

// CountLines returns how many lines of the text in r a log query keeps, as
// grep -c does: no times are needed, and repeats count. The text is that of a
// stream with the given labels; nil takes the selector to match. The lines of
// r are spread over the processors.
func CountLines(ctx context.Context, q *Query, stream logs.Labels, r io.Reader) (int64, error) {
	if !q.IsLog() {
		return 0, errors.New("only the lines of a log query can be counted")
	}
	if stream != nil && !q.plans[0].selector.matches(stream) {
		return 0, nil
	}
	pre := q.prefilter([]logs.Labels{stream})
	blocks := make(chan []byte)
	spare := make(chan []byte, 2*runtime.GOMAXPROCS(0)+1)
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error {
		defer close(blocks)
		return readBlocks(ctx, r, blocks, spare)
	})
	counts := make([]int64, runtime.GOMAXPROCS(0))
	for i := range counts {
		g.Go(func() error {
			c := newLineCounter(q, stream, pre)
			for b := range blocks {
				counts[i] += c.count(b)
				select {
				case spare <- b:
				default:
				}
			}
			return nil
		})
	}
	err := g.Wait()
	total := int64(0)
	for _, n := range counts {
		total += n
	}
	return total, err
}

// readBlocks cuts r into blocks that end at a line end and sends them on. It
// takes its memory from spare where there is some.
func readBlocks(ctx context.Context, r io.Reader, blocks chan<- []byte, spare <-chan []byte) error {
	var rest []byte // the line that the last block ended in
	for {
		var buf []byte
		select {
		case buf = <-spare:
		default:
			buf = make([]byte, 0, countBlock+countBlock/4)
		}
		buf = append(buf[:0], rest...)
		n, err := readMore(r, &buf)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		ended := errors.Is(err, io.EOF)
		cut := len(buf)
		if !ended {
			cut = bytes.LastIndexByte(buf[len(buf)-n:], '\n') + 1 + len(buf) - n
			if cut == len(buf)-n {
				cut = 0 // the line goes on
			}
		}
		rest = append(rest[:0], buf[cut:]...)
		if len(rest) > maxCountLine {
			return ErrLineTooLong
		}
		if cut > 0 {
			select {
			case blocks <- buf[:cut]:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if ended {
			return nil
		}
	}
}

// readMore appends up to a block of text to buf.
func readMore(r io.Reader, buf *[]byte) (int, error) {
	have := len(*buf)
	b := slices.Grow(*buf, countBlock)
	n, err := io.ReadFull(r, b[have:have+countBlock])
	*buf = b[:have+n]
	if errors.Is(err, io.ErrUnexpectedEOF) {
		err = io.EOF
	}
	return n, err
}

// A lineCounter counts the lines of blocks that a query keeps.
type lineCounter struct {
	pre    *Prefilter
	cursor *blockCursor
	run    *Run
	entry  logs.Entry
	kept   int64
}

func newLineCounter(q *Query, stream logs.Labels, pre *Prefilter) *lineCounter {
	c := &lineCounter{pre: pre}
	if pre != nil {
		c.cursor = pre.cursor(nil)
	}
	if pre == nil || !pre.exact {
		set := NewSet([]*Query{q}, Options{AssumeSelectors: true})
		c.run = set.NewRun([]logs.Labels{stream}, []Window{{Start: 0, End: 1}}, c)
	}
	return c
}

func (c *lineCounter) count(block []byte) int64 {
	if c.pre == nil {
		return c.countAll(block)
	}
	c.cursor.begin(block)
	if c.pre.exact {
		n := c.cursor.count()
		if c.pre.negative {
			n = linesOf(block) - n
		}
		return n
	}
	c.kept = 0
	for {
		start, end, ok := c.cursor.line()
		if !ok {
			return c.kept
		}
		c.push(block[start:end])
	}
}

func (c *lineCounter) countAll(block []byte) int64 {
	c.kept = 0
	for len(block) > 0 {
		line := block
		if i := bytes.IndexByte(block, '\n'); i >= 0 {
			line, block = block[:i], block[i+1:]
		} else {
			block = nil
		}
		c.push(line)
	}
	return c.kept
}

func (c *lineCounter) push(line []byte) {
	c.entry.Line = line
	c.run.Push(0, &c.entry)
}

// Match implements [Sink].
func (c *lineCounter) Match(int, int, *Match) { c.kept++ }

// Vector implements [Sink].
func (c *lineCounter) Vector(int, int64, []Sample) {}

func linesOf(block []byte) int64 {
	n := int64(bytes.Count(block, []byte{'\n'}))
	if len(block) > 0 && block[len(block)-1] != '\n' {
		n++
	}
	return n
}
