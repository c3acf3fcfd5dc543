package capturefile

import (
	"errors"

	"go.yaml.in/yaml/v3"

	"github.com/stillfires/stillfires/corpus/capture"
	"github.com/stillfires/stillfires/corpus/capture/kube"
	"github.com/stillfires/stillfires/internal/strictyaml"
	"github.com/stillfires/stillfires/internal/yamlpos"
)

// kubernetes reads the entries of clusters. They are opened together: what one
// build runs on several is one answer.
func kubernetes(env *Env, doc *yamlpos.Document, entries []*yaml.Node) ([]capture.Source, error) {
	specs := make([]kube.Spec, len(entries))
	var errs []error
	for i, n := range entries {
		errs = append(errs, strictyaml.DecodeNode(doc, n, "", &specs[i]))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	sources, err := kube.Sources(specs, kube.Options{UserAgent: env.UserAgent})
	if at, ok := errors.AsType[*kube.SpecError](err); ok {
		err = doc.Errorf(entries[at.Spec], "%v", at)
	}
	return sources, err
}
