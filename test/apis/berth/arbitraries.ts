/** Generators of what Berth's own kinds hold, for the law that writing and reading changes nothing. */
import fc from 'fast-check';
import type { Condition } from '../../../src/domain/values/condition.js';
import { DECISION_ACTIONS, type Decision } from '../../../src/domain/records/decision.js';
import { CAPACITY_TYPES } from '../../../src/domain/nodes/instance-type.js';
import {
  RESERVED_MARKETS,
  type LaunchOverride,
  type LaunchStatus,
  type NodeClaim,
  type NodeClaimSpec,
  type NodeClaimStatus,
} from '../../../src/domain/nodes/node-claim.js';
import {
  OBSERVATION_NAME,
  OBSERVED_SYSTEMS,
  type Observation,
} from '../../../src/domain/records/observation.js';
import type { PolicyStatus } from '../../../src/domain/policies/policy.js';
import type { ResolvedObjects } from '../../../src/domain/policies/resolved-objects.js';
import {
  PROPOSAL_PHASES,
  PROPOSED_ACTS,
  VERDICTS,
  type Proposal,
} from '../../../src/domain/records/proposal.js';
import {
  reservationName,
  type Reservation,
  type ReservationEntry,
} from '../../../src/domain/records/reservation.js';
import type { ResourceList } from '../../../src/domain/values/resources.js';
import { TAINT_EFFECTS, type Taint } from '../../../src/domain/values/taint.js';
import { acceptedPolicy, nodePoolDocument, policyStatus } from '../../support/builders/policy-status.js';
import { requirements } from '../../domain/arbitraries.js';

const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}[a-z0-9]$/);
const text = fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme' });
const maybe = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> =>
  fc.option(arbitrary, { nil: undefined });
const time = fc.integer({ min: 0, max: Date.UTC(2100, 0, 1) });
const price = fc.double({ min: 0, max: 1000, noNaN: true }).map((value) => (value === 0 ? 0 : value));
const count = fc.integer({ min: 1, max: 1000 });
const seconds = fc.integer({ min: 0, max: 10 * 365 * 86_400 });

const amounts: fc.Arbitrary<ResourceList> = fc
  .dictionary(
    fc.constantFrom('cpu', 'memory', 'pods', 'ephemeral-storage', 'hugepages-2Mi', 'nvidia.com/gpu'),
    fc.oneof(fc.nat(), fc.maxSafeNat()),
  )
  .map((record) => new Map(Object.entries(record)));

const labels = fc.dictionary(name, name).map((record) => new Map(Object.entries(record)));

const taint: fc.Arbitrary<Taint> = fc.record({
  key: name,
  value: fc.oneof(fc.constant(''), name),
  effect: fc.constantFrom(...TAINT_EFFECTS),
});

const condition: fc.Arbitrary<Condition> = fc.record({
  type: name,
  status: fc.constantFrom('True', 'False', 'Unknown'),
  reason: name,
  message: fc.string(),
  lastTransitionTime: time,
});

const spec: fc.Arbitrary<NodeClaimSpec> = fc.record({
  nodePool: name,
  nodeClassRef: fc.record({ group: name, kind: name, name }),
  requirements: requirements.map((map) => [...map.values()]),
  taints: fc.array(taint, { maxLength: 3 }),
  startupTaints: fc.array(taint, { maxLength: 3 }),
  requests: amounts,
  expireAfterSeconds: maybe(seconds),
  terminationGracePeriodSeconds: maybe(seconds),
});

/** Many have the same image, subnet and launch template, and some have none. */
const override: fc.Arbitrary<LaunchOverride> = fc.record({
  instanceType: name,
  zone: name,
  price,
  imageID: fc.oneof(fc.string(), fc.constantFrom('', 'ami-1')),
  launchTemplate: maybe(
    fc.oneof(fc.record({ id: name, version: name }), fc.constantFrom({ id: 'lt-1', version: '1' })),
  ),
  subnetID: maybe(fc.oneof(name, fc.constantFrom('subnet-1', 'subnet-2'))),
});

