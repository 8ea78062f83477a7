# `make` lists the targets. Each begins with scripts/bootstrap, which is silent when nothing is missing.
# Warnings are errors here and in CI; not for people who depend on the package.

STRICT = --explicit-target-dependency-import-check error \
  -Xswiftc -warnings-as-errors -Xcc -Werror -Xcxx -Werror
# Swift Testing alone: XCTest has no tests here, and its own closing line would say so.
# Servers, clients and databases of many tests are open at once: more than the 1,024 files that many systems allow.
FILES = { [ "$$(ulimit -S -n)" = unlimited ] || [ "$$(ulimit -S -n)" -ge 8192 ] || ulimit -S -n 8192 2>/dev/null \
  || ulimit -S -n "$$(ulimit -H -n)"; }
# A run that hangs is ended with all that it has started, on however busy a machine.
WITHIN = scripts/within
TEST_SECONDS = 2400
# Tests that run side by side. Without a bound all servers of all tests start in the same second, and none is in time.
tests = $(FILES) && SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH=$(1) \
  $(WITHIN) $(TEST_SECONDS) swift test --disable-xctest $(STRICT)
TEST = $(call tests,12)
# These meet the kernel's clock. They go first, away from the tests that keep every core busy: sockets with deadlines,
# then programs that are started and killed, which keep the cores busy themselves.
SOCKETS = ^PlatformTests
PROGRAMS = ^(ProgramTests|InteropTests)
CLOCKED = $(SOCKETS)|$(PROGRAMS)
# The files of tests that try more in `make check`, and most in `make night`: those that ask `Tier`.
DEEPER_FILES = $(shell grep -rl --include='*.swift' 'Tier\.among' Tests | sed 's|.*/||; s|\.swift$$||' | sort -u | paste -sd '|' -)
# In more depth, several servers share a database for minutes. They go apart from simulated worlds, which keep every
# core busy for as long, and fewer at a time.
SHARED = ^(ProgramTests|InteropTests|PostgreSQLDatabaseTests)
DEEPER = $(call tests,5) --skip-build --filter '$(SHARED)\..*/($(DEEPER_FILES))\.swift:' \
  && $(TEST) --skip-build --filter '/($(DEEPER_FILES))\.swift:' --skip '$(SHARED)'
ENVIRONMENT = . ./.build/environment
FORMATTED = Package.swift Sources Tests Tools
# What the conventions are checked with; its first argument is a command (scripts/tidy).
TIDY = $(WITHIN) 900 scripts/tidy
SECONDS ?= 60
FAULTS ?= 1000

.PHONY: help run test check night every-rule in-depth format lint tidy errors api docs site headerless checklist sanitize fuzz kill chaos world mutants day year history bench bare package client-package try clean

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1	/p' Makefile | expand -t 12

# Without optimization: an optimized build takes four times as long.
run: ## build, start the server with its simulated App Store, make one purchase; Ctrl-C stops it
	@scripts/bootstrap
	@$(ENVIRONMENT) && swift build --product counterfoil-lab $(STRICT)
	@$(ENVIRONMENT) && swift build --product counterfoil $(STRICT)
	@exec .build/debug/counterfoil-lab run --first-purchase

test: ## build everything, prove every rule; what is drawn or sampled is drawn sparsely; ends within 44 minutes anywhere
	@$(WITHIN) 2640 $(MAKE) --no-print-directory every-rule

every-rule:
	@scripts/bootstrap --for-tests
	@$(ENVIRONMENT) && swift build --build-tests $(STRICT)
	@# 3 says that it is not possible here: with a toolchain of Xcode.
	@$(ENVIRONMENT) && { $(TIDY) test && $(TIDY) check; } || [ $$? -eq 3 ]
	@$(ENVIRONMENT) && $(TEST) --skip-build --filter '$(SOCKETS)'
	@$(ENVIRONMENT) && $(TEST) --skip-build --filter '$(PROGRAMS)'
	@# 2 says that it is not possible here: elsewhere than on Linux, or where the kernel gives no namespaces.
	@$(ENVIRONMENT) && scripts/headerless || [ $$? -eq 2 ]
	@$(ENVIRONMENT) && $(TEST) --skip-build --skip '$(CLOCKED)'

check: test ## all of it, which is what CI runs: the same, more of what is drawn and sampled, the layout
	@$(WITHIN) 2400 $(MAKE) --no-print-directory in-depth

# It adds to what `make test` has built and run.
in-depth:
	@scripts/bootstrap --for-check
	@swift format lint --strict --recursive --parallel $(FORMATTED)
	@$(ENVIRONMENT) && scripts/client-package || [ $$? -eq 3 ]
	@$(ENVIRONMENT) && export COUNTERFOIL_TIER=check && swift build --build-tests $(STRICT) \
	  && $(DEEPER)

night kill chaos: TEST_SECONDS = 14400

night: check ## what takes hours: every await, 100 kills, 10,000 worlds, packages, long simulations, fuzzing, sanitizers
	@$(ENVIRONMENT) && export COUNTERFOIL_TIER=night && $(DEEPER)
	@# 2 says that it is not possible here: without root, or elsewhere than on Debian.
	@$(MAKE) --no-print-directory package && { $(WITHIN) 3600 scripts/try-package || [ $$? -eq 2 ]; }
	@$(WITHIN) 14400 $(MAKE) --no-print-directory world SEEDS=10000
	@$(WITHIN) 14400 $(MAKE) --no-print-directory mutants
	@$(WITHIN) 3600 $(MAKE) --no-print-directory day
	@$(WITHIN) 3600 $(MAKE) --no-print-directory year
	@$(WITHIN) 3600 $(MAKE) --no-print-directory history
	@$(WITHIN) 28800 $(MAKE) --no-print-directory fuzz SECONDS=600
	@$(WITHIN) 28800 $(MAKE) --no-print-directory sanitize

