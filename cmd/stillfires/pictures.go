package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/stillfires/stillfires/analyzer"
	"github.com/stillfires/stillfires/analyzer/report"
)

const svgDirUsage = "write a picture of each recovery into this folder, as SVG"

// writePictures draws the recovery of each scenario into a folder, which is made
// where it is not there, and returns the files in the order of rep.Timelines.
// Without a folder it does nothing.
func writePictures(dir string, rep *analyzer.Report, inputs func() []string) ([]string, error) {
	if dir == "" || len(rep.Timelines) == 0 {
		return nil, nil
	}
	files := picturesIn(dir, rep)
	var outs []output
	for _, file := range files {
		outs = append(outs, output{file: file})
	}
	if err := protect(outs, inputs); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--svg-dir %s: %w", dir, err)
	}
	for i, file := range files {
		if err := writeFile(file, report.TimelineSVG(rep, i)); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// picturesIn names the files of the pictures.
func picturesIn(dir string, rep *analyzer.Report) []string {
	if dir == "" {
		return nil
	}
	files := report.PictureNames(rep)
	for i := range files {
		files[i] = filepath.Join(dir, files[i])
	}
	return files
}

// linksTo are the pictures as seen from a report; one on standard output is
// read where it is made.
func linksTo(files []string, from string) ([]string, error) {
	dir, err := filepath.Abs(filepath.Dir(from))
	if from == "" {
		dir, err = filepath.Abs(".")
	}
	if err != nil {
		return nil, err
	}
	links := make([]string, len(files))
	for i, file := range files {
		abs, err := filepath.Abs(file)
		if err != nil {
			return nil, err
		}
		if links[i], err = filepath.Rel(dir, abs); err != nil {
			return nil, err
		}
		links[i] = filepath.ToSlash(links[i])
	}
	return links, nil
}
