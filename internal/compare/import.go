package compare

import (
	"context"
	"fmt"
	"os"

	"github.com/stillfires/stillfires/corpus"
)

// Creator is the program's name in the corpora that it writes.
const Creator = "stillfires"

// Import adds the runs below root to the corpus in dir, as the import
// description at path says.
func Import(ctx context.Context, path, root, dir string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("import description: %w", err)
	}
	desc, err := corpus.ParseDescription(path, text)
	if err != nil {
		return err
	}
	_, err = corpus.Import(ctx, desc, root, dir, corpus.ImportOptions{Creator: Creator})
	return err
}

// importRaw makes a corpus in dir of one raw log.
func (o *Options) importRaw(ctx context.Context, dir, role, path string) error {
	spec := corpus.TimeSpec{Year: o.Raw.Year, Timezone: o.Raw.Zone, Start: o.Raw.Start}
	if o.Raw.Start != nil {
		spec.Format = []string{"none"}
	}
	_, err := corpus.ImportRaw(ctx, []string{path}, dir, corpus.RawOptions{
		Creator: Creator, Build: role, Labels: o.Labels, Time: spec, Stdin: o.Raw.Stdin,
	})
	return err
}
