package corpus

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"strings"

	"go.yaml.in/yaml/v3"
)

// maxYAML bounds one file of YAML that an import takes along, in bytes: unlike
// JSON it is held in memory as a tree.
const maxYAML = 16 << 20

// isYAML reports whether a file holds YAML by its name, without the ending of
// its compression.
func isYAML(name string) bool {
	name = strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	return path.Ext(name) == ".yaml" || path.Ext(name) == ".yml"
}

// yamlAsJSON returns the documents of a YAML file as JSON values, one after the
// other. Empty documents are left out.
func yamlAsJSON(text []byte) ([]byte, error) {
	if len(text) > maxYAML {
		return nil, fmt.Errorf("holds more than %d bytes of YAML", maxYAML)
	}
	var out bytes.Buffer
	dec := yaml.NewDecoder(bytes.NewReader(text))
	for n := 1; ; n++ {
		var doc yaml.Node
		if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
			return out.Bytes(), nil
		} else if err != nil {
			return nil, err
		}
		timesAsText(&doc, 0)
		var value any
		if err := doc.Decode(&value); err != nil {
			return nil, err
		}
		if value == nil {
			continue
		}
		line, err := json.Marshal(value)
		if err != nil {
			return nil, fmt.Errorf("document %d cannot be written as JSON: %w", n, err)
		}
		out.Write(line)
		out.WriteByte('\n')
	}
}

// timesAsText keeps times as they are written, as API servers do.
func timesAsText(n *yaml.Node, depth int) {
	if n.Kind == yaml.ScalarNode && n.ShortTag() == "!!timestamp" {
		n.Tag = "!!str"
	}
	for _, c := range n.Content {
		if depth < maxFactDepth {
			timesAsText(c, depth+1)
		}
	}
}
