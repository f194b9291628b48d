/** Topology counts: what they allow never breaks maxSkew, and what they forbid would. */
import fc from 'fast-check';
import { ARCH, HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import type { Node } from '../../../src/domain/nodes/node.js';
import { requirementsOf } from '../../../src/domain/values/requirements.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import type { Domains, Place } from '../../../src/planning/model/constraints/domains.js';
import { compileProblem } from '../../../src/planning/model/problem.js';
import { TopologyCounts } from '../../../src/planning/rules/topology-counts.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { noneOf, podTerm, spreadOver } from '../../support/builders/constraints.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, type PodOverrides } from '../../support/builders/pod.js';

const web = { app: 'web' };

/** The node without the labels whose value is empty. */
function withoutEmpty(made: Node): Node {
  return { ...made, labels: new Map([...made.labels].filter(([, value]) => value !== '')) };
}

/** Counters for one pending pod and empty nodes in these zones ('' is none), and a way to ask and to place on node `index`. */
function counting(overrides: PodOverrides, zones: readonly string[]) {
  const nodes = zones.map((zone, index) => withoutEmpty(node({ name: `node-${String(index)}`, zone })));
  const snapshot = buildSnapshot(
    clusterInput({ pods: [pod({ labels: web, ...overrides })], nodes, pools: [] }),
  );
  const problem = compileProblem(snapshot, DEFAULT_PLAN_OPTIONS);
  const { classes, topology } = problem;
  const counts = new TopologyCounts({ ...problem, groups: topology.groups });
  const places = zones.map((_, target): Place => ({ target, column: -1 }));
  for (const place of places) counts.addHost(place);
  const [pods] = classes;
  const ask = pods?.asks.at(-1);
  if (pods === undefined || ask === undefined) throw new Error('the pod has no class');
  const placeAt = (index: number): Place => places[index] ?? { target: index, column: -1 };
  return {
    allows: (index: number) => counts.violated(pods, ask, placeAt(index)) === undefined,
    place: (index: number) => {
      counts.add(pods, placeAt(index), 1);
    },
    total: () => counts.total(pods.memberOf[0] ?? 0),
  };
}

/** Deployments of one pod each that share a host with no pod of another; and what counts them on empty nodes. */
function strangers(deployments: number) {
  const apps = Array.from({ length: deployments }, (_, index) => `app-${String(index)}`);
  const pods = apps.map((app) => {
    const notMine = { requirements: requirementsOf([noneOf('app', app)]) };
    const required = [{ ...podTerm(HOSTNAME, {}), selector: notMine }];
    return pod({ name: app, labels: { app }, podAntiAffinity: { required } });
  });
  const nodes = apps.map((_, index) => node({ name: `node-${String(index)}` }));
  const snapshot = buildSnapshot(clusterInput({ pods, nodes, pools: [] }));
  const problem = compileProblem(snapshot, DEFAULT_PLAN_OPTIONS);
  const counted = new CountingDomains(problem.domains);
  const facts = { ...problem, groups: problem.topology.groups, domains: counted as unknown as Domains };
  return { counts: new TopologyCounts(facts), classes: problem.classes, counted };
}

/** Counts how often a domain is asked for. */
class CountingDomains {
  asked = 0;
  readonly #domains: Domains;

  constructor(domains: Domains) {
    this.#domains = domains;
  }

  at(key: string, place: Place): number {
    this.asked++;
    return this.#domains.at(key, place);
  }
}

