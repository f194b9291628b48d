import {
  CAPACITY_RESERVATION_TYPE,
  CAPACITY_TYPE,
  INSTANCE_TYPE,
  NODEPOOL,
  ZONE,
} from '../../../src/domain/values/labels.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import type { Workload } from '../../../src/domain/pods/workload.js';
import { resolvedReservation } from '../../support/builders/resolved-reservation.js';
import { observedNode } from '../../support/builders/observed-node.js';
import {
  unschedulablePod,
  unschedulableReplicas,
  UNSCHEDULABLE,
} from '../../support/builders/unschedulable-pod.js';
import { acceptedPolicy, nodePoolDocument, policyStatus } from '../../support/builders/policy-status.js';
import {
  nodeClassDocument,
  policyConfigMap,
  policyDocument,
} from '../../support/builders/policy-document.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { RESOLVED } from '../../support/small-cloud.js';
import { ProvisioningWorld } from './provisioning-world.js';

const BATCH_MILLIS = 1100;

function uids(pods: readonly ObservedPod[]): readonly string[] {
  return pods.map(({ uid }) => uid).sort();
}

function replicaSet(overrides: Partial<Workload> = {}): Workload {
  return {
    kind: 'ReplicaSet',
    namespace: 'default',
    name: 'web',
    wantedPods: 10,
    createdPods: 10,
    ...overrides,
  };
}

/** Fifteen of them fill the largest type. */
function burst(count: number, name = 'web'): readonly ObservedPod[] {
  return unschedulableReplicas(count, { name, requests: { cpu: '1', memory: '1Gi' } });
}

