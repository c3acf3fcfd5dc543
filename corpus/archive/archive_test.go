package archive

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// A file is a member with its content.
type file struct {
	tar.Header
	text string
}

func plain(name, text string) file { return file{tar.Header{Name: name}, text} }

// build returns a tar archive.
func build(t testing.TB, files ...file) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := f.Header
		h.Mode = 0o644
		if h.Size == 0 {
			h.Size = int64(len(f.text))
		}
		if err := w.WriteHeader(&h); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, f.text); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func packed(t testing.TB, text []byte) []byte {
	t.Helper()
	enc, err := zstd.NewWriter(nil, zstd.WithWindowSize(1<<20))
	if err != nil {
		t.Fatal(err)
	}
	defer enc.Close()
	return enc.EncodeAll(text, nil)
}

func gzipped(t testing.TB, text []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// walk returns what Walk hands on, one member a line.
func walk(text []byte, opt Options) (string, error) {
	var b strings.Builder
	err := Walk(context.Background(), "x.tar", bytes.NewReader(text), opt, func(m Member, content io.Reader) error {
		text, err := io.ReadAll(content)
		switch {
		case m.Dir:
			fmt.Fprintf(&b, "%s/\n", m.Name)
		case m.Link != "":
			fmt.Fprintf(&b, "%s -> %s\n", m.Name, m.Link)
		default:
			fmt.Fprintf(&b, "%s: %s\n", m.Name, text)
		}
		return err
	})
	return b.String(), err
}

func TestWalk(t *testing.T) {
	text := build(t,
		file{tar.Header{Name: "./", Typeflag: tar.TypeDir}, ""},
		file{tar.Header{Name: "./d/", Typeflag: tar.TypeDir}, ""},
		plain("./d/x", "hello"), plain("d/empty", ""),
		file{tar.Header{Name: "d/l", Typeflag: tar.TypeSymlink, Linkname: "x"}, ""},
		plain("d/"+strings.Repeat("long", 60), "pax"),
		plain("clusterroles/system:admin.yaml", "colon"))
	want := "./\nd/\nd/x: hello\nd/empty: \nd/l -> x\nd/" + strings.Repeat("long", 60) + ": pax\nclusterroles/system:admin.yaml: colon\n"
	for name, in := range map[string][]byte{
		"tar": text, "gzip": gzipped(t, text), "zstd": packed(t, text),
		"two frames": append(packed(t, text[:700]), packed(t, text[700:])...),
		"padded":     append(bytes.Clone(text), make([]byte, 10240)...),
	} {
		got, err := walk(in, Options{Links: true})
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

// Every hostile archive is an error that names the member, in every form, and
// leaves nothing outside of the directory.
func TestWalk_Hostile(t *testing.T) {
	big := strings.Repeat("0", 1000)
	link := func(kind byte) []byte {
		return build(t, plain("a", "1"), file{tar.Header{Name: "evil", Typeflag: kind, Linkname: "/etc"}, ""}, plain("evil/passwd", "x"))
	}
	named := func(names ...string) []byte {
		var files []file
		for _, n := range names {
			files = append(files, plain(n, "x"))
		}
		return build(t, files...)
	}
	many := named("a", "b", "c", "d", "e")
	sparse := build(t, file{tar.Header{Name: "holes", Format: tar.FormatPAX, PAXRecords: map[string]string{"comment": "GNU-sparse-major=1"}}, "x"})
	sparse = bytes.Replace(sparse, []byte("30 comment=GNU-sparse-major=1\n"), []byte("22 GNU.sparse.major=1\n8 aaa=b\n"), 1)
	tests := []struct {
		name string
		tar  []byte
		opt  Options
		want string
	}{
		{"climbing", named("a", "../evil"), Options{}, `member "../evil": has a name that leads out`},
		{"climbing inside", named("d/../../evil"), Options{}, `member "d/../../evil": has a name that leads out`},
		{"climbing at the end", named("d/.."), Options{}, "leads out"},
		{"absolute", named("/etc/evil"), Options{}, `member "/etc/evil": has an absolute name`},
		{"absolute after ./", named(".//etc/evil"), Options{}, "has an absolute name"},
		{"two slashes", named("a//b"), Options{}, "only form"},
		{"dot inside", named("a/./b"), Options{}, "only form"},
		{"drive", named("C:evil"), Options{Portable: true}, `holds ':'`},
		{"backslash", named(`..\evil`), Options{Portable: true}, `holds '\\'`},
		{"hidden", named(".bashrc"), Options{Portable: true}, "begins or ends with '.'"},
		{"control", named("a\x1b[2Jb"), Options{}, "holds '\\x1b'"},
		{"right to left", named("a\u202egpj.exe"), Options{}, "holds '\\u202e'"},
		{"not UTF-8", named("a\xff"), Options{}, "not valid UTF-8"},
		{"deep", named(strings.Repeat("d/", 60) + "x"), Options{}, "directories deep"},
		{"long", named(strings.Repeat(big+"/", 2) + "x"), Options{}, "more than 1000 bytes"},
		{"long element", named(big[:300]), Options{}, "element of more than"},
		{"symlink", link(tar.TypeSymlink), Options{}, `member "evil": is a symbolic link to "/etc"`},
		{"symlink as a directory", link(tar.TypeSymlink), Options{Links: true}, `member "evil/passwd": needs the directory "evil", which is a file`},
		{"hard link", link(tar.TypeLink), Options{}, `member "evil": is a hard link`},
		{"device", build(t, file{tar.Header{Name: "sda", Typeflag: tar.TypeBlock}, ""}), Options{}, `member "sda": is a device`},
		{"character device", build(t, file{tar.Header{Name: "null", Typeflag: tar.TypeChar}, ""}), Options{}, `member "null": is a device`},
		{"pipe", build(t, file{tar.Header{Name: "p", Typeflag: tar.TypeFifo}, ""}), Options{}, `member "p": is a named pipe`},
		{"unknown kind", build(t, file{tar.Header{Name: "z", Typeflag: 'Z'}, ""}), Options{}, `member "z": is of kind "Z"`},
		{"twice", named("a", "b", "a"), Options{}, `member "a": is there twice`},
		{"twice, other form", named("a", "./a"), Options{}, `member "./a": is there twice`},
		{"case", named("Logs/a", "logs/b"), Options{}, `member "logs/b": has a name that differs in case alone from "Logs"`},
		{"case beyond ASCII", named("ſ", "S"), Options{}, "differs in case alone"},
		{"file and directory", named("a", "a/b"), Options{}, `needs the directory "a", which is a file`},
		{"directory and file", named("a/b", "a"), Options{}, `member "a": is a file where members before have a directory`},
		{"sparse", sparse, Options{}, `member "holes": is a sparse file`},
		{"files", many, Options{Limits: Limits{Files: 4}}, `member "e": is one too many`},
		{"one file", build(t, plain("big", big)), Options{Limits: Limits{Bytes: 999}}, `member "big": is 1000 bytes long`},
		{"total", build(t, plain("a", big), plain("b", big)), Options{Limits: Limits{Total: 3000}}, `holds more than 3000 bytes`},
		{"cut in a header", many[:1100], Options{}, `is cut short (after member "a")`},
		{"cut in content", build(t, plain("a", "1"), plain("big", big))[:2000], Options{}, `member "big": is cut short`},
		{"no end", many[:len(many)-1024], Options{}, `the two empty blocks that end an archive are missing (after member "e")`},
		{"half an end", many[:len(many)-512], Options{}, "two empty blocks"},
		{"trailing", append(bytes.Clone(many), "garbage"...), Options{}, `goes on after its end`},
		{"a second archive", append(bytes.Clone(many), named("f")...), Options{}, "goes on after its end"},
		{"endless end", append(bytes.Clone(many), make([]byte, 2<<20)...), Options{}, "goes on after its end"},
		{"no tar", []byte(strings.Repeat("2026-11-30T17:28:29Z a log\n", 100)), Options{}, "no tar archive"},
		{"three bytes", []byte("tar"), Options{}, "is cut short"},
		{"only an end", make([]byte, 512), Options{}, "no tar archive"},
	}
	for _, tt := range tests {
		for form, in := range map[string][]byte{"tar": tt.tar, "gzip": gzipped(t, tt.tar), "zstd": packed(t, tt.tar)} {
			t.Run(tt.name+"/"+form, func(t *testing.T) {
				parent := t.TempDir()
				dir := filepath.Join(parent, "in")
				if err := os.Mkdir(dir, 0o777); err != nil {
					t.Fatal(err)
				}
				root, err := os.OpenRoot(dir)
				if err != nil {
					t.Fatal(err)
				}
				defer root.Close()
				err = Extract(context.Background(), "x.tar", bytes.NewReader(in), tt.opt, root, nil)
				if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.HasPrefix(err.Error(), "x.tar: ") {
					t.Errorf("Extract: %v; want %q", err, tt.want)
				}
				if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
					t.Errorf("outside of the directory: %v, %v", left, err)
				}
			})
		}
	}
}

// hole is a reader of zero bytes.
type hole struct{}

func (hole) Read(b []byte) (int, error) { clear(b); return len(b), nil }

func TestWalk_Bombs(t *testing.T) {
	// 200 MiB of zeros in one member.
	var head bytes.Buffer
	w := tar.NewWriter(&head)
	if err := w.WriteHeader(&tar.Header{Name: "bomb", Size: 200 << 20, Mode: 0o644}); err != nil {
		t.Fatal(err)
	}
	content := io.MultiReader(bytes.NewReader(head.Bytes()), io.LimitReader(hole{}, 200<<20+1024))
	var zst bytes.Buffer
	enc, err := zstd.NewWriter(&zst)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(enc, content); err != nil {
		t.Fatal(err)
	}
	if err := enc.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := walk(zst.Bytes(), Options{}); err == nil || !strings.Contains(err.Error(), `member "bomb"`) || !strings.Contains(err.Error(), "more than 500 to 1 is refused") {
		t.Errorf("200 MiB in %d bytes: %v", zst.Len(), err)
	}
	// A header that is extended without end.
	var chain bytes.Buffer
	for range 3000 {
		block := build(t, file{tar.Header{Name: "x", Format: tar.FormatPAX, PAXRecords: map[string]string{"comment": "y"}}, ""})
		chain.Write(block[:1024])
	}
	if _, err := walk(packed(t, chain.Bytes()), Options{}); err == nil || !strings.Contains(err.Error(), "a header is longer than") {
		t.Errorf("3,000 headers of one member: %v", err)
	}
	// A size that the archive does not have.
	lie := build(t, plain("lie", "x"))
	copy(lie[124:136], "77777777777\x00")
	sum := 0
	copy(lie[148:156], "        ")
	for _, b := range lie[:512] {
		sum += int(b)
	}
	copy(lie[148:156], fmt.Sprintf("%06o\x00 ", sum))
	if _, err := walk(packed(t, lie), Options{}); err == nil || !strings.Contains(err.Error(), `member "lie": is cut short`) {
		t.Errorf("a size of 8 GiB without content: %v", err)
	}
}

func TestWalk_CutZstd(t *testing.T) {
	good := packed(t, build(t, plain("a", "1"), plain("b", "2")))
	for n := range good {
		if got, err := walk(good[:n], Options{}); err == nil {
			t.Errorf("%d of %d bytes are read as %q", n, len(good), got)
		}
	}
	for _, tail := range []string{"x", "\x28\xb5\x2f\xfd", "\x50\x2a\x4d\x18\x04\x00\x00\x00hide", string(good)} {
		if _, err := walk(append(bytes.Clone(good), tail...), Options{}); err == nil {
			t.Errorf("with %q after its end it is read", tail)
		}
	}
}

func FuzzWalk(f *testing.F) {
	a := build(f, plain("corpus.json", "{}"), plain("runs/a/b/1/run.json", "{}"))
	for _, seed := range [][]byte{a, packed(f, a), gzipped(f, a), append(packed(f, a[:1024]), packed(f, a[1024:])...), build(f, file{tar.Header{Name: strings.Repeat("n", 150)}, "x"})} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		parent := t.TempDir()
		dir := filepath.Join(parent, "in")
		if err := os.Mkdir(dir, 0o777); err != nil {
			t.Fatal(err)
		}
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		limits := Limits{Files: 100, Bytes: 1 << 20, Total: 8 << 20}
		var first []string
		err = Extract(context.Background(), "f", bytes.NewReader(in), Options{Limits: limits, Links: true}, root, func(m Member, sum string) {
			first = append(first, fmt.Sprint(m, sum))
		})
		if left, err := os.ReadDir(parent); err != nil || len(left) != 1 {
			t.Errorf("outside of the directory: %v, %v", left, err)
		}
		if err != nil {
			return
		}
		// What is taken is taken alike where nothing is written.
		n := 0
		err = Walk(context.Background(), "f", bytes.NewReader(in), Options{Limits: limits, Links: true}, func(m Member, _ io.Reader) error {
			if n++; !filepath.IsLocal(m.Name) {
				t.Errorf("member %q leads out", m.Name)
			}
			return nil
		})
		if err != nil || n != len(first) {
			t.Errorf("Walk: %d members, %v; Extract had %d", n, err, len(first))
		}
	})
}
