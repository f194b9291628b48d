/** What a reason says would help does help: the change is made as it is told, and the pod is planned again. */
import fc from 'fast-check';
import { ARCH, INSTANCE_PREFIX, ZONE } from '../../../src/domain/values/labels.js';
import type { Pod } from '../../../src/domain/pods/pod.js';
import { requirement, type Requirement } from '../../../src/domain/values/requirement.js';
import { parseAmount } from '../../../src/domain/values/resources.js';
import type { PlannedClaim } from '../../../src/planning/plan.js';
import type { LimitShortage, Reason, ReasonCode } from '../../../src/planning/reason.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { oneOf, podTerm, spreadOver, taint, tolerateKey } from '../../support/builders/constraints.js';
import { daemonSet } from '../../support/builders/daemon-set.js';
import {
  instanceType,
  smallCatalogue,
  ZONE_A,
  ZONE_B,
  ZONE_C,
  ZONES,
} from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer, type NodePoolOverrides } from '../../support/builders/node-pool.js';
import { pod, type PodOverrides } from '../../support/builders/pod.js';
import { persistentVolume, volumeClaim } from '../../support/builders/volume.js';
import { fewerRuns, RUNS } from '../laws/plan-of.js';
import { placeOf, planFor, reasonFor } from '../read-plan.js';

type Of<Code extends ReasonCode> = Extract<Reason, { readonly code: Code }>;
type Input = Partial<ClusterInput>;

const FAMILY = `${INSTANCE_PREFIX}family`;
const web = { app: 'web' };

/** Why `default/pod` is left out; expects that it is, and for such a reason. */
function refused<Code extends ReasonCode>(input: Input, code: Code): Of<Code> {
  const reason = reasonFor(planFor(input));
  expect(reason?.code).toBe(code);
  return reason as Of<Code>;
}

function expectPlaced(input: Input): void {
  expect(planFor(input).unschedulable).toEqual([]);
}

function expectLeftOut(input: Input): void {
  expect(placeOf(planFor(input))).toBeUndefined();
}

/** The claim that `default/pod` is in. */
function claimOf(input: Input): PlannedClaim | undefined {
  const plan = planFor(input);
  return plan.claims.find(({ name }) => name === placeOf(plan));
}

describe('the smallest change by room', () => {
  const amounts = fc.record({
    cpu: fc.integer({ min: 100, max: 60_000 }),
    memory: fc.integer({ min: 1, max: 400_000 }),
    gpu: fc.constantFrom(0, 0, 0, 1, 5),
  });
  const asking = ({ cpu, memory, gpu }: { cpu: number; memory: number; gpu: number }): PodOverrides => ({
    requests: { cpu: `${String(cpu)}m`, memory: `${String(memory)}Mi`, 'nvidia.com/gpu': String(gpu) },
  });
  const agent = daemonSet({ requests: { cpu: '130m', memory: '70Mi' } });

  /** What the reason tells to ask less of. */
  function told(reason: Reason | undefined): readonly (readonly [resource: string, amount: number])[] {
    if (reason?.code === 'InsufficientResource')
      return [[reason.resource, reason.needed - Math.max(0, reason.largest)]];
    if (reason?.code !== 'InsufficientTogether') return [];
    return reason.short.split(' and ').map((part) => {
      const [amount = '', resource = ''] = part.split(' ');
      return [resource, parseAmount(resource, amount)];
    });
  }

  function less(from: Pod, by: readonly (readonly [string, number])[]): Pod {
    const requests = new Map(from.spec.requests);
    for (const [resource, amount] of by) requests.set(resource, (requests.get(resource) ?? 0) - amount);
    return { ...from, spec: { ...from.spec, requests } };
  }

  test('is enough, and one unit less is not', () => {
    fc.assert(
      fc.property(amounts, fc.subarray([...smallCatalogue()], { minLength: 1 }), (asked, types) => {
        const pools = [poolOffer({}, types)];
        const wanted = pod(asking(asked));
        const input = (pending: Pod): Input => ({ pods: [pending], pools, daemonSets: [agent] });
        const plan = planFor(input(wanted));
        if (plan.unschedulable.length === 0) return;
        const changes = told(reasonFor(plan));
        expect(changes).not.toEqual([]);
        expectPlaced(input(less(wanted, changes)));
        changes.forEach(([resource, amount], index) => {
          expectLeftOut(input(less(wanted, changes.with(index, [resource, amount - 1]))));
        });
      }),
      RUNS,
    );
  });

  test('names the families that are left, and the largest type', () => {
    const pools = [poolOffer({ requirements: [oneOf(FAMILY, 'g5', 'g6')] })];
    expect(
      refused({ pods: [pod(asking({ cpu: 100, memory: 1, gpu: 16 }))], pools }, 'InsufficientResource'),
    ).toMatchObject({ resource: 'nvidia.com/gpu', largest: 4, largestType: 'g5.12xlarge', families: ['g5'] });
  });
});