describe('ProvisioningController', () => {
  test('a burst of pods becomes claims, each pod with room on exactly one', async () => {
    const world = new ProvisioningWorld();
    const pods = burst(10);
    world.start();
    world.pods(pods);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.heldPods()).toEqual(uids(pods));
    expect(Object.keys(world.held()).sort()).toEqual(
      world
        .claims()
        .map(({ name }) => name)
        .sort(),
    );
    expect(world.claims().length).toBeGreaterThan(1);
  });

  test('a claim says what its pool says, what may be launched, and which group it is of', async () => {
    const template = {
      metadata: { labels: { team: 'a' }, annotations: { note: 'x' } },
      spec: {
        requirements: [{ key: INSTANCE_TYPE, operator: 'In', values: ['m5.large', 'm5.xlarge'] }],
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
        startupTaints: [{ key: 'warming', effect: 'NoSchedule' }],
        expireAfter: '48h',
        terminationGracePeriod: '10m',
      },
    };
    const world = new ProvisioningWorld([nodePoolDocument('general', { template })]);
    world.start();
    const toleration = { key: 'team', operator: 'Exists', value: '', effect: undefined } as const;
    world.pods([unschedulablePod({ tolerations: [toleration], requests: { cpu: '500m' } })]);
    await world.clock.advance(BATCH_MILLIS);
    const [claim] = world.claims();
    expect(claim?.name).toMatch(/^general-[a-z0-9]{5}$/);
    expect(claim?.labels).toEqual(
      new Map([
        ['team', 'a'],
        [NODEPOOL, 'general'],
      ]),
    );
    expect(claim?.annotations.get('note')).toBe('x');
    expect(claim?.annotations.get('berth.sh/launch-group')).toMatch(/^[0-9a-f]{16}$/);
    expect(claim?.annotations.get('berth.sh/launch-group-size')).toBe('1');
    expect(claim?.spec).toMatchObject({
      nodePool: 'general',
      taints: [{ key: 'team', value: 'a', effect: 'NoSchedule' }],
      startupTaints: [{ key: 'warming', effect: 'NoSchedule' }],
      expireAfterSeconds: 48 * 3600,
      terminationGracePeriodSeconds: 600,
    });
    const types = claim?.spec.requirements.find(({ key }) => key === INSTANCE_TYPE);
    expect([...(types?.values ?? [])]).toEqual(['m5.large', 'm5.xlarge']);
    expect(claim?.spec.requirements.find(({ key }) => key === ZONE)?.values.size).toBe(3);
  });

  test('equal claims of a batch are one launch group that says how many they are', async () => {
    const world = new ProvisioningWorld([
      nodePoolDocument('general', {
        template: {
          spec: {
            requirements: [{ key: INSTANCE_TYPE, operator: 'In', values: ['m5.large'] }],
            nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
          },
        },
      }),
    ]);
    world.start();
    world.pods(burst(4));
    await world.clock.advance(BATCH_MILLIS);
    const groups = new Set(world.claims().map(({ annotations }) => annotations.get('berth.sh/launch-group')));
    expect(groups.size).toBe(1);
    expect(world.claims().map(({ annotations }) => annotations.get('berth.sh/launch-group-size'))).toEqual(
      world.claims().map(() => String(world.claims().length)),
    );
  });

  test('pods that are planned are not planned again', async () => {
    const world = new ProvisioningWorld();
    world.start();
    world.pods(burst(10));
    await world.clock.advance(BATCH_MILLIS);
    const before = world.kube.writes.length;
    const [first] = burst(1);
    if (first !== undefined) world.pods([{ ...first, scheduled: { ...UNSCHEDULABLE, message: 'again' } }]);
    await world.clock.advance(60_000);
    expect(world.kube.writes).toHaveLength(before);
  });

  test('what a claim in flight has left is used before another machine is bought', async () => {
    const world = new ProvisioningWorld();
    world.start();
    world.pods([unschedulablePod({ name: 'first', requests: { cpu: '1' } })]);
    await world.clock.advance(BATCH_MILLIS);
    world.pods([unschedulablePod({ name: 'second', requests: { cpu: '100m' } })]);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.claims()).toHaveLength(1);
    expect(world.heldPods()).toHaveLength(2);
  });

  test('a pod that fits an existing node gets room held there, and nothing is bought', async () => {
    const world = new ProvisioningWorld();
    world.kube.objects.put('Node', observedNode({ name: 'node-1' }));
    world.start();
    world.pods([unschedulablePod({ name: 'small' })]);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.claims()).toEqual([]);
    expect(world.held()).toEqual({ 'node-1': ['uid-default-small'] });
  });

  test('limits count claims that are in flight', async () => {
    const world = new ProvisioningWorld([nodePoolDocument('general', { limits: { cpu: '4' } })]);
    world.start();
    world.pods([unschedulablePod({ name: 'first', requests: { cpu: '3' } })]);
    await world.clock.advance(BATCH_MILLIS);
    world.pods([unschedulablePod({ name: 'second', requests: { cpu: '3' } })]);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.heldPods()).toEqual(['uid-default-first']);
    expect(world.told.decisions).toContainEqual(
      expect.objectContaining({ action: 'Refuse', reason: 'LimitReached' }),
    );
  });

  test('a frozen pool launches nothing, and the refusal of a pod that only it could hold names the pool as frozen', async () => {
    const world = new ProvisioningWorld([
      nodePoolDocument('batch'),
      nodePoolDocument('tiny', { limits: { cpu: '0' } }),
    ]);
    world.kube.objects.put(
      'PolicyConfigMap',
      policyConfigMap(
        [nodePoolDocument('tiny', { limits: { cpu: '0' } }), nodeClassDocument('default')].map((each) =>
          policyDocument(each),
        ),
      ),
    );
    world.start();
    world.pods([unschedulablePod()]);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.claims()).toEqual([]);
    expect(world.told.decisions).toContainEqual(
      expect.objectContaining({
        action: 'Refuse',
        message: expect.stringMatching(
          /batch: the pool is frozen: its document was removed .*restore the document of NodePool batch/,
        ) as unknown,
        event: { type: 'Warning', reason: 'FailedScheduling' },
      }),
    );
  });

  test('a pool whose node class is frozen launches nothing, and the refusal names the node class', async () => {
    const world = new ProvisioningWorld();
    world.kube.objects.put('PolicyConfigMap', policyConfigMap([policyDocument(nodePoolDocument('general'))]));
    world.start();
    world.pods([unschedulablePod()]);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.claims()).toEqual([]);
    expect(world.told.decisions).toContainEqual(
      expect.objectContaining({
        action: 'Refuse',
        reason: 'NodeClassNotReady',
        message: expect.stringMatching(
          /EC2NodeClass default is not ready: its document was removed from the policy ConfigMaps/,
        ) as unknown,
      }),
    );
  });

  test('a pool whose acceptance is not written down is not relied on until it is', async () => {
    const world = new ProvisioningWorld([]);
    const pool = nodePoolDocument('general');
    world.kube.objects.put(
      'PolicyConfigMap',
      policyConfigMap([policyDocument(pool), policyDocument(nodeClassDocument('default'))]),
    );
    world.start();
    world.pods([unschedulablePod()]);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.claims()).toEqual([]);
    world.policies([pool, nodeClassDocument('default')]);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.claims()).toHaveLength(1);
  });

  describe('while policies are not ready', () => {
    const documents = [nodePoolDocument('general'), nodeClassDocument('default')];
    const refusals = (world: ProvisioningWorld): readonly string[] =>
      world.told.decisions.flatMap(({ action, reason, message }) =>
        action === 'Refuse' ? [`${reason}: ${message}`] : [],
      );

    function unaccepted(): ProvisioningWorld {
      const world = new ProvisioningWorld([]);
      world.kube.objects.put(
        'PolicyConfigMap',
        policyConfigMap(documents.map((document) => policyDocument(document))),
      );
      world.start();
      world.pods([unschedulablePod()]);
      return world;
    }

    test('no pod is refused, and it gets its place soon after they are', async () => {
      const world = unaccepted();
      await world.clock.advance(20_000);
      world.policies(documents);
      await world.clock.advance(3000);
      expect(refusals(world)).toEqual([]);
      expect(world.claims()).toHaveLength(1);
    });

    test('pods are refused after a minute all the same, and the refusal names what is not ready', async () => {
      const world = unaccepted();
      await world.clock.advance(59_000);
      expect(refusals(world)).toEqual([]);
      await world.clock.advance(6000);
      expect(refusals(world).slice(0, 1)).toEqual([
        'PoliciesNotReady: policies are not ready yet: NodePool general is not validated yet; there is no NodePool; add one that allows this pod',
      ]);
    });

    test('an edit that is not accepted yet holds refusals back too', async () => {
      const world = new ProvisioningWorld([nodePoolDocument('general', { limits: { cpu: '0' } })]);
      world.kube.objects.put(
        'PolicyConfigMap',
        policyConfigMap(documents.map((document) => policyDocument(document))),
      );
      world.start();
      world.pods([unschedulablePod()]);
      await world.clock.advance(20_000);
      expect(refusals(world)).toEqual([]);
      world.policies(documents);
      await world.clock.advance(3000);
      expect(world.claims()).toHaveLength(1);
    });

    test('a node class that is not resolved yet holds refusals back until it is', async () => {
      const world = new ProvisioningWorld([nodePoolDocument('general', { limits: { cpu: '0' } })]);
      const ready = {
        ...{ type: 'Ready', reason: 'AwaitingReconciliation', status: 'Unknown' as const },
        ...{ message: 'not resolved yet', lastTransitionTime: 0 },
      };
      const nodeClass = {
        ...policyStatus({ kind: 'EC2NodeClass', policy: 'default' }),
        lastAccepted: acceptedPolicy(nodeClassDocument('default')),
      };
      world.kube.objects.put('PolicyStatus', { ...nodeClass, conditions: [ready] });
      world.start();
      world.pods([unschedulablePod()]);
      await world.clock.advance(20_000);
      expect(refusals(world)).toEqual([]);
      world.kube.objects.put('PolicyStatus', {
        ...nodeClass,
        conditions: [{ ...ready, status: 'True', reason: 'Ready' }],
      });
      await world.clock.advance(3000);
      expect(refusals(world)).toEqual([expect.stringMatching(/^LimitReached: /)]);
    });

    test('that there is no NodePool is reported after a few seconds, since the first may be on its way', async () => {
      const world = new ProvisioningWorld([]);
      world.start();
      world.pods([unschedulablePod()]);
      await world.clock.advance(4000);
      expect(refusals(world)).toEqual([]);
      await world.clock.advance(6000);
      expect(refusals(world).slice(0, 1)).toEqual([
        'NoNodePools: there is no NodePool; add one that allows this pod',
      ]);
    });

    test('policies that are applied one after the other hold refusals back until the last has been there for a few seconds', async () => {
      const full = nodePoolDocument('general', { limits: { cpu: '0' } });
      const world = new ProvisioningWorld([full]);
      world.start();
      world.pods([unschedulablePod()]);
      await world.clock.advance(BATCH_MILLIS / 2);
      for (const name of ['other-1', 'other-2', 'other-3']) {
        world.kube.objects.put('PolicyConfigMap', policyConfigMap([], { name }));
        await world.clock.advance(4000);
      }
      expect(refusals(world)).toEqual([]);
      await world.clock.advance(4000);
      expect(refusals(world).slice(0, 1)).toEqual([expect.stringMatching(/^LimitReached: /)]);
    });

    test('a pod that is applied long after the others, and before the first NodePool, is not refused either', async () => {
      const world = new ProvisioningWorld([]);
      world.start();
      world.pods([unschedulablePod({ name: 'first' })]);
      await world.clock.advance(30_000);
      const told = refusals(world).length;
      expect(told).toBeGreaterThan(0);
      world.pods([unschedulablePod({ name: 'second', createdAt: world.clock.now() })]);
      await world.clock.advance(4000);
      expect(refusals(world)).toHaveLength(told);
    });

    test('a document that was refused holds nothing back', async () => {
      const world = new ProvisioningWorld([]);
      const bad = policyDocument(nodePoolDocument('general', { weight: 'heavy' }));
      world.kube.objects.put('PolicyConfigMap', policyConfigMap([bad]));
      world.kube.objects.put('PolicyStatus', { ...policyStatus(), lastAccepted: undefined });
      world.start();
      world.pods([unschedulablePod()]);
      await world.clock.advance(BATCH_MILLIS);
      expect(refusals(world)).toEqual(['NoNodePools: there is no NodePool; add one that allows this pod']);
    });
  });

  test('offerings that the cloud has none of are not asked for', async () => {
    const world = new ProvisioningWorld();
    for (const instanceType of ['m5.large', 'c5.large', 'c5.xlarge'])
      world.unavailableOfferings.mark({ instanceType }, world.clock.now());
    world.start();
    world.pods([unschedulablePod()]);
    await world.clock.advance(BATCH_MILLIS);
    const types = world.claims()[0]?.spec.requirements.find(({ key }) => key === INSTANCE_TYPE);
    expect([...(types?.values ?? [])]).toEqual(['m5.xlarge']);
  });

  test('a NodePool that nothing can be launched of is left out for a minute: its pods are told, and then it is tried again', async () => {
    const world = new ProvisioningWorld();
    world.unavailableOfferings.markPool('general', 'InvalidAMIID.NotFound', world.clock.now());
    world.start();
    world.pods([unschedulablePod()]);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.claims()).toEqual([]);
    const told = world.told.decisions.map(({ message }) => message);
    expect(told).toEqual([expect.stringContaining('launches fail: InvalidAMIID.NotFound')]);
    await world.clock.advance(80_000);
    expect(world.claims()).toHaveLength(1);
  });

  test('the batch closes at once when all replicas of its owners have been seen', async () => {
    const world = new ProvisioningWorld();
    world.kube.objects.put('Workload', replicaSet());
    world.start();
    await world.clock.settle();
    world.pods(burst(10));
    await world.clock.advance(10);
    expect(world.heldPods()).toHaveLength(10);
  });

  test('the batch waits for replicas that kube-scheduler has not looked at yet', async () => {
    const world = new ProvisioningWorld();
    world.kube.objects.put('Workload', replicaSet());
    world.start();
    await world.clock.settle();
    const [first, ...others] = burst(10);
    world.pods(others);
    if (first !== undefined) world.pods([{ ...first, scheduled: undefined }]);
    await world.clock.advance(500);
    expect(world.heldPods()).toEqual([]);
    if (first !== undefined) world.pods([first]);
    await world.clock.advance(10);
    expect(world.heldPods()).toHaveLength(10);
  });

  test('a batch of pods of unknown number closes after a second without another', async () => {
    const world = new ProvisioningWorld();
    world.start();
    await world.clock.settle();
    world.pods([unschedulablePod({ name: 'a' })]);
    await world.clock.advance(900);
    world.pods([unschedulablePod({ name: 'b' })]);
    await world.clock.advance(900);
    expect(world.claims()).toEqual([]);
    await world.clock.advance(200);
    expect(world.heldPods()).toHaveLength(2);
  });

  test('a batch closes after ten seconds, however many pods come', async () => {
    const world = new ProvisioningWorld();
    world.start();
    await world.clock.settle();
    for (let index = 0; index < 12; index++) {
      world.pods([unschedulablePod({ name: `pod-${String(index)}` })]);
      await world.clock.advance(900);
    }
    expect(world.claims().length).toBeGreaterThan(0);
  });

  test.each([
    ['bound', { nodeName: 'elsewhere' }],
    ['of a DaemonSet', { owner: { kind: 'DaemonSet', name: 'agent' } }],
    ['a mirror pod', { mirror: true }],
    ['gated', { schedulingGated: true }],
    ["another scheduler's", { schedulerName: 'mine' }],
    ['on its way out', { terminating: true }],
    ['not looked at yet', { scheduled: undefined }],
    ['failed on by kube-scheduler', { scheduled: { status: false, reason: 'SchedulerError', message: 'x' } }],
  ])('a pod that is %s is not demand', async (_, overrides) => {
    const world = new ProvisioningWorld();
    world.start();
    world.pods([unschedulablePod(overrides)]);
    await world.clock.advance(20_000);
    expect(world.kube.writes).toEqual([]);
  });

  test('a pod with resource claims is refused with the reason, never guessed', async () => {
    const world = new ProvisioningWorld();
    world.start();
    world.pods([unschedulablePod({ resourceClaims: ['gpu'] })]);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.told.decisions.map(({ reason }) => reason)).toEqual(['DynamicResources']);
  });

  test.each([
    {
      name: 'its problem',
      answer: { ...RESOLVED, problems: ['no subnet has the tag a=b'] },
      says: 'no subnet has the tag a=b',
    },
    {
      name: 'that its subnets are full',
      answer: { ...RESOLVED, freeAddresses: new Map(RESOLVED.zones.map((zone) => [zone, 0])) },
      says: 'its subnets have no free IP addresses',
    },
    { name: 'that the cloud is away', answer: new Error('the cloud is away'), says: 'the cloud is away' },
  ])('pods of a pool whose node class is not ready get the reason $name', async ({ answer, says }) => {
    const world = new ProvisioningWorld();
    world.cloud.answer = answer;
    world.start();
    world.pods([unschedulablePod()]);
    await world.clock.advance(BATCH_MILLIS);
    const [refusal] = world.told.decisions;
    expect(refusal).toMatchObject({
      reason: 'NodeClassNotReady',
      message: expect.stringContaining(says) as string,
    });
  });

  test('a node class whose images are for another architecture offers none of the types', async () => {
    const world = new ProvisioningWorld();
    world.cloud.answer = { ...RESOLVED, architectures: ['arm64'] };
    world.start();
    world.pods([unschedulablePod()]);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.claims()).toEqual([]);
    world.cloud.answer = { ...RESOLVED, architectures: ['amd64', 'arm64'] };
    await world.clock.advance(120_000);
    expect(world.claims()).toHaveLength(1);
  });

  test('a zone whose subnets have no free address is no option', async () => {
    const world = new ProvisioningWorld();
    const [full = '', ...others] = RESOLVED.zones;
    world.cloud.answer = { ...RESOLVED, freeAddresses: new Map([[full, 0]]) };
    world.start();
    world.pods([unschedulablePod()]);
    await world.clock.advance(BATCH_MILLIS);
    const zones = world.claims()[0]?.spec.requirements.find(({ key }) => key === ZONE)?.values;
    expect([...(zones ?? [])].sort()).toEqual(others);
  });

  test('a capacity reservation is used as often as it has instances, over several batches', async () => {
    const world = new ProvisioningWorld();
    const [zone = ''] = RESOLVED.zones;
    const reservations = [resolvedReservation({ zone, type: 'capacity-block' })];
    world.cloud.answer = { ...RESOLVED, reservations };
    world.start();
    for (const name of ['first', 'second', 'third']) {
      world.pods([unschedulablePod({ name, requests: { cpu: '1500m' } })]);
      await world.clock.advance(BATCH_MILLIS);
    }
    const reserved = world
      .claims()
      .filter(({ labels }) => labels.get('karpenter.k8s.aws/capacity-reservation-id') === 'cr-1');
    expect(world.claims()).toHaveLength(3);
    expect(reserved.map(({ labels }) => labels.get(CAPACITY_RESERVATION_TYPE))).toEqual([
      'capacity-block',
      'capacity-block',
    ]);
    expect(
      reserved.map(({ spec }) => spec.requirements.find(({ key }) => key === CAPACITY_TYPE)?.values),
    ).toEqual([new Set(['reserved']), new Set(['reserved'])]);
  });

  test.each([
    { berth: { maxVolumeSize: '200Gi' }, claims: 1 },
    { berth: {}, claims: 0 },
  ])(
    'pods with much storage get nodes where the node class lets volumes grow: $berth',
    async ({ berth, claims }) => {
      const world = new ProvisioningWorld();
      world.policies([nodePoolDocument('general'), { ...nodeClassDocument('default'), berth }]);
      world.start();
      world.pods([unschedulablePod({ requests: { 'ephemeral-storage': '100Gi' } })]);
      await world.clock.advance(BATCH_MILLIS);
      expect(world.claims()).toHaveLength(claims);
      for (const { spec } of world.claims())
        expect(spec.requests.get('ephemeral-storage')).toBe(100 * 2 ** 30);
    },
  );

  test('kube-scheduler failing on a pod is counted', async () => {
    const world = new ProvisioningWorld();
    world.start();
    await world.clock.settle();
    world.pods([
      unschedulablePod({ scheduled: { status: false, reason: 'SchedulerError', message: 'dial' } }),
    ]);
    expect(await world.metrics.registry.metrics()).toMatch(/^berth_scheduler_errors_total 1$/m);
  });

  test('a pod for which kube-scheduler makes room by preemption is left to it', async () => {
    const world = new ProvisioningWorld();
    world.kube.objects.put('Node', observedNode({ name: 'full' }));
    world.pods([unschedulablePod({ name: 'victim', nodeName: 'full', terminating: true })]);
    world.start();
    world.pods([unschedulablePod({ name: 'urgent', priority: 10, nominatedNodeName: 'full' })]);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.kube.writes).toEqual([]);
  });

  test('pods that no pool can hold are planned again after ten seconds, when the world may have changed', async () => {
    const world = new ProvisioningWorld();
    world.cloud.answer = new Error('the cloud is away');
    world.start();
    world.pods([unschedulablePod()]);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.claims()).toEqual([]);
    world.cloud.answer = RESOLVED;
    await world.clock.advance(12_000);
    expect(world.claims()).toHaveLength(1);
  });

  test('a pod that sleeps on a hold which is no more, and that nothing is planned for, is woken once', async () => {
    const world = new ProvisioningWorld([nodePoolDocument('general', { limits: { cpu: '0' } })]);
    const message = '0/1 nodes are available: 1 berth: its planned node is not ready yet.';
    world.start();
    world.pods([unschedulablePod({ scheduled: { status: false, reason: 'Unschedulable', message } })]);
    await world.clock.advance(30_000);
    expect(world.kube.writes).toEqual([{ method: 'annotatePod', name: 'default/pod' }]);
  });

  test('pods released by a reservation that is gone rejoin the batch', async () => {
    const world = new ProvisioningWorld();
    world.start();
    world.pods(burst(3));
    await world.clock.advance(BATCH_MILLIS);
    const [claim] = world.claims();
    world.kube.objects.remove('NodeClaim', claim?.name ?? '');
    world.kube.objects.remove('Reservation', `nodeclaim.${claim?.name ?? ''}`);
    await world.clock.advance(BATCH_MILLIS);
    expect(world.heldPods()).toHaveLength(3);
    expect(world.claims().map(({ name }) => name)).not.toContain(claim?.name);
  });

  test('a gang gets room for all of it or for none, and nothing is bought for a part of it', async () => {
    const template = {
      spec: {
        requirements: [{ key: INSTANCE_TYPE, operator: 'In', values: ['m5.large'] }],
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
      },
    };
    const world = new ProvisioningWorld([nodePoolDocument('general', { template, limits: { cpu: '6' } })]);
    world.start();
    const gang = { key: 'PodGroup default/train', minMembers: undefined };
    world.kube.objects.put('PodGroup', { namespace: 'default', name: 'train', minMembers: 4 });
    const [first, ...others] = unschedulableReplicas(4, { name: 'train', requests: { cpu: '1500m' }, gang });
    world.pods(first === undefined ? [] : [first]);
    world.pods(others.map((pod) => ({ ...pod, scheduled: undefined })));
    await world.clock.advance(11_000);
    expect(world.claims()).toEqual([]);
    expect(world.told.decisions.map(({ reason }) => reason)).toContain('GangUnplaceable');
    world.kube.objects.put('PodGroup', { namespace: 'default', name: 'train', minMembers: 3 });
    await world.clock.advance(11_000);
    expect(world.claims()).toHaveLength(3);
  });

  test('a batch never starts before the cluster is known', async () => {
    const world = new ProvisioningWorld();
    world.pods(burst(3));
    const empty = new Cluster();
    const life = world.start(world.kube, { cluster: empty });
    for (const pod of burst(3)) empty.put('Pod', pod);
    await world.clock.advance(60_000);
    expect(world.kube.writes).toEqual([]);
    await expect(life.stop()).resolves.toBeDefined();
  });
});
