# Every target does its own set-up; Go, git and make are all it needs. `make check` is CI, line by line.
export CGO_ENABLED ?= 0
GO          ?= go
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
SAMPLE      := tests/testdata
SAMPLE_NAME := worktree-discipline-like-uncut
# What a caller wrote is a name, not Make: it is taken as it stands, and reaches the recipe by the environment only.
override TARGET := $(value TARGET)
override ARGS   := $(value ARGS)
export TARGET ARGS

.PHONY: help build audit test check fmt-check vet staticcheck race self-audit fuzz calibrate bench dist prices-check docs clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 24

build: ## put the tools into bin/
	@[ -x bin/offload-audit ] || echo "building the tools; the first time takes a minute" >&2
	$(GO) build -trimpath -o bin/ ./tools/...

audit: build ## audit TARGET (a path, a plugin's name, or name@marketplace); without TARGET the bundled sample
	@if [ -n "$$TARGET" ]; then \
	  facts=$$(printf '%s\n' "$$ARGS" | bin/offload-audit prepare "$$TARGET" --stdin) && \
	  bin/offload-audit finish "$$(printf '%s\n' "$$facts" | sed -n 's/^Run folder: //p' | sed 1q)" </dev/null; \
	else \
	  store=$$(mktemp -d) && echo "No TARGET: this is the bundled sample. Yours: make audit TARGET=path/to/plugin" && echo && \
	  bin/offload-audit prepare $(SAMPLE)/plugins/$(SAMPLE_NAME) --config-dir $(SAMPLE)/transcripts/$(SAMPLE_NAME) \
	    --run "$$store/run" --no-cache --timezone UTC --now 2026-11-04T09:00:00Z >/dev/null && \
	  bin/offload-audit finish "$$store/run" --store "$$store/store" --now 2026-11-04T09:00:00Z <$(SAMPLE)/judgments/$(SAMPLE_NAME).yaml; \
	fi

test: ## run every test
	$(GO) test ./...

check: fmt-check vet staticcheck race self-audit ## what CI does

fmt-check: ## fail when a Go file is not gofmt's
	@bad=$$(gofmt -l internal tools tests packaging); if [ -n "$$bad" ]; then echo "not gofmt's:"; echo "$$bad"; exit 1; fi

vet: ## go vet, here and for the systems that nothing is run on
	$(GO) vet ./...
	GOOS=darwin GOARCH=arm64 $(GO) vet ./...
	GOOS=windows GOARCH=amd64 $(GO) vet ./...

staticcheck: ## staticcheck, pinned
	$(GO) run $(STATICCHECK) ./...

race: ## every test with the race detector (needs a C compiler)
	CGO_ENABLED=1 $(GO) test -race -timeout 15m ./...

self-audit: build ## audit this plugin: nothing deterministic may live in its prose
	bin/offload-audit check . --config-dir $(SAMPLE)/transcripts/$(SAMPLE_NAME) --no-cache --timezone UTC --now 2026-11-04T09:00:00Z

fuzz: ## run every fuzz target, FUZZTIME each (default 60s)
	@grep -ro --include='*_test.go' '^func Fuzz[A-Za-z]*' internal | sort | while IFS=: read -r file func; do \
	  echo "$${func#func } of $$(dirname $$file)"; \
	  $(GO) test -run '^$$' -fuzz "^$${func#func }$$" -fuzztime $${FUZZTIME:-60s} -fuzzminimizetime 10x ./$$(dirname $$file) || exit 1; \
	done

bench: build ## time the usage pass: Go benchmarks, then pairs beside other tools (BENCH="-mib 500 -runs 5")
	$(GO) test -run '^$$' -bench . ./internal/transcript
	$(GO) run ./tests/bench $(BENCH)

calibrate: ## how well the static ranking finds what owners confirmed (reads ../shared/plugins where it stands)
	@$(GO) run ./tests/calibrate

dist: ## make dist/: the plugin with a binary for each platform, its marketplace, checksums
	$(GO) run ./packaging

prices-check: ## hold every price of the embedded table against the pinned client's own
	client=$$(.ci/client.sh) && eval "$$client" && $(GO) test -count=1 -v -run TestPricesAreTheClients ./tests/client

docs: ## write docs/documents.md, docs/schemas/ and the README's sample report anew
	$(GO) test ./tests -run 'TestDocuments|TestReadmeSample' -update

clean: ## remove what build made
	rm -rf bin dist