describe('the smallest change by limits', () => {
  function raised(limits: ReadonlyMap<string, number>, by: readonly LimitShortage[], but = -1) {
    const result = new Map(limits);
    by.forEach(({ resource, limit, inUse, needed }, index) => {
      result.set(resource, inUse + needed - (index === but ? 1 : 0) + 0 * limit);
    });
    return result;
  }

  test('is enough, and one unit less of any limit is not', () => {
    const limits = fc.record({
      cpu: fc.option(fc.integer({ min: 0, max: 6 }), { nil: undefined }),
      memory: fc.option(fc.integer({ min: 0, max: 20 }), { nil: undefined }),
      nodes: fc.option(fc.integer({ min: 0, max: 2 }), { nil: undefined }),
    });
    const cpu = fc.constantFrom('500m', '1900m', '3', '7');
    fc.assert(
      fc.property(
        limits,
        cpu,
        fc.integer({ min: 0, max: 2 }),
        ({ cpu: most, memory, nodes }, asked, used) => {
          const given = {
            ...(most === undefined ? {} : { cpu: String(most) }),
            ...(memory === undefined ? {} : { memory: `${String(memory)}Gi` }),
            ...(nodes === undefined ? {} : { nodes: String(nodes) }),
          };
          const offer = poolOffer({ limits: given });
          const full = Array.from({ length: used }, (_, index) =>
            node({ name: `n${String(index)}`, nodePool: 'default', allocatable: { cpu: '0' } }),
          );
          const input = (limited: ReadonlyMap<string, number>): Input => ({
            pods: [pod({ requests: { cpu: asked } })],
            nodes: full,
            pools: [{ ...offer, pool: { ...offer.pool, limits: limited } }],
          });
          const plan = planFor(input(offer.pool.limits));
          if (plan.unschedulable.length === 0) return;
          const { others = [], ...first } = refused(input(offer.pool.limits), 'LimitReached');
          const short = [first, ...others];
          expectPlaced(input(raised(offer.pool.limits, short)));
          short.forEach((_, index) => {
            expectLeftOut(input(raised(offer.pool.limits, short, index)));
          });
        },
      ),
      fewerRuns(1.5),
    );
  });

  test('counts what claims of the same plan were opened for, not what else they list', () => {
    const pools = [
      poolOffer({ limits: { cpu: '3' } }, [
        instanceType(),
        instanceType({ name: 'm5.xlarge', vcpu: 3, price: 0.2 }),
      ]),
    ];
    const pods = [pod({ name: 'first', requests: { cpu: '1500m' } }), pod({ requests: { cpu: '1500m' } })];
    expect(refused({ pods, pools }, 'LimitReached')).toMatchObject({ inUse: 2000, needed: 2000 });
  });

  test('says how much of it nodes have that are being removed', () => {
    const of = { nodePool: 'default', allocatable: { cpu: '1' }, capacity: { cpu: '2' } };
    const nodes = [
      node({ ...of, name: 'stays' }),
      node({ ...of, name: 'goes', taints: [taint('karpenter.sh/disrupted')] }),
      node({ ...of, name: 'goes too', nodePool: 'other', taints: [taint('karpenter.sh/disrupted')] }),
    ];
    const pods = [pod({ requests: { cpu: '1500m' } })];
    const pools = [poolOffer({ limits: { cpu: '5' } })];
    expect(refused({ pods, nodes, pools }, 'LimitReached')).toMatchObject({ inUse: 4000, leaving: 2000 });
  });
});

