/** Laws of every schedule: whatever is asked for, no node is overcommitted and no hard rule is broken at a binding. */
import fc from 'fast-check';
import { parseAmount } from '../../../src/domain/values/resources.js';
import { podSpec, SimulatedCluster, type SeenPod } from '../../support/simulated-cluster.js';

const ZONES = ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'];
const APPS = ['one', 'two', 'three'];

/** What all pods of an app ask. */
interface Rules {
  readonly spread: boolean;
  readonly apart: boolean;
}

interface WantedPod extends Rules {
  readonly app: string;
  readonly cpu: number;
}

const rules = fc.record({ spread: fc.boolean(), apart: fc.boolean() });
const world = fc.record({
  seed: fc.nat(1_000),
  zones: fc.array(fc.constantFrom(...ZONES), { minLength: 1, maxLength: 5 }),
  rules: fc.tuple(rules, rules, rules),
  pods: fc.array(fc.record({ app: fc.nat(2), cpu: fc.integer({ min: 50, max: 1500 }) }), {
    minLength: 1,
    maxLength: 25,
  }),
});

function specOf({ app, cpu, spread, apart }: WantedPod): Readonly<Record<string, unknown>> {
  const labelSelector = { matchLabels: { app } };
  return podSpec(
    { cpu: `${String(cpu)}m`, memory: '64Mi' },
    {
      ...(spread && {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: 'topology.kubernetes.io/zone',
            whenUnsatisfiable: 'DoNotSchedule',
            labelSelector,
          },
        ],
      }),
      ...(apart && {
        affinity: {
          podAntiAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'kubernetes.io/hostname', labelSelector },
            ],
          },
        },
      }),
    },
  );
}

/** What is wrong when this pod is on its node beside those that were bound before. */
function broken(cluster: SimulatedCluster, pod: SeenPod, before: readonly SeenPod[]): readonly string[] {
  const node = cluster.api.get('nodes', { name: pod.spec.nodeName ?? '' });
  const status = node?.['status'] as { readonly allocatable: Readonly<Record<string, string>> } | undefined;
  const beside = before.filter(({ spec }) => spec.nodeName === pod.spec.nodeName);
  const cpu = [...beside, pod].reduce((sum, each) => sum + cpuOf(each), 0);
  const isTogether = isApart(pod) && beside.some((each) => appOf(each) === appOf(pod));
  return [
    ...(cpu > parseAmount('cpu', status?.allocatable['cpu'] ?? '0') ? ['overcommitted'] : []),
    ...(isTogether ? ['together'] : []),
  ];
}

function appOf({ metadata }: SeenPod): string | undefined {
  return metadata.labels?.['app'];
}

function cpuOf({ spec }: SeenPod): number {
  const [container] = spec['containers'] as readonly {
    readonly resources: { readonly requests: { readonly cpu: string } };
  }[];
  return parseAmount('cpu', container?.resources.requests.cpu ?? '0');
}

function isApart({ spec }: SeenPod): boolean {
  return spec['affinity'] !== undefined;
}

/** Bindings come in another order than decisions: what counts is how the pods lie in the end. */
function skew(cluster: SimulatedCluster, pods: readonly SeenPod[]): number {
  const zones = new Map(
    cluster.api
      .list('nodes')
      .map(({ metadata }) => [metadata.name, metadata.labels?.['topology.kubernetes.io/zone'] ?? '']),
  );
  const counts = new Map([...zones.values()].map((zone) => [zone, 0]));
  for (const { spec } of pods) {
    const zone = zones.get(spec.nodeName ?? '') ?? '';
    counts.set(zone, (counts.get(zone) ?? 0) + 1);
  }
  return Math.max(...counts.values()) - Math.min(...counts.values());
}

describe('placements', () => {
  test('no binding overcommits a node, breaks a spread or puts pods together that are to be apart', async () => {
    await fc.assert(
      fc.asyncProperty(world, async ({ seed, zones, rules: ruleOf, pods }) => {
        const cluster = new SimulatedCluster({ seed });
        const bound: SeenPod[] = [];
        const faults: string[] = [];
        cluster.api.watch('pods', ({ object }) => {
          const pod = object as unknown as SeenPod;
          const isKnown = bound.some(({ metadata }) => metadata.uid === pod.metadata.uid);
          if (isKnown || pod.spec.nodeName === undefined) return;
          faults.push(...broken(cluster, pod, bound));
          bound.push(pod);
        });
        await cluster.addNodes(...zones.map((zone) => ({ zone, instanceType: 'm7i.large' })));
        for (const [index, { app, cpu }] of pods.entries()) {
          const pod = { ...(ruleOf[app] ?? { spread: false, apart: false }), app: APPS[app] ?? '', cpu };
          await cluster.create('pods', {
            metadata: { namespace: 'default', name: `p-${String(index)}`, labels: { app: pod.app } },
            spec: specOf(pod),
          });
        }
        await cluster.pass(20);
        const skews = APPS.filter((_, index) => ruleOf[index]?.spread === true).map((app) =>
          skew(
            cluster,
            bound.filter((pod) => appOf(pod) === app),
          ),
        );
        expect(faults).toEqual([]);
        expect(Math.max(0, ...skews)).toBeLessThanOrEqual(1);
        expect(bound.length).toBeGreaterThan(0);
      }),
      { numRuns: 25 },
    );
  });
});
