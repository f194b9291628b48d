/** ProvisioningRequests, from their creation until their pods have come or their time is over; nodes are claims, or made by hand. */
import { setMaxListeners } from 'node:events';
import { ClaimsInWork } from '../../../src/controllers/claims-in-work.js';
import { ResolvedNodeClasses } from '../../../src/controllers/policies/resolved-node-classes.js';
import { ProvisioningRequestsController } from '../../../src/controllers/provisioning-requests/provisioning-requests-controller.js';
import { ReservationsController } from '../../../src/controllers/reservations/reservations-controller.js';
import { Safeguards } from '../../../src/controllers/safeguards/safeguards.js';
import {
  ATOMIC_SCALE_UP,
  CHECK_CAPACITY,
  CONSUMES_ANNOTATION,
  type ProvisioningRequest,
} from '../../../src/domain/pods/provisioning-request.js';
import { Mutex } from '../../../src/runtime/concurrency/mutex.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { UnavailableOfferings } from '../../../src/state/nodes/unavailable-offerings.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { observedPod } from '../../support/builders/observed-pod.js';
import { pod } from '../../support/builders/pod.js';
import { nodeClassDocument } from '../../support/builders/policy-document.js';
import { nodePoolDocument, putAccepted } from '../../support/builders/policy-status.js';
import { InlinePlanner } from '../../support/inline-planner.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { SmallCloud, smallCloudCatalogue } from '../../support/small-cloud.js';
import { VirtualClock } from '../../support/virtual-clock.js';

class RequestWorld {
  readonly clock = new VirtualClock();
  readonly kube = new InMemoryKube({ clock: this.clock });
  readonly objects = this.kube.objects;

  constructor(limits: Readonly<Record<string, string>> = {}) {
    putAccepted(this.objects, [nodePoolDocument('general', { limits }), nodeClassDocument('default')]);
  }

  /** Starts a process; answers what kills it. */
  start({ needsApproval = false, processorInstance = '' } = {}): () => void {
    const cluster = new Cluster();
    const unwatch = this.objects.watch(cluster);
    const abort = new AbortController();
    setMaxListeners(0, abort.signal);
    const { clock, kube } = this;
    const { recorder } = recordedDecisions();
    const { logger } = recordingLogger();
    const common = {
      cluster,
      clock,
      kube,
      recorder,
      logger,
      metrics: createMetrics(),
      random: seededRandom(7),
    };
    const catalogue = smallCloudCatalogue();
    const requests = new ProvisioningRequestsController({
      ...common,
      planner: new InlinePlanner({ cluster, clock }),
      catalogue: () => catalogue,
      resolved: new ResolvedNodeClasses({ cloud: new SmallCloud(), clock }),
      unavailableOfferings: new UnavailableOfferings(),
      safeguards: new Safeguards(common),
      mutex: new Mutex(),
      claimsInWork: new ClaimsInWork(),
      needsApproval,
      processorInstance,
    });
    void requests.run(abort.signal);
    void new ReservationsController({ ...common, roomLost: requests.roomLost }).run(abort.signal);
    return () => {
      abort.abort();
      unwatch();
    };
  }

  node(name: string, cpu = '4'): void {
    this.objects.put('Node', observedNode({ name, allocatable: { cpu, memory: '16Gi', pods: '110' } }));
  }

  template(name: string, cpu: string): void {
    const own = pod({ name, requests: { cpu } });
    this.objects.put('PodTemplate', { namespace: 'default', name, uid: name, resourceVersion: '', pod: own });
  }

  request(overrides: Partial<ProvisioningRequest> = {}): void {
    this.objects.put('ProvisioningRequest', {
      ...{ namespace: 'default', name: 'train', uid: 'uid-train', resourceVersion: '', generation: 1 },
      ...{ createdAt: this.clock.now(), apiVersion: 'autoscaling.x-k8s.io/v1', className: CHECK_CAPACITY },
      ...{ validSeconds: 604_800, noRetry: false, partialCheck: undefined, processorInstance: '' },
      ...{ conditions: [], schedulablePodSets: undefined },
      podSets: [{ template: 'worker', count: 3 }],
      ...overrides,
    });
  }

  /** `Accepted=True Accepted`, sorted. */
  told(): readonly string[] {
    const conditions = this.objects.get('ProvisioningRequest', 'default/train')?.conditions ?? [];
    return conditions.map(({ type, status, reason }) => `${type}=${status} ${reason}`).sort();
  }

  /** The templates that there is room for, as its status tells. */
  schedulable(): string | undefined {
    return this.objects.get('ProvisioningRequest', 'default/train')?.schedulablePodSets;
  }

