# GNU make and a POSIX shell. Each target sets up .venv from requirements.lock first, once.
#   PYTHON=python3.13   the Python that .venv is made with
#   ADDRESS=127.0.0.1:8000   where `make serve` listens
#   ARGS=…              more arguments for pytest, mkdocs serve, pedocs.book fix or a release
#   VERSION=1.0.0       what `make release` releases

PYTHON ?=
ADDRESS ?= 127.0.0.1:8000
ARGS ?=
VERSION ?=

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-print-directory

export NO_MKDOCS_2_WARNING := 1
export PIP_DISABLE_PIP_VERSION_CHECK := 1

py := .venv/bin/python

# The stamp is named after what the set-up depends on: where this folder is (a copy gets
# an environment of its own), the lock, the project's metadata and the Python asked for.
state := $(shell { pwd; printf '%s\n' "$(PYTHON)"; cat requirements.lock pyproject.toml; } | cksum)
stamp := .venv/.ready-$(firstword $(state))
# The same for the real implementations, which `make parity` and `make bench` call.
peers := .parity/.ready-$(firstword $(shell { pwd; cat tools/parity/requirements.* 2>/dev/null; } | cksum))
# And for the other generators, which use all else that .venv has.
engines := .engines/.ready-$(firstword $(shell { echo '$(stamp)'; cat tools/engines/requirements.lock 2>/dev/null; } | cksum))
# The same for Sphinx, which `make bench` builds the book with.
sphinx := .sphinx/.ready-$(firstword $(shell { pwd; cat benchmarks/peers.lock 2>/dev/null; } | cksum))

# The program that asks for links, too large (78 MB) for everybody's .venv.
lychee := .cache/links-$(firstword $(shell cksum tools/links/requirements.lock 2>/dev/null))/bin/lychee

# The program that looks up vulnerabilities, which brings a pip of its own.
audit := .cache/audit-$(firstword $(shell cksum tools/audit/requirements.lock 2>/dev/null))/bin/pip-audit

.PHONY: help setup serve build zip wheel paper test fix permalinks lint audit accessible runtime \
  editor bench mutate tamper parity engines reproduce links lychee lock release clean

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## /make \1\t/p' Makefile | expand -t 14

setup: $(stamp) ## make .venv from requirements.lock (every other target does it first)
	@:

$(stamp):
	@set -eu; \
	new_enough='import sys; sys.exit(sys.version_info < (3, 11))'; \
	version='import sys; print(sys.version)'; \
	python='$(PYTHON)'; \
	if [ -z "$$python" ]; then \
	  for name in python3 python3.14 python3.13 python3.12 python3.11 python; do \
	    if "$$name" -c "$$new_enough" 2>/dev/null; then python=$$name; break; fi; \
	  done; \
	  [ -n "$$python" ] || { echo 'pedocs needs Python 3.11 or newer: make PYTHON=/path/to/python' >&2; exit 1; }; \
	elif ! "$$python" -c "$$new_enough"; then \
	  echo "pedocs needs Python 3.11 or newer; $$python is not" >&2; exit 1; \
	fi; \
	if [ "$$(cat .venv/.here 2>/dev/null)" != "$$(pwd)" ] || ! $(py) -m pip --version >/dev/null 2>&1 || \
	   { [ -n '$(PYTHON)' ] && [ "$$("$$python" -c "$$version")" != "$$($(py) -c "$$version")" ]; }; then \
	  echo 'Making .venv from requirements.lock (once; about a minute)'; \
	  "$$python" -m venv --clear .venv; \
	  pwd > .venv/.here; \
	fi; \
	rm -f .venv/.ready-*; \
	$(py) -m pip install -qq --no-input --require-hashes --only-binary :all: -r requirements.lock; \
	$(py) -m pip install -qq --no-input --no-deps --no-build-isolation --editable .; \
	touch $@

serve: setup ## serve the book at 127.0.0.1:8000 (ADDRESS=… for another) and follow edits
	@exec $(py) -m mkdocs serve --dev-addr $(ADDRESS) $(ARGS)