describe('the smallest change by taints and labels', () => {
  test('is a toleration for every taint that the pod does not tolerate', () => {
    const keys = ['team', 'gpu', 'zone', 'soft'];
    fc.assert(
      fc.property(fc.subarray(keys, { minLength: 1 }), fc.subarray(keys), (tainted, tolerated) => {
        const taints = tainted.map((key) =>
          taint(key, 'x', key === 'soft' ? 'PreferNoSchedule' : 'NoSchedule'),
        );
        const pools = [poolOffer({ taints })];
        const input = (with_: readonly string[]): Input => ({
          pods: [pod({ tolerations: [...tolerated, ...with_].map((key) => tolerateKey(key)) })],
          pools,
        });
        if (planFor(input([])).unschedulable.length === 0) return;
        const { taint: first, others = [] } = refused(input([]), 'UntoleratedTaint');
        const missing = [first, ...others].map(({ key }) => key);
        expectPlaced(input(missing));
        for (const key of missing) expectLeftOut(input(missing.filter((each) => each !== key)));
      }),
      fewerRuns(1.5),
    );
  });

  test('is any of the values that the requirements of the pool leave out', () => {
    const input = (...zones: readonly string[]): Input => ({
      pods: [pod({ nodeAffinity: { required: [term(oneOf(ZONE, ZONE_A, ZONE_B, 'us-east-1x'))] } })],
      pools: [poolOffer({ requirements: [oneOf(ZONE, ...zones)] })],
    });
    const { pool, wanted, offered } = refused(input(ZONE_C), 'IncompatibleLabel');
    expect([wanted, offered]).toEqual([`In [${ZONE_A}, ${ZONE_B}, us-east-1x]`, `[${ZONE_C}]`]);
    expect(pool).toEqual({ kind: 'allow', values: [ZONE_A, ZONE_B] });
    for (const value of pool?.values ?? []) expectPlaced(input(ZONE_C, value));
  });

  test('is a label of the pool where nothing else decides it', () => {
    const input = (labels: Readonly<Record<string, string>>): Input => ({
      pods: [pod({ nodeSelector: { 'example.com/team': 'red' } })],
      pools: [poolOffer({ labels })],
    });
    const { pool } = refused(input({}), 'IncompatibleLabel');
    expect(pool).toEqual({ kind: 'label', values: ['red'] });
    expectPlaced(input({ 'example.com/team': pool?.values[0] ?? '' }));
  });

  test('is up to the pod where no type of the node class has the label', () => {
    const pods = [pod({ nodeSelector: { [FAMILY]: 'p5' } })];
    expect(refused({ pods }, 'IncompatibleLabel').pool).toBeUndefined();
  });

  test('is any one label of a combination, and only one that helps', () => {
    const selector = { [FAMILY]: 'g5', [ARCH]: 'arm64', [ZONE]: ZONE_A };
    const input = (but = ''): Input => ({
      pods: [
        pod({ nodeSelector: Object.fromEntries(Object.entries(selector).filter(([key]) => key !== but)) }),
      ],
    });
    const { widen = [] } = refused(input(), 'NoOffering');
    expect(widen).toEqual([FAMILY, ARCH]);
    for (const key of Object.keys(selector)) {
      if (widen.includes(key)) expectPlaced(input(key));
      else expectLeftOut(input(key));
    }
  });

  test('is any one of the requirements that leave a pool nothing to launch', () => {
    const requirements = [oneOf(FAMILY, 'g5'), oneOf(ARCH, 'arm64'), oneOf(ZONE, ZONE_A)];
    const input = (list: readonly Requirement[]): Input => ({
      pods: [pod()],
      pools: [poolOffer({ requirements: list })],
    });
    const { widen = [] } = refused(input(requirements), 'NoOffering');
    expect(widen).toEqual([FAMILY, ARCH]);
    for (const key of widen) expectPlaced(input(requirements.filter((item) => item.key !== key)));
  });

  test('is minValues lowered to what holds the pod', () => {
    const input = (minValues: number): Input => ({
      pods: [pod({ requests: { cpu: '7' } })],
      pools: [poolOffer({ requirements: [requirement(FAMILY, 'Exists', [], minValues)] })],
    });
    const { available, wanted } = refused(input(9), 'MinValues');
    expect([wanted, available]).toEqual([9, 6]);
    expectPlaced(input(available));
    expectLeftOut(input(available + 1));
  });
});

function term(item: Requirement) {
  return { labels: new Map([[item.key, item]]), fields: new Map() };
}

