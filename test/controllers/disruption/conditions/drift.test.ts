import { policyHash } from '../../../../src/apis/berth/policy-hash.js';
import {
  driftOf,
  driftTarget,
  resolvedHash,
  type DriftQuestion,
} from '../../../../src/controllers/disruption/conditions/drift.js';
import {
  hashAnnotations,
  nodeClassHash,
  nodePoolHash,
} from '../../../../src/controllers/fingerprint/template-hash.js';
import { ADOPTED_RESOURCES_ANNOTATION } from '../../../../src/domain/nodes/handover.js';
import type { NodeClaim } from '../../../../src/domain/nodes/node-claim.js';
import type { JsonObject } from '../../../../src/domain/policies/policy.js';
import { requirement } from '../../../../src/domain/values/requirement.js';
import { cloudInstance } from '../../../support/builders/cloud-instance.js';
import { instanceType, offering, ZONE_A } from '../../../support/builders/instance-type.js';
import { launchStatus, nodeClaim } from '../../../support/builders/node-claim.js';
import { nodePool } from '../../../support/builders/node-pool.js';
import { placementGroup } from '../../../support/builders/placement-group.js';
import { observedNode } from '../../../support/builders/observed-node.js';
import { ec2NodeClass } from '../../../support/builders/ec2-node-class.js';
import { RESOLVED } from '../../../support/small-cloud.js';

const POOL = nodePool({ name: 'general' });

const instance = cloudInstance({ securityGroupIDs: ['sg-1'] });

/** In no placement group. */
const OUTSIDE = { ...instance, placementGroup: { name: '', id: '' } };

const IN_OTHER_ZONE = nodePool({
  name: 'general',
  requirements: [requirement('topology.k8s.aws/zone-id', 'In', ['use1-az2'])],
});

/** A node that is just what its pool and class say; tests say what differs. */
function question(overrides: Partial<DriftQuestion> = {}): DriftQuestion {
  const nodeClass = ec2NodeClass();
  const launch = launchStatus();
  const [override] = launch.request.overrides;
  if (override === undefined) throw new Error('a launch has an override');
  const asked = { ...override, instanceType: 'm5.large', zone: ZONE_A, subnetID: 'subnet-1' };
  return {
    claim: nodeClaim({
      annotations: hashAnnotations(POOL, nodeClass),
      status: {
        providerID: instance.providerID,
        instanceType: 'm5.large',
        zone: ZONE_A,
        capacityType: 'on-demand',
        imageID: 'ami-1',
        launch: { ...launch, request: { ...launch.request, overrides: [asked] } },
      },
    }),
    node: observedNode({ nodePool: 'general' }),
    pool: POOL,
    nodeClass,
    resolved: RESOLVED,
    instance,
    types: [instanceType()],
    ...overrides,
  };
}

test('a node that is what its pool and class say has not drifted', () => {
  expect(driftOf(question())).toBeUndefined();
});

test.each<[string, Partial<DriftQuestion>]>([
  ['NodePoolDrifted', { pool: nodePool({ name: 'general', labels: { team: 'a' } }) }],
  ['NodePoolDrifted', { pool: nodePool({ name: 'general', expireAfterSeconds: undefined }) }],
  ['NodeClassDrifted', { nodeClass: ec2NodeClass({ userData: 'echo' }) }],
  [
    'RequirementsDrifted',
    {
      pool: nodePool({
        name: 'general',
        requirements: [requirement('karpenter.sh/capacity-type', 'In', ['spot'])],
      }),
    },
  ],
  [
    'RequirementsDrifted',
    { pool: IN_OTHER_ZONE, types: [instanceType({ offerings: [offering({ zoneID: 'use1-az1' })] })] },
  ],
  ['InstanceTypeNotFound', { types: [instanceType({ name: 'c5.large' })] }],
  ['InstanceTypeNotFound', { types: [instanceType({ zones: ['us-east-1b'] })] }],
  ['AMIDrift', { resolved: { ...RESOLVED, imageIDs: ['ami-2'] } }],
  ['SubnetDrift', { resolved: { ...RESOLVED, subnetIDs: ['subnet-2'] } }],
  ['SecurityGroupDrift', { resolved: { ...RESOLVED, securityGroupIDs: ['sg-1', 'sg-2'] } }],
  [
    'CapacityReservationDrift',
    {
      instance: { ...instance, capacityType: 'reserved', reservationID: 'cr-1' },
      resolved: { ...RESOLVED, reservationIDs: ['cr-2'] },
    },
  ],
  ['PlacementGroupDrift', { instance: { ...instance, placementGroup: { name: 'a', id: 'pg-1' } } }],
  [
    'PlacementGroupDrift',
    {
      instance: OUTSIDE,
      resolved: { ...RESOLVED, placementGroup: placementGroup({ id: 'pg-2', name: 'b' }) },
    },
  ],
  [
    'PlacementGroupDrift',
    {
      instance: { ...instance, placementGroup: { name: 'a', id: 'pg-1' } },
      resolved: { ...RESOLVED, placementGroup: placementGroup({ id: 'pg-2', name: 'b' }) },
    },
  ],
])('it has %s with %j', (reason, change) => {
  expect(driftOf(question(change))?.reason).toBe(reason);
});