format: ## lay out all Swift files
	@scripts/bootstrap
	@swift format format --in-place --recursive --parallel $(FORMATTED)

lint: ## check the layout of all Swift files
	@scripts/bootstrap
	@swift format lint --strict --recursive --parallel $(FORMATTED)

tidy: ## check the conventions that a machine can check
	@scripts/bootstrap
	@$(ENVIRONMENT) && swift build $(STRICT) && $(TIDY) test && $(TIDY) check

errors: ## write the pages of docs/reference that come from the sources, and the drawing in ARCHITECTURE.md
	@scripts/bootstrap
	@$(ENVIRONMENT) && swift build $(STRICT) --product CatalogProgram && $(TIDY) errors

api: ## write docs/reference/api/ from what is built: the public interfaces that apps compile against
	@scripts/bootstrap
	@$(ENVIRONMENT) && swift build $(STRICT) && $(TIDY) api

docs: ## build the documentation of the client products into .build/docs; warnings are errors
	@scripts/bootstrap
	@$(ENVIRONMENT) && swift build $(STRICT) && $(TIDY) docs .build/docs

site: ## build the manual as a website in .build/site, with a search in English and Chinese
	@scripts/bootstrap
	@scripts/site

headerless: ## build the client products without the headers of any library
	@scripts/bootstrap
	@$(ENVIRONMENT) && scripts/headerless

checklist: ## print each item of docs/specification/checklist.md with the tests that cite it; fails while one has none
	@scripts/bootstrap
	@$(ENVIRONMENT) && $(TIDY) checklist

sanitize: ## run all tests under the thread sanitizer, then under the address sanitizer; FILTER=NAME runs some
	@scripts/bootstrap --for-tests
	@$(ENVIRONMENT) && $(FILES) && STRICT='$(STRICT)' CLOCKED='$(CLOCKED)' FILTER='$(FILTER)' scripts/sanitize

fuzz: ## feed each parser of foreign bytes with libFuzzer; SECONDS=60 for each
	@scripts/bootstrap
	@$(ENVIRONMENT) && SECONDS=$(SECONDS) scripts/fuzz

kill: ## kill the server 100 times under load and audit what it kept
	@scripts/bootstrap --for-tests
	@$(ENVIRONMENT) && export COUNTERFOIL_TIER=night && $(TEST) --filter ProgramTests.*killed.under.load

chaos: ## three servers over one PostgreSQL with a standby: kills, pauses, cut COMMITs and fail-overs; FAULTS=1000 SEED=1
	@scripts/bootstrap --for-tests
	@$(ENVIRONMENT) && export COUNTERFOIL_TIER=night CHAOS_FAULTS=$(FAULTS) CHAOS_SEED=$(or $(SEED),1) && $(TEST) --filter ProgramTests.*under.fire

world: ## run whole simulated worlds, with the shipped adapters on their phones; SEEDS=2000; SEED=90 tells the story of one
	@scripts/bootstrap
	@$(ENVIRONMENT) && swift build -c release --product DeviceWorldProgram $(STRICT)
	@exec .build/release/DeviceWorldProgram $(if $(SEED),--seed $(SEED) --explain,--seeds $(or $(SEEDS),2000))

mutants: ## break rules of money on purpose, one after the other: a simulated world must notice each
	@scripts/bootstrap
	@$(ENVIRONMENT) && exec scripts/mutants

day: ## a simulated day of 100,000 WeChat Pay orders with every fault on, and its bill; ORDERS=100000
	@scripts/bootstrap
	@$(ENVIRONMENT) && swift build -c release --product counterfoil-lab $(STRICT)
	@exec .build/release/counterfoil-lab simulate --wechat-day $(or $(ORDERS),100000)

year: ## a simulated year of 1,000 subscribers with notifications lost, late and doubled; SUBSCRIBERS=1000
	@scripts/bootstrap
	@$(ENVIRONMENT) && swift build -c release --product counterfoil-lab $(STRICT)
	@exec .build/release/counterfoil-lab simulate --subscription-year $(or $(SUBSCRIBERS),1000)

history: ## months of 100,000 purchases that the server missed, compared with Apple's records; TRANSACTIONS=100000
	@scripts/bootstrap
	@$(ENVIRONMENT) && swift build -c release --product counterfoil-lab $(STRICT)
	@exec .build/release/counterfoil-lab simulate --apple-history $(or $(TRANSACTIONS),100000)

bench: ## measure all rows of docs/specification/numbers.md and write docs/performance.md; GROWN=--grown adds a million orders
	@scripts/bootstrap
	@$(ENVIRONMENT) && swift build -c release --product counterfoil-lab $(STRICT)
	@exec .build/release/counterfoil-lab bench all --data .build/bench-data --page docs/performance.md $(GROWN)

package: ## build the Debian packages counterfoil and counterfoil-lab into .build/packages
	@scripts/bootstrap --for-package
	@$(ENVIRONMENT) && $(WITHIN) 7200 scripts/package

try: ## install the packages in a fresh Debian 12, buy, reload, upgrade, back up, remove, purge; needs root and `make package`
	@$(WITHIN) 3600 scripts/try-package

client-package: ## write the client as a package of its own into .build/client-package, build and test it by itself
	@scripts/bootstrap
	@$(ENVIRONMENT) && $(WITHIN) 2400 scripts/client-package

bare: ## run `make test` and `make run` in a fresh Debian 12 with nothing but a Swift toolchain; needs root
	@scripts/bare

clean: ## remove everything that was built
	@rm -rf .build