# A red build must leave the last good site alone: build beside it, then swap.
build: setup ## prove every number and write the site to site/
	@set -eu; \
	new=$$(mktemp -d .site-XXXXXX); \
	trap 'rm -rf "$$new"' EXIT; trap 'exit 129' HUP; trap 'exit 130' INT; trap 'exit 143' TERM; \
	if [ -z "$${SOURCE_DATE_EPOCH:-}" ]; then \
	  SOURCE_DATE_EPOCH=0; \
	  if [ -e .git ]; then SOURCE_DATE_EPOCH=$$(git log -1 --format=%ct 2>/dev/null) || SOURCE_DATE_EPOCH=0; fi; \
	  export SOURCE_DATE_EPOCH; \
	fi; \
	$(py) -m mkdocs build --site-dir "$$new/site"; \
	if [ -e site ]; then mv site "$$new/old"; fi; \
	mv "$$new/site" site

zip: build ## pack the site for a course server, as dist/pedocs-VERSION-site.zip
	@$(py) -m pedocs.book.archive site dist

wheel: setup ## pack the library into dist/, as a wheel and as its source
	@$(py) tools/wheel.py dist

paper: setup ## print site/ to dist/ and site/paper/: PDF, EPUB, a sheet per chapter (takes minutes, needs Chromium)
	@$(py) -m tools.paper site dist $(ARGS)

test: setup ## run every test: the library, the engine, each block and value of the book
	@$(py) -m pytest $(ARGS)

accessible: build ## look at every page as every reader has it: axe, keyboard, zoom, colours (an hour)
	@$(py) -m tools.accessible site $(ARGS)

fix: setup ## rewrite the numbers of the book to what the code computes (ARGS=--dry-run only shows it)
	@$(py) -m pedocs.book fix $(ARGS)

permalinks: setup ## rewrite docs/permalinks.txt, the record of every link that the book offers
	@$(py) -m pedocs.book permalinks

lint: setup ## check format, style, types and workflows
	@$(py) -m ruff format --check
	@$(py) -m ruff check
	@$(py) -m mypy
	@.venv/bin/zizmor --offline --quiet --strict-collection .github

audit: $(audit) ## look up known vulnerabilities of what the locks name (asks a database)
	@$(dir $(audit))python -m pip_audit --strict --require-hashes --disable-pip --progress-spinner off \
	  $(foreach lock,requirements.lock $(wildcard */requirements.lock */*.lock */*/requirements.lock),--requirement $(lock)) $(ARGS)

$(audit): | $(stamp)
	@$(py) -m venv --clear $(dir $(@D))
	@$(@D)/python -m pip install -qq --no-input --require-hashes --only-binary :all: --no-deps \
	  -r tools/audit/requirements.lock

runtime: setup ## add the Python that runs in readers' browsers, 17 MB (ARGS="--from FOLDER" copies it)
	@$(py) tools/runtime.py $(ARGS)