  message(type: string): string {
    const conditions = this.objects.get('ProvisioningRequest', 'default/train')?.conditions ?? [];
    return conditions.find((each) => each.type === type)?.message ?? '';
  }

  /** `a: train × 2`, `a: worker-1`, sorted. */
  held(): readonly string[] {
    return this.objects
      .list('Reservation')
      .flatMap(({ target, entries }) =>
        entries.map(({ owner, podUID, count }) =>
          owner === undefined
            ? `${target.name}: ${String(podUID)}`
            : `${target.name}: ${owner.name} × ${String(count)}`,
        ),
      )
      .sort();
  }

  /** A pod that consumes the request. */
  consumer(name: string, cpu: string, nodeName?: string): void {
    this.objects.put(
      'Pod',
      observedPod({
        ...{ name, uid: name, requests: { cpu }, nodeName, owner: { kind: 'Job', name: 'train' } },
        ...{
          phase: nodeName === undefined ? 'Pending' : 'Running',
          annotations: { [CONSUMES_ANNOTATION]: 'train' },
        },
      }),
    );
  }
}

const FOUND = ['Accepted=True Accepted', 'Provisioned=True CapacityIsFound'];
const NOT_FOUND = ['Accepted=True Accepted', 'Provisioned=False CapacityIsNotFound'];

test('a check of capacity that the cluster has room for holds that room for ten minutes', async () => {
  const world = new RequestWorld();
  world.start();
  world.node('a');
  world.template('worker', '1');
  world.request();
  await world.clock.advance(1000);
  expect(world.told()).toEqual(FOUND);
  expect(world.held()).toEqual(['a: train × 3']);
  await world.clock.advance(590_000);
  expect(world.held()).toEqual(['a: train × 3']);
  await world.clock.advance(10_000);
  expect(world.held()).toEqual([]);
  expect(world.told()).toEqual([
    'Accepted=True Accepted',
    'BookingExpired=True CapacityReservationTimeExpired',
    ...FOUND.slice(1),
  ]);
});

test('what is held for one request is no room for another', async () => {
  const world = new RequestWorld();
  world.start();
  world.node('a');
  world.template('worker', '1');
  world.request({ name: 'first', uid: 'uid-first' });
  await world.clock.advance(1000);
  world.request();
  await world.clock.advance(1000);
  expect(world.told()).toEqual(NOT_FOUND);
  expect(world.message('Provisioned')).toContain('no room for 2 of 3 pods');
  expect(world.held()).toEqual(['a: first × 3']);
});

test('a check of capacity launches nothing, and finds room that comes later', async () => {
  const world = new RequestWorld();
  world.start();
  world.node('a', '2');
  world.template('worker', '1');
  world.request();
  await world.clock.advance(1000);
  expect(world.told()).toEqual(NOT_FOUND);
  expect(world.held()).toEqual([]);
  world.node('b', '2');
  await world.clock.advance(60_000);
  expect(world.told()).toEqual(FOUND);
  expect(world.held()).toEqual(['a: train × 2', 'b: train × 1']);
  expect(world.objects.list('NodeClaim')).toEqual([]);
});

test('a request that asks for one look has failed where there is no room', async () => {
  const world = new RequestWorld();
  world.start();
  world.template('worker', '1');
  world.request({ noRetry: true });
  await world.clock.advance(1000);
  expect(world.told()).toEqual(['Accepted=True Accepted', 'Failed=True CapacityIsNotFound']);
});

test('a request is tried for as long as it is valid, and then has failed', async () => {
  const world = new RequestWorld();
  world.start();
  world.template('worker', '1');
  world.request({ validSeconds: 300 });
  await world.clock.advance(299_000);
  expect(world.told()).toEqual(NOT_FOUND);
  await world.clock.advance(2000);
  expect(world.told()).toContain('Failed=True Expired');
});

test('a request waits for its templates, and says which one is missing', async () => {
  const world = new RequestWorld();
  world.start();
  world.node('a');
  world.request();
  await world.clock.advance(9000);
  expect(world.told()).toEqual([]);
  await world.clock.advance(2000);
  expect(world.told()).toEqual(['Accepted=False PodTemplateNotFound']);
  expect(world.message('Accepted')).toContain('PodTemplate worker does not exist');
  world.template('worker', '1');
  await world.clock.advance(1000);
  expect(world.told()).toEqual(FOUND);
});

test('a request for too many pods has failed, and stops no other', async () => {
  const world = new RequestWorld();
  world.start();
  world.node('a');
  world.template('worker', '1');
  world.request({ name: 'huge', uid: 'uid-huge', podSets: [{ template: 'worker', count: 2 ** 31 - 1 }] });
  world.request();
  await world.clock.advance(1000);
  expect(world.told()).toEqual(FOUND);
  const huge = world.objects.get('ProvisioningRequest', 'default/huge');
  expect(huge?.conditions.map(({ reason }) => reason)).toEqual(['FailedToCreatePods']);
});

