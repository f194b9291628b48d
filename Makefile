# Berth's commands; `make` alone lists them. Each needs only Node and npm, and installs what is missing.
.DEFAULT_GOAL := help
.PHONY: help install run build image image-oci generate chart test test-chart test-cluster scenarios test-aws test-web fidelity soak days observe fuzz fuzz-wire bench bench-scale bench-extender bench-live behaviour-live lint format verify ci clean

# npm writes this file last, so it is as old as the installation.
INSTALLED := node_modules/.package-lock.json
NPM := npm --loglevel=error
# In a terminal a process group of its own, so that Ctrl-C is for the command, which ends well, and make does not call it an error.
FOREGROUND := if [ -t 0 ]; then set -m; fi;

$(INSTALLED): package-lock.json
	@node scripts/install.js
	@touch $@

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s  %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

install: $(INSTALLED) ## install the locked dependencies, when they are missing or older than the lockfile

run: build ## run Berth in an embedded world, with the page and a kubeconfig for kubectl (ONCE=1 ends after the summary)
	@$(FOREGROUND) node dist/berth.js demo $(if $(ONCE),--once) $(ARGS); exit $$?

build: $(INSTALLED) ## bundle the program into dist/berth.js
	@$(NPM) run -s build

image: ## build the container image with docker, podman or buildah (IMAGE=berth:dev; PLATFORMS=linux/amd64,linux/arm64)
	@scripts/image/build.sh

image-oci: build ## build it as an OCI archive without any of them, on a base image that is one (BASE=base.tar OUT=dist/berth.oci.tar)
	@node scripts/image/app-files.js dist/app
	@node scripts/image/build-oci.js '$(BASE)' dist/app $(or $(OUT),dist/berth.oci.tar)

generate: $(INSTALLED) ## write the generated files again: catalogue, JSON Schemas, CustomResourceDefinitions, reference pages, line links of docs
	@$(NPM) run -s generate

chart: $(INSTALLED) ## render manifests/ from charts/berth with helm (built with Go), and write dist/charts: the packaged chart and install.yaml
	@node scripts/render-manifests.js "$$(scripts/go-tools/build.sh helm)"

test: $(INSTALLED) ## run the tests (ARGS="test/domain -t name" runs some of them; PROPERTY_RUNS=300 tries properties of plans so often instead of 60 times)
	@$(NPM) run -s test -- $(ARGS)

test-chart: $(INSTALLED) ## lint the chart, render it from the values of charts/berth/ci, and test its alerts, with helm and promtool (built with Go)
	@test/chart/run.sh $(ARGS)

test-cluster: $(INSTALLED) ## run the suites against a real control plane, built with Go (KUBERNETES=1.36 or 1.34 runs one)
	@test/controlplane/run.sh $(ARGS)

scenarios: $(INSTALLED) ## run every scenario on a real control plane and in the simulated world, and compare (reports/scenarios.json; SCENARIOS='gang|volume' is a part)
	@KUBERNETES=$${KUBERNETES:-1.36} test/controlplane/run.sh suite/scenarios $(ARGS)

test-aws: $(INSTALLED) ## run our AWS adapter against moto, and botocore against our simulated AWS (needs Python)
	@test/aws/run.sh $(ARGS)

test-web: $(INSTALLED) ## run the tests of the page in a headless Chromium (SCREENSHOTS=1 writes its pictures again)
	@test/web/run.sh $(ARGS)

fidelity: $(INSTALLED) ## measure how many pods of a burst land where they were planned, on a real control plane, also when Berth is killed or stopped (reports/fidelity.json; BERTH_MISHAPS=10 BERTH_MISHAP_PODS=300, BERTH_BURST_PODS=1000 BERTH_BURST_THIEVES=500 BERTH_BURST_KILLS=10)
	@KUBERNETES=$${KUBERNETES:-1.36} test/controlplane/run.sh suite/fidelity $(ARGS)

soak: build ## kill Berth in the middle of launches, again and again, in an embedded world (ROUNDS=20)
	@ROUNDS=$${ROUNDS:-20} node --experimental-vm-modules --disable-warning=ExperimentalWarning \
	  node_modules/jest/bin/jest.js --config test/soak/jest.config.js $(ARGS)

