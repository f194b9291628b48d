/** Berth's own client over loopback against the simulated API server: what it lists, watches and writes. */
import { kubeFeed } from '../../../src/adapters/kube/feed/kube-feed.js';
import { staticConnection } from '../../support/static-connection.js';
import { KubeClient, Reflector } from '../../../src/adapters/kube/transport/index.js';
import { kubeWriter } from '../../../src/adapters/kube/writer/kube-writer.js';
import type { ObservedNode } from '../../../src/domain/nodes/observed-node.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { ClusterFeed, ObservedKind } from '../../../src/ports/cluster-feed.js';
import { systemClock } from '../../../src/runtime/time/system-clock.js';
import { serveWire, type ServedWire } from '../../../world/wire/serve-wire.js';
import { eventually } from '../../controlplane/fixture/eventually.js';
import { decisionSpec } from '../../support/builders/decision.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { policyStatus } from '../../support/builders/policy-status.js';
import { reservation } from '../../support/builders/reservation.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { installDefinitions } from './definitions.js';
import { pod, Simulated } from './simulated.js';

let simulated: Simulated;
let served: ServedWire;
let client: KubeClient;
let stop: AbortController;
const running: Promise<void>[] = [];

beforeEach(async () => {
  simulated = new Simulated();
  served = await serveWire(simulated.api.handle);
  stop = new AbortController();
  client = new KubeClient({
    connection: staticConnection({ server: served.url }),
    clock: systemClock,
    userAgent: 'berth/test',
    qps: 100_000,
    burst: 100_000,
  });
});

afterEach(async () => {
  stop.abort();
  await Promise.all(running.splice(0));
  client.close();
  await served.close();
});

describe('a Reflector', () => {
  function follow(): {
    readonly names: Map<string, string>;
    readonly relists: () => number;
    readonly isWatching: () => boolean;
  } {
    const names = new Map<string, string>();
    let relists = 0;
    const reflector = new Reflector<string>({
      client,
      resource: { path: '/api/v1/pods' },
      decode: (raw) => {
        const { metadata } = raw as {
          readonly metadata: { readonly name: string; readonly labels?: { readonly v: string } };
        };
        return { key: metadata.name, value: metadata.labels?.v ?? '' };
      },
      sink: {
        put: (value, key) => {
          names.set(key, value);
        },
        delete: (key) => {
          names.delete(key);
        },
        synced: () => undefined,
      },
      clock: systemClock,
      random: seededRandom(),
      logger: recordingLogger().logger,
      counters: {
        increment: (counter) => {
          if (counter === 'relists') relists += 1;
        },
        contact: () => undefined,
      },
      timing: {},
    });
    running.push(reflector.run(stop.signal));
    return { names, relists: () => relists, isWatching: () => reflector.health().watching };
  }

  const wanted = (): string =>
    JSON.stringify(
      simulated.api.list('pods').map(({ metadata }) => [metadata.name, metadata.labels?.['v'] ?? '']),
    );

  test('reads many pages, and follows what happens then', async () => {
    for (let index = 0; index < 1234; index += 1)
      await simulated.api.create('pods', pod(`p${String(index)}`));
    const { names } = follow();
    await eventually('all pods', () => names.size === 1234);
    await simulated.api.create('pods', pod('new', { metadata: { labels: { v: '1' } } }));
    await simulated.api.delete('pods', { namespace: 'default', name: 'p7' });
    await eventually('the changes', () => JSON.stringify([...names].sort()) === wanted());
    expect(names.has('p7')).toBe(false);
  });

  test('lists again after its version was compacted away, and misses nothing', async () => {
    const { names, relists, isWatching } = follow();
    await eventually('a watch', isWatching);
    await simulated.api.create('pods', pod('a'));
    simulated.api.closeWatches();
    await simulated.api.create('pods', pod('b'));
    simulated.api.compact();
    await eventually('the changes', () => JSON.stringify([...names].sort()) === wanted());
    await eventually('another list', () => relists() > 0);
    expect([...names.keys()].sort()).toEqual(['a', 'b']);
  });
});