describe('TopologyCounts', () => {
  test('keeps strangers apart, and looks at the pods of a host instead of at all who might shun the pod', () => {
    const { counts, classes, counted } = strangers(200);
    const [first, second] = classes;
    const ask = second?.asks.at(-1);
    if (first === undefined || second === undefined || ask === undefined) throw new Error('no classes');
    counts.add(first, { target: 0, column: -1 }, 1);
    counted.asked = 0;
    expect(counts.affinityViolated(second, ask, { target: 0, column: -1 })?.code).toBe('PodAntiAffinity');
    expect(counts.affinityViolated(second, ask, { target: 1, column: -1 })).toBeUndefined();
    expect(counted.asked).toBeLessThan(10);
  });

  test('allows a pod in a zone exactly when the skew stays within maxSkew', () => {
    const zones = fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 5 });
    const tries = fc.array(fc.nat({ max: 4 }), { maxLength: 30 });
    fc.assert(
      fc.property(zones, fc.integer({ min: 1, max: 3 }), tries, (ofNodes, maxSkew, indexes) => {
        const counter = counting({ spread: [spreadOver(ZONE, web, { maxSkew })] }, ofNodes);
        const perZone = new Map<string, number>(ofNodes.map((zone) => [zone, 0]));
        for (const index of indexes.map((each) => each % ofNodes.length)) {
          const zone = ofNodes[index] ?? '';
          const here = (perZone.get(zone) ?? 0) + 1;
          const within = here - Math.min(...perZone.values()) <= maxSkew;
          expect(counter.allows(index)).toBe(within);
          if (!within) continue;
          counter.place(index);
          perZone.set(zone, here);
        }
        expect(counter.total()).toBe([...perZone.values()].reduce((sum, count) => sum + count, 0));
      }),
      { numRuns: 60 },
    );
  });

  test('allows at most one pod of its own kind in each zone under anti-affinity', () => {
    const counter = counting({ podAntiAffinity: { required: [podTerm(ZONE, web)] } }, ['a', 'a', 'b']);
    counter.place(0);
    expect([0, 1, 2].map((index) => counter.allows(index))).toEqual([false, false, true]);
  });

  test('allows the first pod of a kind anywhere and the others where it is, under affinity', () => {
    const counter = counting({ podAffinity: { required: [podTerm(ZONE, web)] } }, ['a', 'a', 'b']);
    expect([0, 1, 2].map((index) => counter.allows(index))).toEqual([true, true, true]);
    counter.place(2);
    expect([0, 1, 2].map((index) => counter.allows(index))).toEqual([false, false, true]);
  });

  test('allows no more than maxSkew pods per zone while there are fewer zones than minDomains', () => {
    const counter = counting({ spread: [spreadOver(ZONE, web, { maxSkew: 2, minDomains: 3 })] }, ['a', 'b']);
    for (const index of [0, 0, 1, 1]) counter.place(index);
    expect([counter.allows(0), counter.allows(1)]).toEqual([false, false]);
  });

  test('allows the first of a kind beside one that runs on a node without the key (InterPodAffinity)', () => {
    const counter = counting({ podAffinity: { required: [podTerm(ZONE, web)] } }, ['', 'a', 'b']);
    counter.place(0);
    expect(counter.total()).toBe(0);
    expect([0, 1, 2].map((index) => counter.allows(index))).toEqual([false, true, true]);
  });

  test.each([
    { of: 'that the constraint looks at', arch: 'arm64', allowed: false },
    { of: 'that it does not look at', arch: 'amd64', allowed: true },
  ])('goes round hosts again, as a last resort, beside a claim $of: $allowed', ({ arch, allowed }) => {
    const overrides = { labels: web, nodeSelector: { [ARCH]: 'arm64' }, spread: [spreadOver(HOSTNAME, web)] };
    const snapshot = buildSnapshot(clusterInput({ pods: [pod(overrides)], pools: [poolOffer()] }));
    const problem = compileProblem(snapshot, DEFAULT_PLAN_OPTIONS);
    const {
      launchables,
      topology,
      classes: [pods],
    } = problem;
    const columnOf = (value: string): number =>
      launchables.offerings.findIndex(
        (_, column) => launchables.rowType[launchables.columnRow[column] ?? -1]?.labels.get(ARCH) === value,
      );
    const counts = new TopologyCounts({ ...problem, groups: topology.groups });
    const held: Place = { target: 0, column: columnOf('arm64') };
    counts.addHost(held);
    counts.addHost({ target: 1, column: columnOf(arch) });
    const ask = pods?.asks.at(-1);
    if (pods === undefined || ask?.strictness !== 'last resort')
      throw new Error('the pod has no last resort');
    counts.add(pods, held, 1);
    expect(counts.violated(pods, ask, held) === undefined).toBe(allowed);
  });
});
