/** The plans of small batches are improved: never for the worse, and where one packing after the other cannot get there. */
import type { Plan } from '../../../src/planning/plan.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { Packing } from '../../../src/planning/rules/packing.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { finish, isBest } from '../../../src/planning/finish/candidate.js';
import { improve } from '../../../src/planning/improve/improve.js';
import { compileProblem, type Problem } from '../../../src/planning/model/problem.js';
import { pack } from '../../../src/planning/pack/pack.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { PodClass } from '../../../src/planning/model/classes/pod-class.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { catalogue, ZONES } from '../../fuzz/catalog.js';
import { randomDocuments } from '../../fuzz/random-documents.js';
import { readProblem } from '../../fuzz/read-problem.js';
import { CAPACITY_TYPE, ZONE } from '../../../src/domain/values/labels.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { nodeTerm, oneOf, podTerm, requiredTerms, spreadOver } from '../../support/builders/constraints.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { node } from '../../support/builders/node.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { checkPlan } from '../../support/plan-checker/check-plan.js';

const HOST = 'kubernetes.io/hostname';
const ARCH = 'kubernetes.io/arch';
const types = catalogue();
const ON_DEMAND_AMD64 = [oneOf(CAPACITY_TYPE, 'on-demand'), oneOf(ARCH, 'amd64')];

function planned(input: ClusterInput, improvement: number): Plan {
  return plan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS, { improvement });
}