const launch: fc.Arbitrary<LaunchStatus> = fc.record({
  group: name,
  attempt: count,
  token: name,
  requestHash: name,
  request: fc.record({
    capacityType: fc.constantFrom(...CAPACITY_TYPES),
    size: count,
    overrides: fc.array(override, { maxLength: 12 }),
    tags: maybe(labels),
    market: maybe(fc.constantFrom(...RESERVED_MARKETS)),
    context: maybe(text),
  }),
  requestKeptBy: maybe(name),
  answeredAt: maybe(time),
  error: maybe(fc.string()),
});

const status: fc.Arbitrary<NodeClaimStatus> = fc.record({
  launch: maybe(launch),
  providerID: maybe(text),
  nodeName: maybe(name),
  instanceType: maybe(name),
  zone: maybe(name),
  capacityType: maybe(fc.constantFrom(...CAPACITY_TYPES)),
  hourlyPrice: maybe(price),
  imageID: maybe(name),
  capacity: amounts,
  allocatable: amounts,
  conditions: fc.array(condition, { maxLength: 4 }),
  disruption: maybe(
    fc.record({ reason: name, decidedAt: time, terminationGracePeriodSeconds: maybe(seconds) }),
  ),
});

const identity = { uid: name, resourceVersion: fc.nat().map(String) };

export const nodeClaims: fc.Arbitrary<NodeClaim> = fc.record({
  name,
  ...identity,
  createdAt: time,
  deletionTimestamp: maybe(time),
  finalizers: fc.array(name, { maxLength: 2 }),
  labels,
  annotations: labels,
  spec,
  status,
});

const entry: fc.Arbitrary<ReservationEntry> = fc
  .record({
    held: fc.oneof(
      fc.record({ podUID: text, owner: fc.constant(undefined), count: fc.constant(1) }),
      fc.record({
        podUID: fc.constant(undefined),
        owner: fc.record({ kind: name, namespace: name, name, templateHash: fc.string() }),
        count,
      }),
    ),
    after: fc.array(text, { maxLength: 2 }),
    rest: fc.record({
      requests: amounts,
      priority: fc.integer(),
      reason: fc.string(),
      expiresAt: maybe(time),
    }),
  })
  .map(({ held, after, rest }) => ({ ...held, ...rest, ...(after.length === 0 ? {} : { after }) }));

export const reservations: fc.Arbitrary<Reservation> = fc
  .record({
    ...identity,
    target: fc.record({ kind: fc.constantFrom('Node', 'NodeClaim'), name }),
    entries: fc.array(entry, { maxLength: 4 }),
  })
  .map((parts) => ({ ...parts, name: reservationName(parts.target) }));

const proposal: fc.Arbitrary<Proposal> = fc.record({
  act: fc.constantFrom(...PROPOSED_ACTS),
  price,
  nodes: fc.nat(1000),
  evictions: fc.nat(1000),
  nodePools: fc.array(name, { maxLength: 3 }),
  pods: fc.array(name, { maxLength: 4 }),
  nodeClaims: fc.array(name, { maxLength: 4 }),
});

/** How far a proposal is, and what was said to it: each there or not. */
const answer: fc.Arbitrary<Pick<Decision, 'progress' | 'verdict'>> = fc.record(
  {
    progress: fc.record({ phase: fc.constantFrom(...PROPOSAL_PHASES), by: fc.string(), since: maybe(time) }),
    verdict: fc.record({ verdict: fc.constantFrom(...VERDICTS), by: fc.string(), reason: fc.string() }),
  },
  { requiredKeys: [] },
);

