package corpus

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// maxSpoolName bounds the name of a spool, which holds two names.
const maxSpoolName = 200

// SpoolPath returns where the corpus in dir keeps what a capture has recorded
// of a run that is not finished.
func SpoolPath(dir string, info RunInfo) string {
	escape := strings.NewReplacer("%", "%25", "~", "%7E").Replace
	name := escape(info.Build) + "~" + escape(info.Scenario) + "~" + strconv.Itoa(info.Repetition)
	if len(name) > maxSpoolName {
		sum := sha256.Sum256([]byte(name))
		name = "~" + hex.EncodeToString(sum[:16])
	}
	return filepath.Join(dir, spoolPrefix+name)
}

// IsSpool reports whether a file of the corpus's directory is the spool of a
// capture.
func IsSpool(name string) bool { return strings.HasPrefix(name, spoolPrefix) }

func howToRepair(dir string) string {
	return fmt.Sprintf("close it as an incomplete run: stillfires corpus repair %s", dir)
}

// CheckRunInfo reports what keeps build, scenario and repetition from naming a
// run.
func CheckRunInfo(info RunInfo) error {
	return (&Manifest{Build: info.Build, Scenario: Scenario{Name: info.Scenario}, Repetition: info.Repetition}).checkNames()
}

// Create makes a corpus without runs in dir, where there is none. What is there
// and no corpus is an error.
func Create(dir, creator string) error {
	w, err := OpenForWrite(dir, creator)
	if err != nil {
		return err
	}
	w.created = false // it stays
	return w.Close()
}

// HasRun reports whether the corpus in dir has a finished run.
func HasRun(dir string, info RunInfo) (bool, error) {
	_, err := os.Lstat(filepath.Join(dir, runsDir, info.Build, info.Scenario, strconv.Itoa(info.Repetition)))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	return err == nil, err
}

// ManifestOf reads the manifest of one run of the corpus in dir, without a look
// at the others. A run that is not there is fs.ErrNotExist.
func ManifestOf(dir string, info RunInfo) (*Manifest, error) {
	r, err := (&Corpus{Dir: dir, files: newDirStore(dir)}).load(info)
	if err != nil {
		return nil, err
	}
	return r.Manifest, nil
}

// CheckFile reports what keeps a kind and key from naming a file of a run.
func CheckFile(kind string, key FileKey) error {
	if _, ok := fileKinds[kind]; !ok {
		return fmt.Errorf("kind %q: want events, objects, probes, progress or actions", kind)
	}
	f := File{Path: FilePath(kind, key), FileKey: key}
	return f.check()
}

// CheckCorpus reports whether dir is a corpus, by its header alone.
func CheckCorpus(dir string) error {
	_, err := openHeader(dir, newDirStore(dir))
	return err
}