test('requests of other classes are left to others', async () => {
  const world = new RequestWorld();
  world.start();
  world.template('worker', '1');
  world.request({ className: 'queued-provisioning.gke.io' });
  await world.clock.advance(60_000);
  expect(world.told()).toEqual([]);
});

describe('of a check of capacity by pod set', () => {
  const podSets = [
    { template: 'driver', count: 1 },
    { template: 'worker', count: 2 },
    { template: 'helper', count: 3 },
  ];

  function given(): RequestWorld {
    const world = new RequestWorld();
    world.start();
    world.node('a', '4');
    world.template('driver', '5');
    world.template('worker', '1');
    world.template('helper', '1');
    return world;
  }

  test('the room of the sets that fit is held with bookPartial, each set whole and after those before it', async () => {
    const world = given();
    world.request({ podSets, partialCheck: 'bookPartial' });
    await world.clock.advance(1000);
    expect(world.told()).toEqual(['Accepted=True Accepted', 'Provisioned=True PartialCapacityIsFound']);
    expect(world.message('Provisioned')).toContain('of the templates worker only');
    expect(world.schedulable()).toBe('["worker"]');
    expect(world.held()).toEqual(['a: train × 2']);
    await world.clock.advance(600_000);
    expect(world.told()).toContain('BookingExpired=True CapacityReservationTimeExpired');
    expect(world.held()).toEqual([]);
  });

  test('nothing is held with checkOnly until there is room for all, which is looked for again', async () => {
    const world = given();
    world.request({ podSets, partialCheck: 'checkOnly' });
    await world.clock.advance(1000);
    expect(world.told()).toEqual(['Accepted=True Accepted', 'Provisioned=False PartialCapacityIsFound']);
    expect(world.schedulable()).toBe('["worker"]');
    expect(world.held()).toEqual([]);
    world.node('b', '8');
    await world.clock.advance(60_000);
    expect(world.told()).toEqual(FOUND);
    expect(world.schedulable()).toBe('["driver","worker","helper"]');
    expect(world.held().length).toBeGreaterThan(0);
  });

  test('where no set fits it is as without: nothing is found, and a single look has failed', async () => {
    const world = given();
    const huge = [{ template: 'driver', count: 1 }];
    world.request({ podSets: huge, partialCheck: 'bookPartial' });
    await world.clock.advance(1000);
    expect(world.told()).toEqual(NOT_FOUND);
    expect(world.message('Provisioned')).toContain('no room for 1 of 1 pod');
    expect(world.schedulable()).toBeUndefined();
    world.request({ podSets: huge, partialCheck: 'checkOnly', noRetry: true });
    await world.clock.advance(1000);
    expect(world.told()).toEqual(['Accepted=True Accepted', 'Failed=True CapacityIsNotFound']);
  });
});

test.each([
  { ofProcess: '', ofRequest: '', className: CHECK_CAPACITY, isAnswered: true },
  { ofProcess: '', ofRequest: 'gpus', className: CHECK_CAPACITY, isAnswered: false },
  { ofProcess: 'gpus', ofRequest: 'gpus', className: CHECK_CAPACITY, isAnswered: true },
  { ofProcess: 'gpus', ofRequest: 'cpus', className: CHECK_CAPACITY, isAnswered: false },
  { ofProcess: 'gpus', ofRequest: '', className: CHECK_CAPACITY, isAnswered: false },
  { ofProcess: '', ofRequest: 'gpus', className: ATOMIC_SCALE_UP, isAnswered: true },
  { ofProcess: 'gpus', ofRequest: 'gpus', className: ATOMIC_SCALE_UP, isAnswered: false },
])(
  'the instance "$ofProcess" and a request of $className that names "$ofRequest": answered is $isAnswered',
  async ({ ofProcess, ofRequest, className, isAnswered }) => {
    const world = new RequestWorld();
    world.start({ processorInstance: ofProcess });
    world.node('a');
    world.template('worker', '1');
    world.request({ className, processorInstance: ofRequest });
    await world.clock.advance(1000);
    expect(world.told()).toEqual(isAnswered ? FOUND : []);
  },
);