const plainDecisions: fc.Arbitrary<Decision> = fc.record({
  name,
  ...identity,
  outcome: fc.string(),
  spec: fc.record({
    time,
    subject: fc.record({ kind: name, namespace: fc.constantFrom('', 'web'), name, uid: fc.string() }),
    action: fc.constantFrom(...DECISION_ACTIONS),
    reason: name,
    message: fc.string(),
    trigger: fc.string(),
    considered: fc.string(),
    saving: maybe(
      fc.oneof(
        price,
        price.map((value) => (value === 0 ? 0 : -value)),
      ),
    ),
    reasons: maybe(
      fc.array(
        fc.record({ code: name, nodePool: name, constraint: text, wanted: text, got: text, change: text }),
        { minLength: 1, maxLength: 4 },
      ),
    ),
    related: maybe(
      fc.array(fc.record({ kind: name, namespace: fc.constantFrom('', 'web'), name }), {
        minLength: 1,
        maxLength: 4,
      }),
    ),
    proposal: maybe(proposal),
  }),
});

export const decisions: fc.Arbitrary<Decision> = fc
  .tuple(plainDecisions, answer)
  .map(([decision, parts]) => ({ ...decision, ...parts }));

const maybeName = maybe(name);
const resolved: fc.Arbitrary<ResolvedObjects> = fc.record({
  subnets: fc.array(fc.record({ id: name, zone: name, zoneID: maybeName }), { maxLength: 3 }),
  securityGroups: fc.array(fc.record({ id: name, name }), { maxLength: 3 }),
  amis: fc.array(fc.record({ id: name, name, architecture: name, deprecated: fc.boolean() }), {
    maxLength: 3,
  }),
  capacityReservations: fc.array(
    fc.record({
      ...{ id: name, instanceType: name, availabilityZone: name, reservationType: name },
      ...{ ownerID: maybeName, instanceMatchCriteria: maybeName, endTime: maybe(time) },
      interruptible: fc.boolean(),
      state: fc.constantFrom('active', 'expiring'),
    }),
    { maxLength: 3 },
  ),
  placementGroups: maybe(
    fc.array(
      fc.record({
        ...{ id: name, name, strategy: name, spreadLevel: maybeName },
        partitionCount: maybe(fc.integer({ min: 1, max: 7 })),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  ),
  instanceProfile: fc.oneof(name, fc.constant('')),
});

export const policyStatuses: fc.Arbitrary<PolicyStatus> = fc
  .record({
    ...identity,
    annotations: labels,
    policy: name,
    weight: fc.integer({ min: 1, max: 100 }),
    isAccepted: fc.boolean(),
    conditions: fc.array(condition, { maxLength: 4 }),
    resources: amounts,
    scale: maybe(fc.record({ replicas: fc.nat(1e4), policyReplicas: fc.nat(1e4) })),
    resolved: maybe(resolved),
  })
  .map(({ weight, isAccepted, ...parts }) =>
    policyStatus({
      ...parts,
      lastAccepted: isAccepted ? acceptedPolicy(nodePoolDocument(parts.policy, { weight })) : undefined,
    }),
  );

const usd = price;
const amount = fc.nat(1e6);
const observedSums = {
  seconds: usd,
  currentUsd: usd,
  berthUsd: usd,
  currentLaunches: amount,
  currentRemovals: amount,
  berthLaunches: amount,
  berthRemovals: amount,
  berthEvictions: amount,
};

export const observations: fc.Arbitrary<Observation> = fc.record({
  name: fc.constant(OBSERVATION_NAME),
  uid: identity.uid,
  resourceVersion: identity.resourceVersion,
  system: fc.constantFrom(...OBSERVED_SYSTEMS),
  since: time,
  updatedAt: time,
  total: fc.record(observedSums),
  now: fc.record({
    currentHourly: usd,
    berthHourly: usd,
    currentNodes: amount,
    berthNodes: amount,
    unpricedNodes: amount,
    unplacedPods: amount,
  }),
  periods: fc.array(fc.record({ from: time, to: time, ...observedSums }), { maxLength: 4 }),
  types: fc.array(fc.record({ instanceType: name, capacityType: name, current: amount, berth: amount }), {
    maxLength: 4,
  }),
  actions: fc.array(
    fc.record({
      time,
      reason: name,
      nodes: fc.array(name, { maxLength: 3 }),
      instanceTypes: fc.array(name, { maxLength: 3 }),
      saving: usd,
    }),
    { maxLength: 4 },
  ),
});
