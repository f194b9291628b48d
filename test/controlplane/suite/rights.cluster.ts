/** Berth's rights are those that it uses: nothing it asks for is forbidden, and no rule of manifests/rbac is idle. */
import { setTimeout as sleep } from 'node:timers/promises';
import { BUFFER_DEFINITION, capacityBuffer } from '../../scenario/cases/capacity-buffers.js';
import {
  daemonSet,
  deployment,
  nodeClass,
  nodePool,
  pod,
  type WorkloadParts,
} from '../../scenario/objects.js';
import { Scenario } from '../../scenario/scenario.js';
import { REFUSALS } from '../../../src/planning/placement/refusal.js';
import { forbiddenRequests, unusedRights } from '../berth/account-rights.js';
import { BerthCluster, NAMESPACE } from '../berth/berth-cluster.js';
import { RESERVATIONS } from '../berth/kinds.js';
import { RealWorld } from '../berth/real-world.js';
import type { AuditEvent } from '../fixture/audit.js';
import { chosenMinor } from '../fixture/process/server-binary.js';

/** An Event is counted up at most once in a minute, for which one minor of Kubernetes is enough. */
const SERIES_MILLIS = 63_000;
const IS_COUNTED_UP = chosenMinor() === '1.36';
const COUNTING_UP = 'patch events.k8s.io/events';
/** Listed to no avail where the kind is not installed, as here; only then would it be watched. */
const NOT_INSTALLED = [
  'watch scheduling.k8s.io/podgroups',
  'watch scheduling.x-k8s.io/podgroups',
  'watch autoscaling.x-k8s.io/provisioningrequests',
  'patch autoscaling.x-k8s.io/provisioningrequests/status',
];

/** kube-scheduler's default spread, for which Services are watched. */
const SPREAD = {
  podTopologySpread: {
    defaultConstraints: [
      { maxSkew: 5, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'ScheduleAnyway' },
    ],
  },
};