test('pods that name the request take its room, each that of its own template', async () => {
  const world = new RequestWorld();
  world.start();
  world.node('a', '8');
  world.template('worker', '1');
  world.template('driver', '2');
  const podSets = [
    { template: 'driver', count: 1 },
    { template: 'worker', count: 2 },
  ];
  world.request({ podSets });
  await world.clock.advance(1000);
  expect(world.held()).toEqual(['a: train × 1', 'a: train × 2']);
  world.consumer('worker-1', '1');
  await world.clock.advance(1000);
  expect(world.held()).toEqual(['a: train × 1', 'a: train × 1', 'a: worker-1']);
  world.consumer('driver-1', '2', 'a');
  world.consumer('worker-1', '1', 'a');
  world.consumer('worker-2', '1', 'a');
  await world.clock.advance(1000);
  expect(world.held()).toEqual([]);
  expect(world.told()).toEqual(FOUND);
});

test('a request whose room is lost with its node is marked so', async () => {
  const world = new RequestWorld();
  world.start();
  world.node('a');
  world.template('worker', '1');
  world.request();
  await world.clock.advance(1000);
  world.objects.remove('Node', 'a');
  await world.clock.advance(1000);
  expect(world.told()).toEqual([
    'Accepted=True Accepted',
    'CapacityRevoked=True RoomLost',
    ...FOUND.slice(1),
  ]);
  expect(world.held()).toEqual([]);
});

test('room of a request that is deleted is let go, also by a process that did not see it', async () => {
  const world = new RequestWorld();
  const kill = world.start();
  world.node('a');
  world.template('worker', '1');
  world.request();
  await world.clock.advance(1000);
  kill();
  world.objects.remove('ProvisioningRequest', 'default/train');
  world.start();
  await world.clock.advance(1000);
  expect(world.held()).toEqual([]);
});

test('a process that dies between holding the room and saying so leaves it to the next, which holds it once', async () => {
  const world = new RequestWorld();
  const kill = world.start();
  world.node('a');
  world.template('worker', '1');
  world.kube.fail({ method: 'putRequestStatus', code: 'Unavailable', times: 1000 });
  world.request();
  await world.clock.advance(20);
  expect(world.told()).toEqual([]);
  kill();
  world.kube.mend();
  world.start();
  await world.clock.advance(1000);
  expect(world.told()).toEqual(FOUND);
  expect(world.held()).toEqual(['a: train × 3']);
});

describe('best-effort-atomic-scale-up', () => {
  test('launches what there is no room for, and is provisioned once every instance is there', async () => {
    const world = new RequestWorld();
    world.start();
    world.node('a', '1');
    world.template('worker', '1');
    world.request({ className: ATOMIC_SCALE_UP });
    await world.clock.advance(1000);
    expect(world.told()).toEqual(['Accepted=True Accepted', 'Provisioned=False CapacityIsBeingProvisioned']);
    const claims = world.objects.list('NodeClaim');
    expect(claims.length).toBeGreaterThan(0);
    for (const claim of claims)
      world.objects.put('NodeClaim', {
        ...claim,
        status: { ...claim.status, providerID: `aws:///us-east-1a/i-${claim.name}` },
      });
    await world.clock.advance(1000);
    expect(world.told()).toEqual(['Accepted=True Accepted', 'Provisioned=True CapacityIsProvisioned']);
    await world.clock.advance(601_000);
    expect(world.told()).toContain('BookingExpired=True CapacityReservationTimeExpired');
    expect(world.held()).toEqual([]);
  });

  test('launches nothing where there is no room for all of them', async () => {
    const world = new RequestWorld({ cpu: '2' });
    world.start();
    world.template('worker', '1');
    world.request({ className: ATOMIC_SCALE_UP });
    await world.clock.advance(1000);
    expect(world.told()).toEqual(NOT_FOUND);
    expect(world.message('Provisioned')).toContain('limit');
    expect(world.objects.list('NodeClaim')).toEqual([]);
  });

  test('plans all of it again when one of its launches fails', async () => {
    const world = new RequestWorld();
    world.start();
    world.template('worker', '1');
    world.request({ className: ATOMIC_SCALE_UP });
    await world.clock.advance(1000);
    const [first] = world.objects.list('NodeClaim');
    world.objects.remove('NodeClaim', first?.name ?? '');
    await world.clock.advance(2000);
    expect(world.told()).toEqual(['Accepted=True Accepted', 'Provisioned=False CapacityIsBeingProvisioned']);
    expect(world.held().join()).not.toContain(first?.name);
    expect(world.held().length).toBeGreaterThan(0);
  });

  test('uses only the room that there is where launches wait for approval', async () => {
    const world = new RequestWorld();
    world.start({ needsApproval: true });
    world.template('worker', '1');
    world.request({ className: ATOMIC_SCALE_UP });
    await world.clock.advance(1000);
    expect(world.told()).toEqual(NOT_FOUND);
    expect(world.message('Provisioned')).toContain('approval');
    world.node('a');
    await world.clock.advance(60_000);
    expect(world.told()).toEqual(FOUND);
  });
});