describe('a kubeFeed', () => {
  test('syncs all kinds, and tells nodes and pods as they are', async () => {
    await installDefinitions(simulated.api);
    const synced = new Set<ObservedKind>();
    const objects = new Map<string, unknown>();
    const feed: ClusterFeed = {
      put: (kind, object) => {
        objects.set(kind, object);
      },
      delete: () => undefined,
      synced: (kind) => {
        synced.add(kind);
      },
    };
    await simulated.api.create('nodes', { metadata: { name: 'n1' }, spec: { providerID: 'aws:///a/i-1' } });
    await simulated.api.create('pods', pod('web'));
    await simulated.api.bind({ namespace: 'default', name: 'web' }, 'n1');
    const kinds: readonly ObservedKind[] = [
      'Pod',
      'Node',
      'Namespace',
      'DaemonSet',
      'Workload',
      'NodeClaim',
      'Lease',
      'PersistentVolume',
    ];
    const { logger, lines } = recordingLogger();
    const kube = kubeFeed({
      client,
      feed,
      kinds,
      namespace: 'berth-system',
      clock: systemClock,
      random: seededRandom(),
      logger,
    });
    running.push(kube.run(stop.signal));
    await eventually('all kinds', () => kinds.every((kind) => synced.has(kind)));
    expect((objects.get('Pod') as ObservedPod).nodeName).toBe('n1');
    expect(objects.get('Node')).toMatchObject({ name: 'n1', providerID: 'aws:///a/i-1' });
    expect(lines.filter(({ level }) => level === 'warn' || level === 'error')).toEqual([]);
  });
});

