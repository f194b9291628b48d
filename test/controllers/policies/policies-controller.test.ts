import { PoliciesController } from '../../../src/controllers/policies/policies-controller.js';
import { ResolvedNodeClasses } from '../../../src/controllers/policies/resolved-node-classes.js';
import { Safeguards } from '../../../src/controllers/safeguards/safeguards.js';
import { TERMINATION_FINALIZER } from '../../../src/domain/nodes/node-claim.js';
import {
  DELETE_ANNOTATION,
  type JsonObject,
  type PolicyStatus,
} from '../../../src/domain/policies/policy.js';
import { CLUSTER_TAG } from '../../../src/ports/cloud.js';
import type { KubeWriter } from '../../../src/ports/kube-writer.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { OverlaidCatalogue } from '../../../src/state/policies/overlaid-catalogue.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { nodeOverlayDocument } from '../../support/builders/node-overlay.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { amounts } from '../../support/builders/pod.js';
import {
  nodeClassDocument,
  policyConfigMap,
  policyDocument,
} from '../../support/builders/policy-document.js';
import { nodePoolDocument } from '../../support/builders/policy-status.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { mortalWriter } from '../../support/in-memory/mortal-writer.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { RESOLVED, SmallCloud, smallCloudCatalogue } from '../../support/small-cloud.js';

const PROVIDER_ID = 'aws:///us-east-1a/i-1';
const POOL = nodePoolDocument('general');
const CLASS = nodeClassDocument('default');
const stops: (() => void)[] = [];

class PoliciesWorld {
  readonly clock = new VirtualClock();
  readonly kube = new InMemoryKube({ clock: this.clock });
  readonly cloud = new SmallCloud();
  readonly told = recordedDecisions();
  readonly objects = this.kube.objects;

  documents(...documents: readonly JsonObject[]): void {
    this.objects.put(
      'PolicyConfigMap',
      policyConfigMap(documents.map((document) => policyDocument(document))),
    );
  }

  /** Answers what ends the process. */
  async run(kube: KubeWriter = this.kube): Promise<() => void> {
    const { clock, cloud } = this;
    const cluster = new Cluster();
    const unwatch = this.objects.watch(cluster);
    const abort = new AbortController();
    const stop = (): void => {
      unwatch();
      abort.abort();
    };
    stops.push(stop);
    const base = {
      cluster,
      clock,
      recorder: this.told.recorder,
      logger: recordingLogger().logger,
      metrics: createMetrics(),
    };
    const safeguards = new Safeguards({ ...base, limits: { registrationFailures: 2 } });
    const controller = new PoliciesController({
      ...base,
      kube,
      cloud,
      resolved: new ResolvedNodeClasses({ cloud, clock }),
      overlaid: new OverlaidCatalogue({ cluster, catalogue: smallCloudCatalogue }),
      random: seededRandom(),
      safeguards,
    });
    void safeguards.run(abort.signal);
    void controller.run(abort.signal);
    await clock.advance(500);
    return stop;
  }

  /** Its instance did not become a node in time. */
  failRegistration(name: string): void {
    const launched = nodeClaim({ name, status: { providerID: `aws:///us-east-1a/${name}` } });
    this.objects.put('NodeClaim', launched);
    const disruption = { reason: 'RegistrationTimeout', decidedAt: this.clock.now() };
    this.objects.put('NodeClaim', { ...launched, status: { ...launched.status, disruption } });
  }

  status(name: string): PolicyStatus | undefined {
    return this.objects.get('PolicyStatus', name);
  }

  condition(name: string, type: string): string {
    const found = this.status(name)?.conditions.find((condition) => condition.type === type);
    return found === undefined ? '' : `${found.status} ${found.reason}`;
  }

  /** Puts the user's wish on the status. */
  annotate(name: string, wish: string): void {
    const status = this.status(name);
    if (status !== undefined)
      this.objects.put('PolicyStatus', { ...status, annotations: new Map([[DELETE_ANNOTATION, wish]]) });
  }
}