days: $(INSTALLED) ## play simulated days with interruptions, drift and faults, and judge what must never happen (RUNS=20 FIRST_SEED=1 HOURS=24 TRACE=FILE; reports/days.json)
	@RUNS='$(RUNS)' FIRST_SEED='$(FIRST_SEED)' HOURS='$(HOURS)' WORKERS='$(WORKERS)' TRACE='$(TRACE)' test/simulated/days/run.sh

observe: $(INSTALLED) ## observe simulated days beside another autoscaler, switch over on the same days, and compare both savings (RUNS=10 FIRST_SEED=1 HOURS=24; reports/observe.json)
	@RUNS='$(RUNS)' FIRST_SEED='$(FIRST_SEED)' HOURS='$(HOURS)' WORKERS='$(WORKERS)' test/simulated/saving/run.sh

fuzz: $(INSTALLED) ## plan random small problems and judge each plan beside a slow search (SEEDS=100 FIRST_SEED=1; reports/fuzz.json)
	@test/fuzz/run.sh

fuzz-wire: $(INSTALLED) ## send damaged bodies to the servers and the queue: BODIES=20000 to each (SEED=n for other ones)
	@BODIES=$${BODIES:-20000} node --experimental-vm-modules --disable-warning=ExperimentalWarning \
	  node_modules/jest/bin/jest.js --config test/wire/jest.config.js $(ARGS)

bench: $(INSTALLED) ## plan workloads with Berth and with Karpenter, and compare: twenty to forty minutes (reports/bench.json; ARGS="mixed --no-karpenter" is a part)
	@bench/run $(ARGS)

bench-scale: $(INSTALLED) ## run Berth beside a synthetic cluster of up to 5,000 nodes: 40 minutes, needs Go (reports/scale.json; ARGS="start --nodes 500" is a part)
	@bench/scale/run $(ARGS)

bench-extender: $(INSTALLED) ## measure how many pods a real kube-scheduler binds in a second without an extender, with one that only echoes, and with ours: five minutes, needs Go (reports/extender.json; NODES=1000 PODS=500 ROUNDS=2 is a part)
	@KUBERNETES=$${KUBERNETES:-1.36} test/controlplane/server/build.sh $${KUBERNETES:-1.36} >/dev/null && $(NPM) run -s build
	@KUBERNETES=$${KUBERNETES:-1.36} node --experimental-vm-modules --disable-warning=ExperimentalWarning \
	  node_modules/jest/bin/jest.js --config bench/extender/jest.config.js $(ARGS)

bench-live: $(INSTALLED) ## run Karpenter and Berth on a real control plane with KWOK's nodes, and compare: half an hour (needs Go; reports/live.json)
	@KUBERNETES=$${KUBERNETES:-1.36} node --experimental-vm-modules --disable-warning=ExperimentalWarning \
	  node_modules/jest/bin/jest.js --config bench/live/jest.config.js $(ARGS)

behaviour-live: build ## play facts of Karpenter's behaviour with the real Karpenter and with Berth on real control planes with KWOK's nodes, and compare: a quarter of an hour, needs Go (reports/behaviour-live.json; FACTS='drift|static' is a part, SYSTEM=berth is one of them)
	@KUBERNETES=$${KUBERNETES:-1.36} node --experimental-vm-modules --disable-warning=ExperimentalWarning \
	  node_modules/jest/bin/jest.js --config test/live/jest.config.js $(ARGS)

lint: $(INSTALLED) ## check format, rules of shape and layers, types, dead code, and that switched-off rules have a reason
	@$(NPM) run -s lint:code & code=$$!; $(NPM) run -s lint:rest; rest=$$?; wait $$code && exit $$rest

format: $(INSTALLED) ## lay the code out as lint wants it
	@$(NPM) run -s format

verify: lint test build ## what a change must pass: lint, test and build

ci: ## everything that CI runs: every suite, on two versions of Node and two of Kubernetes
	@.ci/run

clean: ## remove what was built or installed
	rm -rf node_modules dist coverage reports
