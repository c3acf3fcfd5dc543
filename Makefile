# Two commands do all the set-up: "make demo" and "make test".

SHELL := /bin/bash
GO    ?= go
BIN   := bin/stillfires
TOOL  := $(GO) tool -modfile=tools/lint/go.mod
LINT  := $(TOOL) golangci-lint
STAT  := $(TOOL) benchstat
TEST  := $(TOOL) gotestsum --format pkgname --

# Recorded runs and answers to test against; tests say so when it is absent.
export STILLFIRES_SHARED ?= $(abspath ../shared)
CORPORA ?= $(STILLFIRES_SHARED)/corpora/kai-binder $(STILLFIRES_SHARED)/corpora/kueue-multikueue

# Packages with goroutines, and those that call them.
RACE_PKGS := ./corpus/... ./replay/... ./internal/compare/... ./logql/ ./cmd/...
FUZZTIME  ?= 30s
BENCH     ?= .
COUNT     ?= 6
# Where "make bench" writes: a folder for each day and machine.
MACHINE    = $(shell $(GO) env GOOS)-$(shell $(GO) env GOARCH)-$(shell getconf _NPROCESSORS_ONLN)cpu
PERF      ?= docs/perf/$(shell date -u +%F)-$(MACHINE)
BENCH_PKGS ?= ./...
LOG_PKG   := github.com/stillfires/stillfires/logql/logqltest

.PHONY: all build demo test test-kube lint fmt fmtcheck vet race fuzz bench golden acceptance conformance check

all: build

build:
	$(GO) build -o $(BIN) ./cmd/stillfires

demo: build
	$(BIN) demo

# Tests that could not run are listed with their reason and counted.
test:
	$(TEST) ./...

# Capture from real API servers, which are built once (some 15 minutes of CPU),
# or found in KUBE_BIN. Needs no cluster and no root.
KUBE_BIN ?= bin/kube
test-kube: build $(KUBE_BIN)/kube-apiserver $(KUBE_BIN)/etcd
	KUBE_BIN=$(abspath $(KUBE_BIN)) STILLFIRES_BIN=$(abspath $(BIN)) $(GO) test -tags testkube -count=1 -timeout 20m -v ./corpus/capture/kube/e2e

$(KUBE_BIN)/kube-apiserver:
	cd tools/kube && $(GO) build -o $(abspath $@) k8s.io/kubernetes/cmd/kube-apiserver

$(KUBE_BIN)/etcd:
	cd tools/kube && $(GO) build -o $(abspath $@) go.etcd.io/etcd/server/v3

fmt:
	gofmt -w $$(git ls-files '*.go')

fmtcheck:
	@out=$$(gofmt -l $$(git ls-files '*.go')); if [ -n "$$out" ]; then echo "not gofmt-clean (run make fmt):"; echo "$$out"; exit 1; fi

vet:
	$(GO) vet ./...

lint:
	$(LINT) run ./...

# Tests that only repeat much of what others do are left out by -short, and listed.
race:
	$(TEST) -race -short -timeout 20m $(RACE_PKGS)

# Every fuzz target for FUZZTIME each: a time, or a number of runs as 2000x.
fuzz:
	@set -e; for pkg in $$($(GO) list ./...); do \
	  for f in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
	    echo "fuzz $$pkg $$f"; $(GO) test -run '^$$' -fuzz "^$$f\$$" -fuzztime $(FUZZTIME) $$pkg; \
	  done; \
	done

# Raw output and a summary beside grep, zstd and jq; docs/perf/README.md says
# how to read them. Compare two runs with "make benchstat OLD=a.txt NEW=b.txt".
bench:
	mkdir -p $(PERF)
	set -o pipefail; $(GO) test -timeout 0 -run '^$$' -bench '$(BENCH)' -benchmem -count $(COUNT) $(BENCH_PKGS) | tee $(PERF)/bench.txt
	{ $(STAT) -col /tool -row .name,/needle,/cores -filter 'pkg:"$(LOG_PKG)" .name:(Count OR Corpus) .unit:B/s' $(PERF)/bench.txt; \
	  $(STAT) -col /tool -filter 'pkg:"$(LOG_PKG)" -.name:(Count OR Corpus) .unit:B/s' $(PERF)/bench.txt; \
	  $(STAT) -filter 'pkg:"$(LOG_PKG)" .unit:(MB-rss OR allocs/line)' $(PERF)/bench.txt; \
	  $(STAT) -filter '-pkg:"$(LOG_PKG)"' $(PERF)/bench.txt; } > $(PERF)/benchstat.txt

benchstat:
	$(STAT) $(OLD) $(NEW)

# Write the golden files anew; CI fails when that changes one.
golden:
	$(GO) test ./analyzer/report ./cmd/stillfires ./logql/logqltest ./rules -update

# Compare with the recorded answers in CORPORA, one folder or several.
acceptance: build
	$(GO) run ./tools/acceptance $(CORPORA)

conformance:
	$(GO) run ./logql/logqltest/cmd/conformance $(STILLFIRES_SHARED)/conformance/cases.jsonl $(STILLFIRES_SHARED)/conformance/corpora

check: fmtcheck vet lint test race
	@$(MAKE) --no-print-directory golden
	git diff --exit-code -- '*testdata*' docs/logql-support.md
	$(MAKE) --no-print-directory fuzz FUZZTIME=100x
	$(MAKE) --no-print-directory acceptance