afterEach(() => {
  for (const stop of stops.splice(0)) stop();
});

describe('PoliciesController', () => {
  test('the status of a static pool can be scaled, and is set back by another number in its policy', async () => {
    const world = new PoliciesWorld();
    world.documents(nodePoolDocument('general', { replicas: 2 }), CLASS);
    await world.run();
    const scaled = world.status('nodepool.general');
    expect(scaled?.scale).toEqual({ replicas: 2, policyReplicas: 2 });
    if (scaled === undefined) return;
    world.objects.put('PolicyStatus', { ...scaled, scale: { replicas: 5, policyReplicas: 2 } });
    await world.clock.advance(5000);
    expect(world.status('nodepool.general')?.scale).toEqual({ replicas: 5, policyReplicas: 2 });
    world.documents(nodePoolDocument('general', { replicas: 3 }), CLASS);
    await world.clock.advance(5000);
    expect(world.status('nodepool.general')?.scale).toEqual({ replicas: 3, policyReplicas: 3 });
  });

  test('every document gets a status with what was accepted and whether it is ready', async () => {
    const world = new PoliciesWorld();
    world.documents(POOL, CLASS);
    await world.run();
    expect(world.status('nodepool.general')?.lastAccepted?.document).toEqual(POOL);
    for (const type of ['Accepted', 'ValidationSucceeded', 'NodeClassReady', 'Ready'])
      expect(world.condition('nodepool.general', type)).toMatch(/^True/);
    for (const type of [
      'Accepted',
      'ValidationSucceeded',
      'SubnetsReady',
      'SecurityGroupsReady',
      'AMIsReady',
      'Ready',
    ])
      expect(world.condition('ec2nodeclass.default', type)).toMatch(/^True/);
    expect(world.told.decisions.map(({ action, subject }) => `${action} ${subject.name}`).sort()).toEqual([
      'Accept ec2nodeclass.default',
      'Accept nodepool.general',
    ]);
  });

  test('what a node class has selected stands in its status, and in conditions as Karpenter has them', async () => {
    const world = new PoliciesWorld();
    const reservation = {
      ...{ id: 'cr-1', instanceType: 'm5.large', availabilityZone: 'us-east-1a' },
      ...{ ownerID: undefined, instanceMatchCriteria: 'targeted', reservationType: 'default' },
      ...{ interruptible: false, endTime: undefined },
      state: 'active',
    } as const;
    const objects = {
      subnets: [{ id: 'subnet-1', zone: 'us-east-1a', zoneID: 'use1-az1' }],
      securityGroups: [{ id: 'sg-1', name: 'nodes' }],
      amis: [{ id: 'ami-1', name: 'image', architecture: 'amd64', deprecated: false }],
      capacityReservations: [reservation],
      instanceProfile: 'profile-1',
    };
    world.cloud.answer = { ...RESOLVED, objects };
    world.documents(CLASS);
    await world.run();
    const name = 'ec2nodeclass.default';
    expect(world.status(name)?.resolved).toEqual(objects);
    expect(world.condition(name, 'InstanceProfileReady')).toBe('True InstanceProfileReady');
    expect(world.condition(name, 'CapacityReservationsReady')).toBe('True CapacityReservationsReady');
    world.cloud.answer = { ...RESOLVED, objects: { ...objects, instanceProfile: '' }, problems: ['no role'] };
    await world.clock.advance(60_500);
    expect(world.status(name)?.resolved?.instanceProfile).toBe('');
    expect(world.condition(name, 'InstanceProfileReady')).toBe('False NoInstanceProfile');
    expect(world.condition(name, 'PlacementGroupReady')).toBe('');
    const group = { id: 'pg-1', name: 'apart', strategy: 'spread', spreadLevel: 'rack' };
    const placementGroups = [{ ...group, partitionCount: undefined }];
    world.cloud.answer = { ...RESOLVED, objects: { ...objects, placementGroups } };
    await world.clock.advance(60_500);
    expect(world.status(name)?.resolved?.placementGroups).toEqual(placementGroups);
    expect(world.condition(name, 'PlacementGroupReady')).toBe('True PlacementGroupReady');
    world.cloud.answer = { ...RESOLVED, objects: { ...objects, placementGroups: [] }, problems: ['none'] };
    await world.clock.advance(60_500);
    expect(world.condition(name, 'PlacementGroupReady')).toBe('False PlacementGroupNotFound');
    // What was found before stays while the cloud does not answer.
    world.cloud.answer = new Error('no answer');
    await world.clock.advance(130_000);
    expect(world.status(name)?.resolved?.subnets).toEqual(objects.subnets);
    expect(world.condition(name, 'CapacityReservationsReady')).toBe('True CapacityReservationsReady');
  });

  test('a NodeOverlay is ready; one that contradicts another of its weight is not, until it has its own', async () => {
    const world = new PoliciesWorld();
    const cheap = nodeOverlayDocument('cheap', { priceAdjustment: '-10%' });
    world.documents(POOL, CLASS, cheap, nodeOverlayDocument('free', { price: '0' }));
    await world.run();
    for (const type of ['Accepted', 'ValidationSucceeded', 'Ready'])
      expect(world.condition('nodeoverlay.free', type)).toMatch(/^True/);
    expect(world.condition('nodeoverlay.cheap', 'Accepted')).toMatch(/^True/);
    for (const type of ['ValidationSucceeded', 'Ready'])
      expect(world.condition('nodeoverlay.cheap', type)).toBe('False Conflict');
    const refusal = world.told.decisions.find(({ action }) => action === 'Refuse');
    expect(refusal).toMatchObject({
      subject: { name: 'nodeoverlay.cheap' },
      message: expect.stringMatching(/^NodeOverlay free has the same weight/) as string,
    });
    world.documents(POOL, CLASS, cheap, nodeOverlayDocument('free', { price: '0', weight: 1 }));
    await world.clock.advance(500);
    expect(world.condition('nodeoverlay.cheap', 'Ready')).toMatch(/^True/);
    world.documents(POOL, CLASS);
    await world.clock.advance(500);
    expect(world.status('nodeoverlay.cheap')).toBeUndefined();
  });

  test('a NodePool whose instances do not register says so in a condition, also after a restart, until one registers', async () => {
    const world = new PoliciesWorld();
    world.documents(POOL, CLASS);
    const stop = await world.run();
    const condition = (): string => world.condition('nodepool.general', 'NodeRegistrationHealthy');
    world.failRegistration('general-1');
    await world.clock.advance(5000);
    expect(condition()).not.toMatch(/^False/);
    world.failRegistration('general-2');
    await world.clock.advance(5000);
    expect(condition()).toBe('False RegistrationFailed');
    expect(world.condition('nodepool.general', 'Ready')).toMatch(/^True/);
    stop();
    const stopAgain = await world.run();
    await world.clock.advance(60_000);
    expect(condition()).toBe('False RegistrationFailed');
    const conditions = [
      { type: 'Registered', status: 'True', reason: 'Registered', message: '', lastTransitionTime: 0 },
    ] as const;
    world.objects.put('NodeClaim', nodeClaim({ name: 'general-3', status: { conditions } }));
    await world.clock.advance(5000);
    expect(condition()).toBe('True Registered');
    stopAgain();
    await world.run();
    await world.clock.advance(60_000);
    expect(condition()).toBe('True Registered');
  });

  test('nothing is written while nothing changes', async () => {
    const world = new PoliciesWorld();
    world.documents(POOL, CLASS, nodeOverlayDocument('cheap', { priceAdjustment: '-10%' }));
    await world.run();
    const writes = world.kube.writes.length;
    await world.clock.advance(600_000);
    expect(world.kube.writes).toHaveLength(writes);
  });

  test.each([
    ['ready', [], 'True Ready'],
    ['not ready', ['the file has no instance type'], 'False NotResolved'],
  ])(
    'a node class of a cloud without subnets and images is %s, and nothing is written while nothing changes',
    async (_, problems, ready) => {
      const world = new PoliciesWorld();
      world.cloud.answer = { zones: RESOLVED.zones, problems };
      world.documents(POOL, CLASS);
      await world.run();
      expect(world.condition('ec2nodeclass.default', 'Ready')).toBe(ready);
      const writes = world.kube.writes.length;
      await world.clock.advance(600_000);
      expect(world.kube.writes).toHaveLength(writes);
      expect(world.condition('ec2nodeclass.default', 'Ready')).toBe(ready);
    },
  );

  test('that a node class is accepted is written before the cloud is asked', async () => {
    const world = new PoliciesWorld();
    world.documents(CLASS);
    const mortal = mortalWriter(world.kube, 1);
    await world.run(mortal.kube);
    expect(world.cloud.asked).toEqual([]);
    expect(world.status('ec2nodeclass.default')?.lastAccepted).toBeDefined();
    expect(world.condition('ec2nodeclass.default', 'Ready')).toBe('Unknown AwaitingReconciliation');
  });

  test('a node class without subnets is not ready, nor is a pool that refers to it, until it has some', async () => {
    const world = new PoliciesWorld();
    world.cloud.answer = { ...RESOLVED, subnetIDs: [], zones: [], problems: ['no subnet matches'] };
    world.documents(POOL, CLASS);
    await world.run();
    expect(world.condition('ec2nodeclass.default', 'SubnetsReady')).toBe('False NoneFound');
    expect(world.condition('nodepool.general', 'NodeClassReady')).toBe('False NodeClassNotReady');
    expect(world.condition('nodepool.general', 'Ready')).toBe('False NodeClassNotReady');
    world.cloud.answer = RESOLVED;
    await world.clock.advance(70_000);
    expect(world.condition('nodepool.general', 'Ready')).toMatch(/^True/);
  });

  test('what the cloud refuses of an accepted node class is said by ValidationSucceeded, and written once', async () => {
    const world = new PoliciesWorld();
    const refusal = { reason: 'KubeletExpressionInvalid', message: 'spec.kubelet.maxPods: …' } as const;
    world.cloud.answer = { ...RESOLVED, refusal, problems: [refusal.message] };
    world.documents(POOL, CLASS);
    await world.run();
    const validation = () => world.condition('ec2nodeclass.default', 'ValidationSucceeded');
    expect(validation()).toBe('False KubeletExpressionInvalid');
    expect(world.condition('ec2nodeclass.default', 'Accepted')).toBe('True Accepted');
    expect(world.condition('nodepool.general', 'Ready')).toBe('False NodeClassNotReady');
    const writes = world.kube.writes.length;
    await world.clock.advance(600_000);
    expect(world.kube.writes).toHaveLength(writes);
    world.cloud.answer = RESOLVED;
    await world.clock.advance(70_000);
    expect(validation()).toBe('True ValidationSucceeded');
    expect(world.condition('nodepool.general', 'Ready')).toMatch(/^True/);
  });

  test('while the cloud does not answer, what was known of a node class stays', async () => {
    const world = new PoliciesWorld();
    world.documents(CLASS);
    await world.run();
    world.cloud.answer = new Error('the cloud is away');
    world.documents(nodeClassDocument('default', { role: 'others' }));
    await world.clock.advance(5000);
    expect(world.status('ec2nodeclass.default')?.lastAccepted?.document).toMatchObject({
      spec: { role: 'others' },
    });
    expect(world.condition('ec2nodeclass.default', 'SubnetsReady')).toMatch(/^True/);
  });

  test('a pool whose node class is not there says so', async () => {
    const world = new PoliciesWorld();
    world.documents(POOL);
    await world.run();
    expect(world.condition('nodepool.general', 'Ready')).toBe('False NodeClassNotFound');
  });

  test('a document that becomes invalid keeps its last good version', async () => {
    const world = new PoliciesWorld();
    world.documents(POOL, CLASS);
    await world.run();
    const broken = policyDocument(nodePoolDocument('general', { limits: 7 }), {
      value: undefined,
      errors: ['2:1 limits'],
    });
    world.objects.put('PolicyConfigMap', policyConfigMap([broken, policyDocument(CLASS)]));
    await world.clock.advance(1000);
    expect(world.status('nodepool.general')?.lastAccepted?.document).toEqual(POOL);
    expect(world.condition('nodepool.general', 'Accepted')).toBe('False Invalid');
  });

  test('a document that disappears freezes its pool, with a Decision and an Event, until it returns', async () => {
    const world = new PoliciesWorld();
    world.documents(POOL, CLASS);
    await world.run();
    world.documents(CLASS);
    await world.clock.advance(1000);
    expect(world.condition('nodepool.general', 'Accepted')).toBe('False DocumentMissing');
    expect(world.told.decisions.filter(({ action }) => action === 'Freeze')).toEqual([
      expect.objectContaining({
        subject: expect.objectContaining({ kind: 'PolicyStatus', name: 'nodepool.general' }) as unknown,
        event: { type: 'Warning', reason: 'DocumentMissing' },
      }),
    ]);
    expect(world.told.outcomes).toEqual([]);
    world.documents(POOL, CLASS);
    await world.clock.advance(1000);
    expect(world.condition('nodepool.general', 'Ready')).toMatch(/^True/);
    expect(world.told.outcomes).toMatchObject([
      { subject: { name: 'nodepool.general' }, action: 'Freeze', outcome: 'the document was restored' },
    ]);
  });

  test('of two documents of one kind and name the older accepted one holds, and the status names both', async () => {
    const world = new PoliciesWorld();
    world.documents(POOL, CLASS);
    await world.run();
    const twin = policyDocument(nodePoolDocument('general', { weight: 5 }), {
      source: { configMap: 'another', key: 'x.yaml' },
    });
    world.objects.put('PolicyConfigMap', policyConfigMap([twin], { name: 'another' }));
    await world.clock.advance(1000);
    expect(world.status('nodepool.general')?.lastAccepted?.document).toEqual(POOL);
    const unique = world.status('nodepool.general')?.conditions.find(({ type }) => type === 'Unique');
    expect(unique?.message).toContain('ConfigMap policies');
    expect(unique?.message).toContain('ConfigMap another');
    expect(world.told.decisions).toContainEqual(
      expect.objectContaining({ action: 'Refuse', reason: 'DuplicateName' }),
    );
  });

  test('drain takes the claims of a pool away, and then its status', async () => {
    const world = new PoliciesWorld();
    world.documents(POOL, CLASS);
    world.objects.put('NodeClaim', nodeClaim());
    await world.run();
    world.documents(CLASS);
    await world.clock.advance(1000);
    expect(world.objects.get('NodeClaim', 'general-1')?.deletionTimestamp).toBeUndefined();
    world.annotate('nodepool.general', 'drain');
    await world.clock.advance(5000);
    expect(world.objects.get('NodeClaim', 'general-1')?.deletionTimestamp).toBeDefined();
    expect(world.told.decisions.filter(({ action }) => action === 'Disrupt')).toMatchObject([
      { reason: 'PolicyDeleted', message: 'NodePool general was removed, and its nodes are deleted' },
    ]);
    expect(world.status('nodepool.general')).toBeDefined();
    world.objects.remove('NodeClaim', 'general-1');
    await world.clock.advance(5000);
    expect(world.status('nodepool.general')).toBeUndefined();
  });

  test.each([0, 1, 2, 3, 4, 5])(
    'orphan leaves nodes and instances to the user, even when it is killed after %i writes',
    async (killedAfter) => {
      const world = new PoliciesWorld();
      world.documents(POOL, CLASS);
      world.objects.put('NodeClaim', nodeClaim({ status: { providerID: PROVIDER_ID } }));
      const finalizers = [TERMINATION_FINALIZER, 'other'];
      world.objects.put('Node', observedNode({ name: 'node-1', providerID: PROVIDER_ID, finalizers }));
      await world.run();
      world.documents(CLASS);
      world.annotate('nodepool.general', 'orphan');
      for (const stop of stops.splice(0)) stop();
      const counted = ['patchNode', 'releaseNodeClaim', 'deleteNodeClaim', 'deletePolicyStatus'] as const;
      await world.run(mortalWriter(world.kube, killedAfter, counted).kube);
      await world.clock.advance(10_000);
      await world.run();
      await world.clock.advance(10_000);
      expect(world.objects.list('NodeClaim')).toEqual([]);
      expect(world.objects.get('Node', 'node-1')?.finalizers).toEqual(['other']);
      expect(world.cloud.tagged.at(-1)).toEqual({ ids: ['i-1'], tags: new Map([[CLUSTER_TAG, 'orphaned']]) });
      expect(world.status('nodepool.general')).toBeUndefined();
    },
  );

  test("a pool's status tells what its nodes have together, at most every two seconds", async () => {
    const world = new PoliciesWorld();
    world.documents(POOL, CLASS);
    await world.run();
    const writes = world.kube.writes.length;
    for (const index of [1, 2, 3]) {
      const name = `node-${String(index)}`;
      world.objects.put(
        'Node',
        observedNode({ name, providerID: `aws:///us-east-1a/${name}`, nodePool: 'general' }),
      );
      await world.clock.advance(100);
    }
    const status = { providerID: PROVIDER_ID, capacity: amounts({ cpu: '4' }) };
    world.objects.put('NodeClaim', nodeClaim({ status }));
    await world.clock.advance(3000);
    expect(world.status('nodepool.general')?.resources.get('nodes')).toBe(4);
    expect(world.status('nodepool.general')?.resources.get('cpu')).toBe(10_000);
    expect(world.kube.writes).toHaveLength(writes + 1);
  });

  test('counts the NodeClaims that have drifted', async () => {
    const world = new PoliciesWorld();
    world.documents(POOL, CLASS);
    await world.run();
    expect(world.status('nodepool.general')?.driftedNodes).toBe(0);
    const drifted = {
      type: 'Drifted',
      status: 'True',
      reason: 'AMIDrift',
      message: '',
      lastTransitionTime: 0,
    } as const;
    world.objects.put(
      'NodeClaim',
      nodeClaim({ name: 'a', status: { providerID: PROVIDER_ID, conditions: [drifted] } }),
    );
    world.objects.put('NodeClaim', nodeClaim({ name: 'b', status: { providerID: `${PROVIDER_ID}2` } }));
    await world.clock.advance(5_000);
    expect(world.status('nodepool.general')?.driftedNodes).toBe(1);
  });

  test('a ConfigMap is never written to', async () => {
    const world = new PoliciesWorld();
    world.documents(POOL, CLASS);
    await world.run();
    const before = world.objects.get('PolicyConfigMap', 'policies');
    await world.clock.advance(60_000);
    expect(world.objects.get('PolicyConfigMap', 'policies')).toBe(before);
  });

  test('a write that fails is tried again', async () => {
    const world = new PoliciesWorld();
    world.kube.fail({ method: 'putPolicyStatus', code: 'Unavailable', times: 3 });
    world.documents(POOL, CLASS);
    await world.run();
    await world.clock.advance(10_000);
    expect(world.condition('nodepool.general', 'Ready')).toMatch(/^True/);
  });
});