describe('manifests/rbac', () => {
  let berth: BerthCluster;
  let world: RealWorld;
  let scenario: Scenario;
  let events: readonly AuditEvent[];
  /** Of the pools whose instances never come up. */
  const dead = new Set<string>();

  beforeAll(async () => {
    berth = await BerthCluster.start({
      controlPlane: { audit: true },
      flags: [
        ...['--decisions-kept', '10', '--scheduler-config', JSON.stringify(SPREAD)],
        '--ignore-dra-requests=false',
      ],
      nodeChange: ({ labels }) =>
        dead.has(labels?.['scenario'] ?? '') ? { failure: 'never-registers' } : {},
    });
    world = new RealWorld(berth);
    scenario = new Scenario(world);
    await replaceCertificate();
    await scenario.given(nodeClass(), ...['kept', 'hurried', 'surging', 'held'].map(pool));
    await world.until('a policy is accepted', () => isUsed('create', 'events'), 30);
    const accepted = performance.now();
    await Promise.all([otherRoles(), launchAndDrain(), shrinkInFlight(), readBuffers()]);
    await retirePolicy();
    await holdAndWake();
    await changePolicy(accepted);
    events = berth.cluster.auditEvents();
  }, 300_000);

  afterAll(async () => {
    await berth.stop();
  });

  function pool(name: string): ReturnType<typeof nodePool> {
    const template = name === 'hurried' ? { terminationGracePeriod: '3s' } : {};
    const requirements = { 'node.kubernetes.io/instance-type': ['m5.large'] };
    return nodePool({ name, labels: { scenario: name }, requirements, template });
  }

  function wants(name: string, more: WorkloadParts = {}): WorkloadParts {
    return { name, ...more, pod: { nodeSelector: { scenario: name }, ...more.pod } };
  }

  async function nodeOf(poolName: string): Promise<string> {
    const found = (await world.nodes()).find(({ labels }) => labels['scenario'] === poolName);
    return found?.name ?? '';
  }

  async function otherRoles(): Promise<void> {
    const webhooks = await berth.startRoles('webhooks', 'webhooks');
    const extender = await berth.startExtender('extender');
    await Promise.all([webhooks.ready(), extender.ready()]);
  }

  /** A pod that is evicted, one that is deleted at the hard stop, one that leaves after another one came, one that nothing can hold. */
  async function launchAndDrain(): Promise<void> {
    await scenario.whenApplied(
      daemonSet({ name: 'agent', pod: { tolerations: [{ operator: 'Exists' }] } }),
      deployment(wants('kept')),
      deployment(wants('hurried', { pod: { terminationGracePeriodSeconds: 60 } })),
      deployment(wants('surging', { annotations: { 'berth.sh/surge': 'true' } })),
      pod({ name: 'huge', requests: { cpu: '1000' } }),
    );
    const apps = ['kept', 'hurried', 'surging'];
    for (const app of apps) await scenario.expectScheduled({ app, pods: 1 });
    const names = await Promise.all(apps.map(nodeOf));
    for (const name of names) await scenario.whenDeleted({ kind: 'Node', name });
    await scenario.expectTerminated(names);
    for (const app of apps) await scenario.expectScheduled({ app, pods: 1, whereFirstPlanned: false });
  }

  /** CapacityBuffers of each kind that they can be for, none of which is there: that is written into their status. */
  async function readBuffers(): Promise<void> {
    await scenario.given(BUFFER_DEFINITION);
    const kinds = ['Deployment', 'ReplicaSet', 'StatefulSet'];
    const refs = kinds.map((kind) => ({ scalableRef: { apiGroup: 'apps', kind, name: 'missing' } }));
    const specs = [...refs, { podTemplateRef: { name: 'missing' } }];
    const buffers = specs.map((spec, index) =>
      capacityBuffer(`spare-${String(index)}`, { ...spec, replicas: 1 }),
    );
    const isApplied = (): Promise<boolean> =>
      world.apply(buffers).then(
        () => true,
        () => false,
      );
    await world.until('CapacityBuffers are served', isApplied, 30);
    const path = 'jsonpath={.items[*].status.conditions[?(@.type=="ReadyForProvisioning")].reason}';
    const isTold = async (): Promise<boolean> => {
      const reasons = await berth.cluster.kubectl(['get', 'capacitybuffers', '-o', path]);
      return reasons.split(' ').filter((reason) => reason.endsWith('NotFound')).length === specs.length;
    };
    await world.until('the status of the CapacityBuffers is written', isTold, 90);
  }

  /** One of two pods is gone before their node is there: the other one's room stays. */
  async function shrinkInFlight(): Promise<void> {
    const name = 'shrinking';
    dead.add(name);
    await scenario.given(pool(name));
    await scenario.whenApplied(deployment({ ...wants(name), replicas: 2 }));
    await world.until('both are planned', async () => (await plannedOn(name)) === 2, 60);
    await scenario.whenScaled(name, 1);
    await world.until('one is planned', async () => (await plannedOn(name)) === 1, 60);
  }

  /** How many pods have room on claims of the pool. */
  async function plannedOn(poolName: string): Promise<number> {
    const claims = (await world.claims()).filter(({ nodePool: own }) => own === poolName);
    const targets = new Set(claims.map(({ name }) => name));
    const { items } = await berth.cluster.api.list(RESERVATIONS);
    const here = items.filter(({ spec }) => targets.has(spec.target.name));
    return here.reduce((sum, { spec }) => sum + spec.entries.length, 0);
  }

  /**
   * A pod that was held for a node which then never comes, and that may have no other: it is woken by an annotation. What
   * kube-scheduler heard last must be that it was held, so it hears nothing more.
   */
  async function holdAndWake(): Promise<void> {
    await scenario.whenApplied(deployment(wants('held', { requests: { cpu: '100m' } })));
    await scenario.expectScheduled({ app: 'held', pods: 1 });
    const name = await nodeOf('held');
    const owner = { kind: 'ReplicaSet', namespace: 'default', name: 'somebody' };
    // All that the pod and the agent leave of an m5.large, but for little: what does not fit would be released.
    const entries = [{ owner, count: 1, requests: { cpu: '1200m' } }];
    await berth.cluster.api.create(RESERVATIONS, {
      metadata: { name: `node.${name}` },
      spec: { target: { kind: 'Node', name }, entries },
    });
    dead.add('held');
    await scenario.whenApplied(deployment({ ...wants('held', { requests: { cpu: '1' } }), name: 'sleeper' }));
    await scenario.expectPending('sleeper', REFUSALS.reserved);
    const [claim = ''] = await world.until('its claim is launched', () => claimsInFlight('held'), 60);
    await berth.cluster.kubectl(['annotate', 'node', name, 'example.com/wake=now']);
    await scenario.expectPending('sleeper', REFUSALS.notReady);
    await berth.cluster.scheduler.stop();
    await scenario.whenDeleted({ kind: 'ConfigMap', namespace: NAMESPACE, name: 'pool-held' });
    await world.until('its pool is frozen', () => isFrozen('held'), 30);
    await scenario.whenDeleted({ kind: 'nodeclaim', name: claim });
    await world.until('the pod is woken', () => isUsed('patch', 'pods'), 60);
  }

  async function claimsInFlight(poolName: string): Promise<readonly string[] | false> {
    const claims = (await world.claims()).filter(({ nodePool: own }) => own === poolName);
    const names = claims.filter(({ nodeName }) => nodeName === undefined).map(({ name }) => name);
    return names.length > 0 && names;
  }

  async function isFrozen(poolName: string): Promise<boolean> {
    const path = 'jsonpath={.status.conditions[?(@.type=="Accepted")].reason}';
    const status = `policystatus/nodepool.${poolName}`;
    return (await berth.cluster.kubectl(['get', status, '-o', path])).includes('DocumentMissing');
  }

  /** A certificate that is lost is made anew by whoever leads next. */
  async function replaceCertificate(): Promise<void> {
    const patch = JSON.stringify([{ op: 'remove', path: '/data/webhook.crt' }]);
    const secret = ['secret', 'berth-certificates', '-n', NAMESPACE];
    await berth.cluster.kubectl(['patch', ...secret, '--type=json', '-p', patch]);
    await berth.berth.terminate();
    await berth.startBerth();
    await world.until('the Secret is written', () => isUsed('patch', 'secrets'), 30);
  }

  /** A pool that is taken out of the world for good, with the nodes that it has. */
  async function retirePolicy(): Promise<void> {
    await scenario.whenDeleted({ kind: 'ConfigMap', namespace: NAMESPACE, name: 'pool-hurried' });
    await world.until('its pool is frozen', () => isFrozen('hurried'), 30);
    await berth.cluster.kubectl(['annotate', 'policystatus', 'nodepool.hurried', 'berth.sh/delete=drain']);
    await world.until('its status is deleted', () => isUsed('delete', 'policystatuses'), 60);
  }

  /** A policy is accepted again, and for the same reason, more than a minute after it was first. */
  async function changePolicy(accepted: number): Promise<void> {
    if (IS_COUNTED_UP) await sleep(Math.max(0, accepted + SERIES_MILLIS - performance.now()));
    await scenario.whenApplied(nodePool({ name: 'kept', spec: { weight: 10 } }));
    await world.until('it is written down', () => isUsed('patch', 'policystatuses'), 30);
    if (IS_COUNTED_UP) await world.until('an Event is counted up', () => isUsed('patch', 'events'), 30);
  }

  /** Whether the controller has made such a request. */
  function isUsed(verb: string, resource: string): Promise<boolean> {
    const found = berth.cluster
      .auditEvents()
      .some(
        ({ user, objectRef, ...event }) =>
          event.verb === verb &&
          objectRef?.resource === resource &&
          objectRef.subresource === undefined &&
          user.username.endsWith(':berth-controller'),
      );
    return Promise.resolve(found);
  }

  test.each(['controller', 'webhooks', 'extender'])('nothing that the %s asks for is forbidden', (role) => {
    expect(forbiddenRequests(events, `berth-${role}`)).toEqual([]);
  });

  test.each(['controller', 'webhooks', 'extender'])('every rule of the %s is used', (role) => {
    const unused = unusedRights(events, `berth-${role}`, `rbac/${role}.yaml`);
    const unusable = new Set([...NOT_INSTALLED, ...(IS_COUNTED_UP ? [] : [COUNTING_UP])]);
    expect(unused.filter((right) => !unusable.has(right))).toEqual([]);
  });
});