describe('a kubeWriter', () => {
  beforeEach(async () => {
    await installDefinitions(simulated.api);
    await simulated.api.create('namespaces', { metadata: { name: 'berth-system' } });
  });

  const writer = (): ReturnType<typeof kubeWriter> =>
    kubeWriter({ client, namespace: 'berth-system', reportingInstance: 'berth-0' });

  test('takes a NodeClaim through its life', async () => {
    const kube = writer();
    const created = await kube.createNodeClaim(nodeClaim());
    const told = await kube.putNodeClaimStatus(created, { ...created.status, nodeName: 'n1' });
    const annotated = await kube.annotateNodeClaim(told, { 'example.com/a': 'b' });
    expect(annotated).toMatchObject({
      status: { nodeName: 'n1' },
      annotations: new Map([['example.com/a', 'b']]),
    });
    const kept = await kube.deleteNodeClaim(annotated);
    expect(kept?.deletionTimestamp).toBe(simulated.clock.now());
    await kube.releaseNodeClaim(kept ?? annotated);
    expect(simulated.api.list('nodeclaims.berth.sh')).toEqual([]);
  });

  test('loses against a client that was faster', async () => {
    const kube = writer();
    const known = await kube.createNodeClaim(nodeClaim());
    await kube.putNodeClaimStatus(known, { ...known.status, nodeName: 'n1' });
    await expect(kube.putNodeClaimStatus(known, { ...known.status, nodeName: 'n2' })).rejects.toMatchObject({
      code: 'Conflict',
    });
    await expect(kube.createNodeClaim(nodeClaim())).rejects.toMatchObject({ code: 'AlreadyExists' });
  });

  test('holds room, tells policies and decisions, leads', async () => {
    const kube = writer();
    const held = await kube.putReservation(reservation().target, reservation().entries, undefined);
    expect(await kube.putReservation(held.target, [], held)).toMatchObject({ entries: [] });
    const content = policyStatus();
    const status = await kube.putPolicyStatus(content, undefined);
    expect(status.policy).toEqual(content.policy);
    const decided = await kube.createDecision('d-1', decisionSpec());
    expect(await kube.putDecisionStatus(decided, { outcome: 'Done' })).toMatchObject({ name: 'd-1' });
    const lease = {
      name: 'berth',
      holder: 'me',
      acquiredAt: 0,
      renewedAt: 0,
      durationSeconds: 15,
      transitions: 0,
    };
    const first = await kube.createLease(lease);
    await kube.replaceLease(first, { ...lease, holder: 'you' });
    await expect(kube.replaceLease(first, lease)).rejects.toMatchObject({ code: 'Conflict' });
    expect((await kube.readLease('berth'))?.holder).toBe('you');
  });

  test('taints, drains and ends a node', async () => {
    const kube = writer();
    const name = 'n1';
    const taint = { key: 'karpenter.sh/disrupted', value: '', effect: 'NoSchedule' } as const;
    await simulated.api.create('nodes', { metadata: { name } });
    const node = await observed<ObservedNode>('Node');
    const patched = await kube.patchNode(node, {
      taints: { add: [taint] },
      finalizers: { add: ['karpenter.sh/termination'] },
    });
    expect(patched.finalizers).toEqual(['karpenter.sh/termination']);
    expect(await kube.deleteNode(patched)).toBeDefined();
    const free = await kube.patchNode(patched, { finalizers: { remove: ['karpenter.sh/termination'] } });
    expect(free.name).toBe(name);
    expect(simulated.api.get('nodes', { name })).toBeUndefined();
  });

  test('nominates, annotates and evicts pods, within budgets', async () => {
    const kube = writer();
    const ref = { namespace: 'default', name: 'web' };
    await simulated.api.create('pods', pod('web'));
    const pending = await observed<ObservedPod>('Pod');
    const nominated = await kube.nominatePod(pending, 'n1');
    expect(nominated.nominatedNodeName).toBe('n1');
    await simulated.api.bind(ref, 'n1');
    await simulated.api.change('pods', ref, (object) => ({ ...object, status: { phase: 'Running' } }), {
      subresource: 'status',
    });
    await expect(kube.nominatePod(nominated, 'n2')).rejects.toMatchObject({ code: 'Conflict' });
    simulated.api.guardEvictions(() => ({
      message: 'Cannot evict pod',
      cause: 'web',
      retryAfterSeconds: 10,
    }));
    await expect(kube.evictPod(pending)).rejects.toMatchObject({ code: 'Blocked', retryAfterMillis: 10_000 });
    simulated.api.guardEvictions(() => ({ message: 'more than one', isMisconfigured: true }));
    await expect(kube.evictPod(pending)).rejects.toMatchObject({
      code: 'Blocked',
      message: 'evict pods/default/web: 500 more than one',
    });
    simulated.api.guardEvictions(() => undefined);
    await kube.evictPod(pending);
    await kube.deletePod(pending, 0);
    await expect(kube.evictPod(pending)).rejects.toMatchObject({ code: 'NotFound' });
  });

  test('writes events and certificates', async () => {
    const kube = writer();
    const regarding = { apiVersion: 'v1', kind: 'Pod', namespace: 'default', name: 'web', uid: 'u' };
    const event = {
      name: 'web.1',
      regarding,
      type: 'Normal',
      reason: 'Nominated',
      action: 'Nominate',
      note: 'n1',
      time: 0,
      count: 1,
    } as const;
    await kube.createEvent(event);
    await kube.repeatEvent({ ...event, count: 2 });
    expect(simulated.api.list('events')).toMatchObject([{ message: 'n1', series: { count: 2 } }]);
    const written = await kube.writeCertificates(new Map([['ca.crt', 'text']]), undefined);
    expect(await kube.readCertificates()).toEqual(written);
    await expect(
      kube.writeCertificates(new Map(), { ...written, resourceVersion: '1' }),
    ).rejects.toMatchObject({ code: 'Conflict' });
  });

  /** The one object of the kind, as a feed tells it. */
  async function observed<T>(kind: ObservedKind): Promise<T> {
    let found: unknown;
    const feed: ClusterFeed = {
      put: (_, object) => {
        found = object;
      },
      delete: () => undefined,
      synced: () => undefined,
    };
    const kube = kubeFeed({
      client,
      feed,
      kinds: [kind],
      namespace: 'berth-system',
      clock: systemClock,
      random: seededRandom(),
      logger: recordingLogger().logger,
    });
    running.push(kube.run(stop.signal));
    return (await eventually(kind, () => found ?? false)) as T;
  }
});
