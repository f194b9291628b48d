/** A plan that holds in one order of binding only: its Reservations carry that order, and are written in it. */
import type { KubeWriter } from '../../../src/ports/kube-writer.js';
import type { Planner } from '../../../src/ports/planner.js';
import { PortError } from '../../../src/ports/port-error.js';
import { podTerm } from '../../support/builders/constraints.js';
import { nodePoolDocument } from '../../support/builders/policy-status.js';
import { unschedulablePod } from '../../support/builders/unschedulable-pod.js';
import { ProvisioningWorld } from './provisioning-world.js';

/** A pool that only pods with its selector can use. */
function poolOf(team: string): ReturnType<typeof nodePoolDocument> {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  const spec = { requirements: [], nodeClassRef };
  return nodePoolDocument(team, { template: { metadata: { labels: { team } }, spec } });
}

/**
 * Pod `first` has an affinity to the label that both pods have, and may begin that group on its own machine; were `late`
 * bound before it on the instance of another pool, `first` could go nowhere.
 */
function world(): ProvisioningWorld {
  const planted = new ProvisioningWorld([poolOf('red'), poolOf('blue')]);
  const labels = { app: 'web' };
  const company = { required: [podTerm('kubernetes.io/hostname', labels)] };
  planted.pods([
    unschedulablePod({ name: 'late', uid: 'late', labels, nodeSelector: { team: 'blue' } }),
    unschedulablePod({
      name: 'first',
      uid: 'first',
      labels,
      nodeSelector: { team: 'red' },
      podAffinity: company,
    }),
  ]);
  return planted;
}

/** A planner whose plans hold only when the pods of these names are bound in this order. */
function ordered(planner: Planner, order: readonly string[]): Planner {
  const awaited = new Map(order.slice(1).map((name, index) => [`default/${name}`, order[index] ?? '']));
  return {
    plan: async (request, signal) => {
      const { plan, ...rest } = await planner.plan(request, signal);
      const placements = plan.placements.map((placement) => {
        const other = awaited.get(placement.pod);
        return other === undefined ? placement : { ...placement, after: [`default/${other}`] };
      });
      return { ...rest, plan: { ...plan, placements } };
    },
    disrupt: (request, signal) => planner.disrupt(request, signal),
    close: () => planner.close(),
  };
}

/** An API server that refuses Reservations with an entry of this pod for the first seconds. */
function refusingFor(planted: ProvisioningWorld, uid: string): KubeWriter {
  const end = planted.clock.monotonic() + 5000;
  return new Proxy(planted.kube, {
    get: (target, name): unknown => {
      const method = Reflect.get(target, name) as (...args: readonly unknown[]) => unknown;
      return (...args: readonly unknown[]) => {
        const isRefused =
          String(name).includes('Reservation') && JSON.stringify(args).includes(`"podUID":"${uid}"`);
        if (!isRefused || planted.clock.monotonic() > end) return method.apply(target, [...args]);
        return Promise.reject(new PortError('Invalid', { operation: 'create', message: 'a bad label' }));
      };
    },
  });
}

/** Uids of pods in the order in which their entries appear while the order is carried out. */
async function writtenPods(
  planted: ProvisioningWorld,
  order: readonly string[],
  kube: KubeWriter = planted.kube,
): Promise<readonly string[]> {
  const { cluster } = planted.start(kube, { aroundPlanner: (planner) => ordered(planner, order) });
  const seen = new Set<string>();
  cluster.reservations.subscribe(({ after }) => {
    for (const { podUID = '' } of after?.entries ?? []) seen.add(podUID);
  });
  await planted.clock.advance(3000);
  return [...seen];
}

/** Pod's uid → pods that must be bound before it, as its Reservation says. */
function orders(planted: ProvisioningWorld): Readonly<Record<string, readonly string[] | undefined>> {
  const entries = planted.kube.objects.list('Reservation').flatMap(({ entries: held }) => held);
  return Object.fromEntries(entries.map(({ podUID = '', after }) => [podUID, after]));
}

describe('a plan that holds in one order only', () => {
  test('has its order in the Reservations, by the uids of pods', async () => {
    const planted = world();
    planted.start();
    await planted.clock.advance(3000);
    expect(orders(planted)).toEqual({ first: undefined, late: ['first'] });
  });

  test.each([
    ['red', 'blue', 'green'],
    ['red', 'green', 'blue'],
    ['blue', 'red', 'green'],
    ['blue', 'green', 'red'],
    ['green', 'red', 'blue'],
    ['green', 'blue', 'red'],
  ])(
    'has the pods %s, %s and %s written one after the other, where each waits for the one before',
    async (...order) => {
      const planted = new ProvisioningWorld(order.map(poolOf));
      planted.pods(order.map((team) => unschedulablePod({ name: team, uid: team, nodeSelector: { team } })));
      expect(await writtenPods(planted, order)).toEqual(order);
    },
  );

  test('has no pod written while one that it waits for could not be; all are once that is', async () => {
    const planted = new ProvisioningWorld(['red', 'blue', 'green'].map(poolOf));
    const order = ['red', 'blue', 'green'];
    planted.pods(order.map((team) => unschedulablePod({ name: team, uid: team, nodeSelector: { team } })));
    const kube = refusingFor(planted, 'red');
    expect(await writtenPods(planted, order, kube)).toEqual([]);
    await planted.clock.advance(60_000);
    expect(orders(planted)).toEqual({ red: undefined, blue: ['red'], green: ['blue'] });
  });

  test('has pods of two instances that wait for each other’s written in the order of the pods', async () => {
    const planted = new ProvisioningWorld([poolOf('red'), poolOf('blue')]);
    const order = ['red-1', 'blue-1', 'red-2', 'blue-2'];
    planted.pods(
      order.map((name) =>
        unschedulablePod({ name, uid: name, nodeSelector: { team: name.replace(/-.*/, '') } }),
      ),
    );
    expect(await writtenPods(planted, order)).toEqual(order);
    expect(planted.claims()).toHaveLength(2);
  });
});