/** Pods that share hosts with their kind, some of that kind with spread over zones, and others; and two claims in one zone. */
function firstOfItsKind({ mayStartLate = false } = {}) {
  const labels = { app: 'b' };
  const requests = { cpu: '1', memory: '3500Mi' };
  const pods = [
    ...replicas(3, {
      name: 'beside',
      labels,
      requests: { cpu: '100m', memory: '3500Mi' },
      podAffinity: { required: [podTerm(HOST, labels)] },
    }),
    ...replicas(2, {
      name: 'alone',
      requests,
      nodeSelector: { [ZONE]: 'us-west-2a' },
      hostPorts: [{ hostIP: '0.0.0.0', protocol: 'TCP', port: 80 }],
    }),
    ...replicas(3, {
      name: 'even',
      labels,
      requests,
      spread: [{ ...spreadOver(ZONE, labels), maxSkew: 2 }],
    }),
  ];
  const input = clusterInput({ pods, pools: [poolOffer({}, types.instanceTypes)] });
  const problem = compileProblem(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
  const packing = new Packing(problem, { isCourteous: false, mayComeBefore: true, mayStartLate });
  const { launchables, classes, snapshot } = problem;
  const columns = [...launchables.columnRow].flatMap((row, column) =>
    launchables.rowType[row]?.name === 'm6i.2xlarge' ? column : [],
  );
  const [first = 0] = columns;
  const hosts = [packing.open(first), packing.open(first)] as const;
  const classOf = (name: string): PodClass => {
    const found = classes.find(({ pods: rows }) =>
      rows.some((row) => snapshot.pods.keys[row]?.includes(name)),
    );
    if (found === undefined) throw new Error(`no class of ${name}`);
    return found;
  };
  return {
    input,
    put: (name: string, host: 0 | 1 = 0): boolean => {
      const [pods, target] = [classOf(name), hosts[host]];
      const ask = pods.asks.find((each) => packing.mayPut(pods, each, target));
      if (ask !== undefined) packing.put(pods, ask, target, 1);
      return ask !== undefined;
    },
    retype: () => {
      packing.retype(hosts[0], columns.at(-1) ?? first);
    },
    takeBack: (name: string) => {
      packing.takeBack(classOf(name), hosts[0], 1);
    },
  };
}

/** Pods without rules, and pods of the same app with spread over zones that must share a zone or host with some of a kind. */
function besideOthers(free: number, key: string, kind: Readonly<Record<string, string>>): ClusterInput {
  const pods = [
    ...replicas(free, {
      name: 'free',
      labels: { app: 'b', part: 'free' },
      requests: { cpu: '100m', memory: '3500Mi' },
    }),
    ...replicas(3, {
      name: 'even',
      labels: { app: 'b', part: 'even' },
      requests: { cpu: '1', memory: '3500Mi' },
      podAffinity: { required: [podTerm(key, kind)] },
      spread: [{ ...spreadOver(ZONE, { app: 'b' }), maxSkew: 2 }],
    }),
  ];
  return clusterInput({ pods, pools: [poolOffer({}, types.instanceTypes)] });
}

describe('improvement', () => {
  test('leaves no more pods out, and places as many at no higher price, on random problems', () => {
    const worse: number[] = [];
    let better = 0;
    for (let seed = 1; seed <= 24; seed++) {
      const input = readProblem(randomDocuments(seed), types);
      if ((input.gangs ?? []).length > 0 || input.pods.some(({ spec }) => spec.priority > 0)) continue;
      const [before, after] = [planned(input, 0), planned(input, 1)];
      const fewer = before.unschedulable.length - after.unschedulable.length;
      const cheaper = before.cost.hourly - after.cost.hourly;
      if (fewer < 0 || (fewer === 0 && cheaper < -1e-9)) worse.push(seed);
      if (fewer > 0 || (fewer === 0 && cheaper > 1e-9)) better++;
    }
    expect(worse).toEqual([]);
    expect(better).toBeGreaterThan(0);
  });

  test('gives up soon where pods have no place in any order: their spread asks for a zone that has no offerings', () => {
    const web = { app: 'web' };
    const pods = replicas(2, { name: 'web', labels: web, spread: [spreadOver(ZONE, web)] });
    const nodes = ZONES.map((zone) => node({ name: zone, zone, unschedulable: true }));
    const inFirst = poolOffer({ requirements: [requirement(ZONE, 'In', [ZONES[0]])] }, types.instanceTypes);
    const running = pod({ name: 'running', labels: web, nodeName: ZONES[0] });
    const input = clusterInput({ pods: [...pods, running], nodes, pools: [inFirst] });
    const problem = compileProblem(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
    const { nodeFree } = problem;
    let packings = 0;
    const counted: Problem = Object.defineProperty({ ...problem }, 'nodeFree', {
      get: () => {
        packings++;
        return nodeFree;
      },
    });
    const refused = finish(pack(counted), 0);
    expect([isBest(refused), refused.finished]).toEqual([false, []]);
    packings = 0;
    expect(improve(counted, refused, { share: 1, prove: () => ({ holds: true, reach: undefined }) })).toBe(
      refused,
    );
    expect(packings).toBeLessThan(100);
  });

  test('buys no node for all pods of a group where spread lets only some of them be together', () => {
    const web = { app: 'web' };
    const pods = replicas(3, {
      name: 'web',
      labels: web,
      requests: { cpu: '1900m', memory: '6Gi' },
      podAffinity: { required: [podTerm(HOST, web)] },
      spread: [{ ...spreadOver(ZONE, web), maxSkew: 2 }],
    });
    const input = clusterInput({ pods, pools: [poolOffer({}, types.instanceTypes)] });
    const [before, after] = [planned(input, 0), planned(input, 1)];
    expect(after.placements.length).toBe(before.placements.length);
    expect(after.cost.hourly).toBeLessThan(before.cost.hourly);
    expect(checkPlan(input, after).filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('keeps spread over domains that could be launched, at a higher price, where all pods have a place so', () => {
    // One pod is spread over architectures, of which one is offered by a tainted pool only; pods that it counts come first.
    const input = readProblem(randomDocuments(8267), types);
    const uneven = (made: Plan): boolean =>
      checkPlan(input, made, { spread: { domains: 'launchable' } }).some(({ level }) => level === 'error');
    const [before, after] = [planned(input, 0), planned(input, 1)];
    expect([before, after].map(uneven)).toEqual([true, false]);
    expect(after.unschedulable).toEqual([]);
  });

  test('places pods one at a time where each costs least, so that others find room that is paid already', () => {
    const labels = { app: 'apart' };
    const pods = [
      ...replicas(4, {
        name: 'apart',
        labels,
        requests: { cpu: '500m', memory: '6Gi' },
        nodeSelector: { 'kubernetes.io/arch': 'arm64' },
        podAntiAffinity: { required: [podTerm(HOST, labels)] },
      }),
      ...replicas(3, {
        name: 'near',
        requests: { cpu: '1500m', memory: '1Gi' },
        podAffinity: { required: [podTerm(ZONE, labels)] },
      }),
    ];
    const nodes = [
      node({ name: 'large', zone: 'us-west-2c', allocatable: { cpu: '3920m', memory: '14745Mi' } }),
      node({ name: 'small', zone: 'us-west-2b', allocatable: { cpu: '1920m', memory: '7372Mi' } }),
    ];
    const onDemand = poolOffer({ requirements: [oneOf(CAPACITY_TYPE, 'on-demand')] }, types.instanceTypes);
    const after = planned(clusterInput({ pods, nodes, pools: [onDemand] }), 1);
    expect(after.unschedulable).toEqual([]);
    expect(after.cost.hourly).toBeCloseTo(4 * 0.0816, 9);
  });

  test('places pods that may share a host only while it is the one host before others launch more', () => {
    const labels = { app: 'c' };
    const pods = [
      ...replicas(3, {
        name: 'port',
        requests: { cpu: '1', memory: '512Mi' },
        hostPorts: [{ hostIP: '0.0.0.0', protocol: 'TCP', port: 80 }],
      }),
      ...replicas(4, {
        name: 'spread',
        labels,
        podAffinity: { required: [podTerm(HOST, labels)] },
        spread: [spreadOver(HOST, labels)],
      }),
    ];
    const input = clusterInput({ pods, pools: [poolOffer({}, types.instanceTypes)] });
    expect(planned(input, 0).unschedulable).toHaveLength(3);
    expect(planned(input, 1).unschedulable).toHaveLength(2);
  });

  test('places the first of its kind alone although others of its kind are placed, which are bound after it then', () => {
    const labels = { app: 'c' };
    const pods = [
      ...replicas(4, { name: 'free', labels, requests: { cpu: '500m', memory: '1Gi' } }),
      ...replicas(3, {
        name: 'beside',
        labels,
        requests: { cpu: '1500m', memory: '512Mi' },
        podAffinity: { required: [podTerm(ZONE, labels), podTerm(HOST, labels)] },
      }),
    ];
    const nodes = [
      node({
        labels: { [ARCH]: 'amd64' },
        zone: 'us-west-2c',
        allocatable: { cpu: '3920m', memory: '14745Mi' },
      }),
    ];
    const onDemand = poolOffer({ requirements: [oneOf(CAPACITY_TYPE, 'on-demand')] }, types.instanceTypes);
    const input = clusterInput({ pods, nodes, pools: [onDemand] });
    const after = planned(input, 1);
    expect(after.unschedulable).toEqual([]);
    expect(after.cost.hourly).toBeCloseTo(4 * 0.021, 9);
    expect(checkPlan(input, after).filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('counts the first of its kind, which is bound before all others, for spread over domains that could be launched', () => {
    const { input } = firstOfItsKind();
    const after = planned(input, 1);
    expect(after.unschedulable).toEqual([]);
    const violations = checkPlan(input, after, { spread: { domains: 'launchable' } });
    expect(violations.filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('lets the first of its kind leave room for pods with spread that are placed already, whose turn comes after it', () => {
    const { put } = firstOfItsKind();
    expect([put('even', 0), put('even', 0), put('beside', 1)]).toEqual([true, true, false]);
  });

  test.each([false, true])(
    'lets no pod with spread be bound before the first of its kind, and any before the others (claim retyped: %s)',
    (isRetyped) => {
      const { put, retype } = firstOfItsKind();
      expect(put('beside')).toBe(true);
      if (isRetyped) retype();
      expect([put('beside'), put('even'), put('even')]).toEqual([true, true, false]);
    },
  );

  test.each([
    { host: 1, where: 'on its host, where it may be bound after them', isPut: true },
    { host: 0, where: 'elsewhere, where it would find others before it', isPut: false },
  ] as const)('places pods with spread that its affinity matches $where', ({ host, isPut }) => {
    const { put } = firstOfItsKind({ mayStartLate: true });
    expect([put('beside', 1), put('even', host), put('even', host)]).toEqual([true, true, isPut]);
  });

  test('knows the first of its kind no more when it is taken back', () => {
    const { put, takeBack } = firstOfItsKind();
    put('beside');
    takeBack('beside');
    expect([put('beside'), put('beside'), put('even'), put('even')]).toEqual([true, true, true, false]);
  });

  test.each([
    { key: HOST, kind: { app: 'b' } },
    { key: ZONE, kind: { part: 'free' } },
  ])(
    'keeps spread over domains that could be launched where pods with spread must be beside some that it counts ($key)',
    ({ key, kind }) => {
      const input = besideOthers(4, key, kind);
      const after = planned(input, 1);
      expect(after.unschedulable).toEqual([]);
      const violations = checkPlan(input, after, { spread: { domains: 'launchable' } });
      expect(violations.filter(({ level }) => level === 'error')).toEqual([]);
    },
  );

  test('places pods with spread beside some that it counts over the domains that there are, where they have no place else', () => {
    const input = besideOthers(2, ZONE, { part: 'free' });
    expect(planned(input, 0).unschedulable).toHaveLength(1);
    expect(planned(input, 1).unschedulable).toEqual([]);
  });

  test('moves a pod with a spread constraint although it could not be bound after all the others', () => {
    const labels = { app: 'web' };
    const pods = [
      ...replicas(3, {
        name: 'even',
        labels,
        requests: { cpu: '1900m', memory: '1Gi' },
        spread: [{ ...spreadOver(ARCH, labels), maxSkew: 2 }],
      }),
      ...replicas(4, {
        name: 'zonal',
        labels: { ...labels, part: 'zonal' },
        requests: { cpu: '100m', memory: '3500Mi' },
        spread: [spreadOver(ZONE, { part: 'zonal' })],
      }),
    ];
    const nodes = [
      node({
        name: 'small',
        labels: { [ARCH]: 'arm64' },
        zone: 'us-west-2b',
        allocatable: { cpu: '1920m', memory: '7372Mi', pods: '3' },
      }),
      node({
        name: 'large',
        labels: { [ARCH]: 'amd64' },
        zone: 'us-west-2c',
        allocatable: { cpu: '3920m', memory: '14745Mi', pods: '2' },
      }),
    ];
    const input = clusterInput({
      pods,
      nodes,
      pools: [poolOffer({ requirements: ON_DEMAND_AMD64 }, types.instanceTypes)],
    });
    const after = planned(input, 1);
    expect(after.unschedulable).toEqual([]);
    expect(after.cost.hourly).toBeCloseTo(2 * 0.021 + 0.085, 9);
    expect(checkPlan(input, after).filter(({ level }) => level === 'error')).toEqual([]);
  });

  test('places pods on one host, as a last resort, beside claims that spread does not look at', () => {
    const labels = { app: 'wide' };
    const pods = [
      ...replicas(6, {
        name: 'wide',
        labels,
        requests: { cpu: '500m', memory: '512Mi' },
        nodeAffinity: requiredTerms(nodeTerm(requirement('karpenter.k8s.aws/instance-cpu', 'Gt', ['2']))),
        spread: [spreadOver(HOST, labels)],
      }),
      ...replicas(2, { name: 'narrow', requests: { cpu: '1500m', memory: '1Gi' } }),
    ];
    const pool = poolOffer(
      { limits: { memory: '12Gi' }, requirements: ON_DEMAND_AMD64 },
      types.instanceTypes,
    );
    const input = clusterInput({ pods, pools: [pool] });
    const made = planned(input, 1);
    expect(made.unschedulable).toEqual([]);
    expect(checkPlan(input, made).filter(({ level }) => level === 'error')).toEqual([]);
    const narrow = made.claims.filter((claim) => claim.pods.some((name) => name.includes('narrow')));
    expect(narrow.map(({ instanceTypes }) => instanceTypes.includes('c6i.xlarge'))).toEqual([false, false]);
  });

  test('counts a claim that nothing is left on against the limits no more, however often it is let go of', () => {
    const pool = poolOffer({ limits: { nodes: '1' } }, types.instanceTypes);
    const input = clusterInput({ pods: replicas(1), pools: [pool] });
    const packing = new Packing(compileProblem(buildSnapshot(input), DEFAULT_PLAN_OPTIONS));
    packing.open(0);
    packing.dropEmpty();
    packing.dropEmpty();
    packing.open(0);
    expect(packing.isWithinLimits(0)).toBe(false);
  });
});