describe('the smallest change by topology', () => {
  /** Members that run in these zones, one node each that has no room left. */
  function running(zones: readonly string[]): Pick<ClusterInput, 'pods' | 'nodes'> {
    return {
      pods: zones.map((_, index) =>
        pod({ name: `old-${String(index)}`, labels: web, nodeName: `n${String(index)}` }),
      ),
      nodes: zones.map((zone, index) =>
        node({ name: `n${String(index)}`, zone, allocatable: { cpu: '100m', memory: '128Mi' } }),
      ),
    };
  }

  const launching = (...zones: readonly string[]): NodePoolOverrides => ({
    requirements: [oneOf(ZONE, ...zones)],
  });

  test('is the least maxSkew that would do, or room in the domain that is short', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(ZONE_A, ZONE_B), { maxLength: 4 }), (zones) => {
        const before = running([...zones, ZONE_A]);
        const empty = node({ name: 'empty', zone: ZONE_C, allocatable: { cpu: '0' } });
        const input = (maxSkew: number, ...extra: readonly string[]): Input => ({
          nodes: [...before.nodes, empty],
          pods: [...before.pods, pod({ labels: web, spread: [spreadOver(ZONE, web, { maxSkew })] })],
          pools: [poolOffer(launching(ZONE_A, ...extra))],
        });
        const { needed = 0, nearest, least } = refused(input(1), 'TopologySpread');
        expect(least).toEqual({ domain: ZONE_C, pods: 0 });
        expect(nearest?.domain).toBe(ZONE_A);
        expect(needed).toBe((nearest?.pods ?? 0) + 1);
        expectPlaced(input(needed));
        expectLeftOut(input(needed - 1));
        expectPlaced(input(1, least?.domain ?? ''));
      }),
      fewerRuns(4),
    );
  });

  test('is minDomains lowered to the domains that there are', () => {
    const before = running([ZONE_A, ZONE_B]);
    const input = (minDomains: number, maxSkew = 1): Input => ({
      ...before,
      pods: [...before.pods, pod({ labels: web, spread: [spreadOver(ZONE, web, { minDomains, maxSkew })] })],
      pools: [poolOffer(launching(ZONE_A, ZONE_B))],
    });
    const { domains = 0, needed = 0 } = refused(input(3), 'TopologySpread');
    expect([domains, needed]).toEqual([2, 2]);
    expectPlaced(input(domains));
    expectPlaced(input(3, needed));
  });

  test('is a label where the nodes of the pool are in no domain', () => {
    const input = (labels: Readonly<Record<string, string>>): Input => ({
      pods: [pod({ labels: web, spread: [spreadOver('rack', web)] })],
      pools: [poolOffer({ labels })],
    });
    expect(refused(input({}), 'TopologySpread').unlabelled).toBe(true);
    expectPlaced(input({ rack: 'r1' }));
  });

  test('is the zone where the pods are that it wants', () => {
    const before = running([ZONE_B]);
    const input = (...zones: readonly string[]): Input => ({
      ...before,
      pods: [...before.pods, pod({ podAffinity: { required: [podTerm(ZONE, web)] } })],
      pools: [poolOffer(launching(...zones))],
    });
    const { matching = [] } = refused(input(ZONE_A), 'PodAffinity');
    expect(matching).toEqual([ZONE_B]);
    expect(claimOf(input(ZONE_A, ...matching))?.zones).toEqual([ZONE_B]);
  });

  test('is a pod that matches, or itself as one, where none does', () => {
    const input = (labels: Readonly<Record<string, string>>, ...more: readonly Pod[]): Input => ({
      pods: [pod({ labels, podAffinity: { required: [podTerm(ZONE, web)] } }), ...more],
    });
    expect(refused(input({}), 'PodAffinity').matching).toEqual([]);
    expectPlaced(input(web));
    expectPlaced(input({}, pod({ name: 'web', labels: web })));
  });

  test('is a domain beyond those that are taken', () => {
    const before = running([ZONE_A, ZONE_B]);
    const input = (...zones: readonly string[]): Input => ({
      ...before,
      pods: [...before.pods, pod({ podAntiAffinity: { required: [podTerm(ZONE, web)] } })],
      pools: [poolOffer(launching(...zones))],
    });
    const { taken = [] } = refused(input(ZONE_A, ZONE_B), 'PodAntiAffinity');
    expect(taken).toEqual([ZONE_A, ZONE_B]);
    const free = ZONES.filter((zone) => !taken.includes(zone));
    expectPlaced(input(ZONE_A, ...free));
  });
});

describe('the smallest change by what a node has once', () => {
  test('is another port than that of the DaemonSet', () => {
    const on = (port: number) => [{ hostIP: '0.0.0.0', protocol: 'TCP', port }];
    const input = (port: number): Input => ({
      pods: [pod({ hostPorts: on(port) })],
      daemonSets: [daemonSet({ name: 'agent', hostPorts: on(9100) })],
    });
    expect(refused(input(9100), 'HostPortConflict').daemonSet).toBe('kube-system/agent');
    expectPlaced(input(9101));
  });

  test('is the zone of the volume', () => {
    const input = (...zones: readonly string[]): Input => ({
      pods: [pod({ volumes: ['data'] })],
      persistentVolumeClaims: [volumeClaim({ volumeName: 'pv' })],
      persistentVolumes: [persistentVolume({ zone: ZONE_B })],
      pools: [poolOffer({ requirements: [oneOf(ZONE, ...zones)] })],
    });
    const { wanted, offered } = refused(input(ZONE_A), 'VolumeTopology');
    expect([wanted, offered]).toEqual([`${ZONE} In [${ZONE_B}]`, `[${ZONE_A}]`]);
    expectPlaced(input(ZONE_A, ZONE_B));
  });
});