test.each<[string, Partial<DriftQuestion>]>([
  ['what its class amounts to', { resolved: undefined }],
  [
    'what its class amounts to, since it cannot be launched from',
    { resolved: { ...RESOLVED, problems: ['no'], imageIDs: [] } },
  ],
  ['its node class', { nodeClass: undefined, resolved: undefined }],
  ['its instance', { instance: undefined }],
  ['the catalogue', { types: [] }],
  ['the id of its zone', { pool: IN_OTHER_ZONE }],
])('while %s is not known, it has not drifted', (_, change) => {
  expect(driftOf(question(change))).toBeUndefined();
});

test.each<[string, Partial<DriftQuestion>]>([
  ['in no reservation', { instance: { ...instance, reservationID: '' } }],
  ['in a reservation that its class selects', { instance: { ...instance, reservationID: 'cr-1' } }],
  ['in no placement group, as its class wants it', { instance: OUTSIDE }],
  [
    'in the placement group that its class selects',
    {
      instance: { ...instance, placementGroup: { name: 'a', id: 'pg-1' } },
      resolved: { ...RESOLVED, placementGroup: placementGroup({ id: 'pg-1', name: 'a' }) },
    },
  ],
  [
    'in a placement group of which the cloud says the name alone',
    {
      instance: { ...instance, placementGroup: { name: 'a', id: '' } },
      resolved: { ...RESOLVED, placementGroup: placementGroup({ id: 'pg-1', name: 'a' }) },
    },
  ],
])('an instance %s has not drifted', (_, change) => {
  const resolved = { ...RESOLVED, reservationIDs: ['cr-1'] };
  expect(driftOf(question({ resolved, ...change }))).toBeUndefined();
});

test('before its instance is listed, the reservation of a claim is that of its labels while it is reserved', () => {
  const { claim } = question();
  const labels = new Map([['karpenter.k8s.aws/capacity-reservation-id', 'cr-1']]);
  const reserved = { ...claim, labels, status: { ...claim.status, capacityType: 'reserved' as const } };
  const resolved = { ...RESOLVED, reservationIDs: ['cr-2'] };
  expect(driftOf(question({ claim: reserved, instance: undefined, resolved }))?.message).toBe(
    'the instance is in capacity reservation cr-1, which EC2NodeClass default no longer selects; it selects cr-2',
  );
  expect(driftOf(question({ claim: { ...claim, labels }, instance: undefined, resolved }))).toBeUndefined();
});

test('a claim drifts with its node class when the cluster gets another CA bundle, and not while none was written down', () => {
  const { claim } = question();
  const { launch } = claim.status;
  const resolved = { ...RESOLVED, certificateAuthority: 'new' };
  const launchedWith = (certificateAuthority: string): NodeClaim => ({
    ...claim,
    status: {
      ...claim.status,
      launch: launch && { ...launch, request: { ...launch.request, certificateAuthority } },
    },
  });
  expect(driftOf(question({ claim: launchedWith('old'), resolved }))).toEqual({
    reason: 'NodeClassDrifted',
    message:
      'the CA bundle of the cluster, which nodes of EC2NodeClass default are launched with, has changed since the NodeClaim was launched',
  });
  expect(driftOf(question({ claim: launchedWith('new'), resolved }))).toBeUndefined();
  expect(driftOf(question({ resolved }))).toBeUndefined();
  expect(driftOf(question({ claim: launchedWith('old') }))).toBeUndefined();
  const annotations = new Map([...claim.annotations, ['berth.sh/certificate-authority-hash', 'old']]);
  expect(driftOf(question({ claim: { ...claim, annotations }, resolved }))?.reason).toBe('NodeClassDrifted');
});

test('a claim that was made when the placement group counted as part of the class has drifted only if the class changed', () => {
  const nodeClass = ec2NodeClass({ placementGroupSelector: { name: 'a' } });
  const { claim } = question();
  const former = policyHash(nodeClass.formerTemplate as JsonObject);
  const old = {
    ...claim,
    annotations: new Map([...claim.annotations, ['berth.sh/nodeclass-hash', former]]),
  };
  expect(driftOf(question({ claim: old, nodeClass }))).toBeUndefined();
  expect(driftOf(question({ nodeClass }))).toBeUndefined();
  const changed = ec2NodeClass({ placementGroupSelector: { name: 'a' }, detailedMonitoring: true });
  expect(driftOf(question({ claim: old, nodeClass: changed }))?.reason).toBe('NodeClassDrifted');
});