editor: ## bundle the editor of live code from tools/editor (needs npm)
	@set -eu; cd tools/editor; npm ci --silent --no-audit --no-fund; \
	node_modules/.bin/esbuild editor.js --bundle --minify --format=esm --target=es2022 \
	  --legal-comments=none --log-level=warning --outfile=../../docs/assets/live/editor.js \
	  '--banner:js=/* CodeMirror and Lezer, MIT: editor.txt. Made by `make editor`. */'; \
	for each in node_modules/@codemirror/* node_modules/@lezer/* node_modules/@marijn/* \
	  node_modules/crelt node_modules/style-mod node_modules/w3c-keyname; do \
	  printf '%s\n\n' "$${each#node_modules/}"; cat "$$each/LICENSE"; echo; \
	done > ../../docs/assets/live/editor.txt; \
	rm -rf node_modules

bench: $(peers) $(sphinx) ## measure the library, builds and serving beside their peers (an hour; ARGS=--record)
	@HF_HUB_OFFLINE=1 PYTHONPATH=src .parity/bin/python benchmarks/library.py $(ARGS)
	@$(py) -m benchmarks.build $(ARGS)
	@$(py) -m benchmarks.peers .sphinx/bin/python $(ARGS)
	@$(py) -m benchmarks.serve $(ARGS)
	@$(py) -m benchmarks.growth $(ARGS)
	@$(py) -m benchmarks.figures
	@$(py) -m benchmarks.live
	@$(py) -m benchmarks.pages $(ARGS)

mutate: setup ## change the library in small ways and see whether its tests notice (minutes)
	@$(py) tools/mutation.py $(ARGS)

tamper: setup $(engines) ## alter the book, one fault at a time, and see whether each turns red (half an hour)
	@$(py) -m tools.tamper --engines .engines/bin/python $(ARGS)

parity: $(peers) ## call the real implementations anew, in .parity, and compare with them (needs torch)
	@HF_HUB_OFFLINE=1 .parity/bin/python -m tools.parity.record $(ARGS)
	@$(py) -m pytest tests/parity

$(peers): | $(stamp)
	@set -eu; \
	echo 'Making .parity from tools/parity/requirements.lock (once; a minute or more)'; \
	$(py) -m venv --clear .parity; \
	pip='.parity/bin/python -m pip'; \
	$$pip install -qq --no-input --require-hashes --only-binary :all: --no-deps -r tools/parity/requirements.lock; \
	$$pip install -qq --no-input --only-binary :all: --constraint tools/parity/requirements.in torch; \
	found=$$($$pip check) || { echo "$$found" >&2; exit 1; }; \
	touch $@

engines: $(engines) ## build the book with ProperDocs and Zensical too, and compare page by page (minutes)
	@.engines/bin/python -m tools.engines $(ARGS)

$(engines): | $(stamp)
	@set -eu; \
	echo 'Making .engines from tools/engines/requirements.lock (once)'; \
	$(py) -m venv --clear .engines; \
	packages='import sysconfig; print(sysconfig.get_path("purelib"))'; \
	linked='import sysconfig; print("import site; site.addsitedir(%r)" % sysconfig.get_path("purelib"))'; \
	$(py) -c "$$linked" > "$$(.engines/bin/python -c "$$packages")/book.pth"; \
	.engines/bin/python -m pip install -qq --no-input --require-hashes --only-binary :all: --no-deps \
	  -r tools/engines/requirements.lock; \
	found=$$(.engines/bin/python -m pip check) || { echo "$$found" >&2; exit 1; }; \
	touch $@

reproduce: setup ## make the site, its zip and the wheel twice and compare the bytes (minutes; ARGS=--paper: PDFs too)
	@$(py) tools/reproduce.py $(ARGS)

links: $(lychee) ## ask for every link out of site/, and for archived copies (minutes; needs the network)
	@$(py) -m tools.links site --lychee $(lychee) $(ARGS)

lychee: $(lychee)

$(lychee): | $(stamp)
	@$(py) -m pip install -qq --no-input --require-hashes --only-binary :all: --no-deps \
	  --target $(dir $(@D)) -r tools/links/requirements.lock

$(sphinx): | $(stamp)
	@set -eu; \
	echo 'Making .sphinx from benchmarks/peers.lock (once; a minute or more)'; \
	$(py) -m venv --clear .sphinx; \
	.sphinx/bin/python -m pip install -qq --no-input --require-hashes --only-binary :all: --no-deps -r benchmarks/peers.lock; \
	found=$$(.sphinx/bin/python -m pip check) || { echo "$$found" >&2; exit 1; }; \
	touch $@

lock: ## resolve the locks of the book, of Sphinx and of pip-audit afresh (needs uv)
	@uv pip compile pyproject.toml --extra book --group test --group lint --group mutation --group publish --group links --group build \
	  --universal --python-version 3.11 --fork-strategy fewest --upgrade --generate-hashes \
	  --no-emit-index-url --no-header --no-annotate --quiet --output-file .requirements.new
	@{ echo '# Made from pyproject.toml by `make lock`: Python 3.11 to 3.14 on Linux, macOS and Windows.'; \
	   cat .requirements.new; } > requirements.lock
	@uv pip compile pyproject.toml benchmarks/peers.in --extra book --constraint requirements.lock \
	  --universal --python-version 3.11 --fork-strategy fewest --upgrade --generate-hashes \
	  --no-emit-index-url --no-header --no-annotate --quiet --output-file .requirements.new
	@{ echo '# Made from peers.in and pyproject.toml by `make lock`.'; cat .requirements.new; } > benchmarks/peers.lock
	@uv pip compile tools/audit/requirements.in \
	  --universal --python-version 3.11 --fork-strategy fewest --upgrade --generate-hashes \
	  --no-emit-index-url --no-header --no-annotate --quiet --output-file .requirements.new
	@{ echo '# Made from requirements.in by `make lock`.'; cat .requirements.new; } > tools/audit/requirements.lock
	@rm .requirements.new

release: setup ## commit, tag and pack a version, and push nothing (VERSION=1.0.0 ARGS=--dry-run)
	@$(py) tools/release.py '$(VERSION)' $(ARGS)

clean: ## remove what was built; the environments stay
	@rm -rf site dist .site-* mutants .cache .pytest_cache .ruff_cache .mypy_cache .hypothesis
	@find src tests docs tools benchmarks -name __pycache__ -prune -exec rm -rf {} +