test('the target of a roll-out changes with the reservations, the placement group and the CA bundle, and without them stays', () => {
  const of = (resolved: DriftQuestion['resolved']): string =>
    driftTarget(POOL, ec2NodeClass(), resolved ?? RESOLVED);
  const targets = [
    of(RESOLVED),
    of({ ...RESOLVED, reservationIDs: ['cr-1'] }),
    of({ ...RESOLVED, placementGroup: placementGroup() }),
    of({ ...RESOLVED, certificateAuthority: 'a' }),
  ];
  expect(new Set(targets).size).toBe(4);
  expect(of({ ...RESOLVED, reservationIDs: [] })).toBe(of(RESOLVED));
});

test('limits, weight, budgets and requirements are no part of the fingerprint', () => {
  const changed = nodePool({
    name: 'general',
    weight: 10,
    limits: { cpu: '10' },
    requirements: [requirement('a', 'Exists')],
  });
  expect(nodePoolHash(changed)).toBe(nodePoolHash(POOL));
});

test('a default that is written down, and selectors, are no part of the fingerprint', () => {
  const plain = ec2NodeClass();
  const written = ec2NodeClass({
    metadataOptions: { httpTokens: 'required' },
    amiSelectorTerms: [{ alias: 'al2023@v20260101' }],
    subnetSelectorTerms: [{ id: 'subnet-9' }],
  });
  expect(nodeClassHash(written)).toBe(nodeClassHash(plain));
  const another = ec2NodeClass({ detailedMonitoring: true });
  expect(nodeClassHash(another)).not.toBe(nodeClassHash(plain));
});

test('the message names each field that changed, with its old and its new value', () => {
  const pool = nodePool({ name: 'general', labels: { team: 'a' }, expireAfterSeconds: 3600 });
  expect(driftOf(question({ pool }))?.message).toBe(
    'the template of NodePool general has changed since the NodeClaim was created: ' +
      'spec.template.metadata.labels.team from unset to a; spec.template.spec.expireAfter from 720h to 1h',
  );
  const nodeClass = ec2NodeClass({ kubelet: { maxPods: 58 }, userData: 'a secret' });
  expect(driftOf(question({ nodeClass }))?.message).toBe(
    'EC2NodeClass default has changed since the NodeClaim was created: ' +
      'spec.kubelet.maxPods from unset to 58; spec.userData changed',
  );
});

test('annotations of a claim hold no user data', () => {
  const nodeClass = ec2NodeClass({ userData: 'a secret' });
  expect([...hashAnnotations(POOL, nodeClass).values()].join()).not.toContain('a secret');
});

test('a claim without remembered fields drifts all the same', () => {
  const { claim } = question();
  const annotations = new Map([...claim.annotations, ['berth.sh/nodepool-fields', '{"broken']]);
  const pool = nodePool({ name: 'general', labels: { team: 'a' } });
  expect(driftOf(question({ claim: { ...claim, annotations }, pool }))?.message).toBe(
    'the template of NodePool general has changed since the NodeClaim was created',
  );
});

test('a fingerprint of another version says nothing', () => {
  const { claim } = question();
  const older = new Map([...claim.annotations, ['berth.sh/nodepool-hash-version', 'v0']]);
  const pool = nodePool({ name: 'general', labels: { team: 'a' } });
  expect(driftOf(question({ claim: { ...claim, annotations: older }, pool }))).toBeUndefined();
});

test('an adopted node has not drifted from images that its class never had since, and does when the class changes', () => {
  const elsewhere = { ...RESOLVED, imageIDs: ['ami-2', 'ami-3'] };
  const { claim } = question();
  const annotations = new Map([
    ...claim.annotations,
    [ADOPTED_RESOURCES_ANNOTATION, resolvedHash(elsewhere)],
  ]);
  const adopted = { ...claim, annotations };
  expect(driftOf(question({ claim, resolved: elsewhere }))?.reason).toBe('AMIDrift');
  expect(driftOf(question({ claim: adopted, resolved: elsewhere }))).toBeUndefined();
  const reordered = { ...elsewhere, imageIDs: ['ami-3', 'ami-2'] };
  expect(driftOf(question({ claim: adopted, resolved: reordered }))).toBeUndefined();
  const newer = { ...elsewhere, imageIDs: ['ami-4'] };
  expect(driftOf(question({ claim: adopted, resolved: newer }))?.reason).toBe('AMIDrift');
});
