/** NodeClaims for tests: a new claim of pool `general`; tests say what differs. */
import {
  NEW_CLAIM_STATUS,
  TERMINATION_FINALIZER,
  type LaunchStatus,
  type NodeClaim,
  type NodeClaimSpec,
  type NodeClaimStatus,
} from '../../../src/domain/nodes/node-claim.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { amounts } from './pod.js';

export type NodeClaimOverrides = Partial<Omit<NodeClaim, 'spec' | 'status'>> & {
  readonly spec?: Partial<NodeClaimSpec>;
  readonly status?: Partial<NodeClaimStatus>;
};

/** `general-1`, created at the start of 2026, asking for an m5.large or m6i.large. */
export function nodeClaim({ spec, status, ...overrides }: NodeClaimOverrides = {}): NodeClaim {
  const name = overrides.name ?? 'general-1';
  return {
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    createdAt: Date.UTC(2026, 0, 1),
    deletionTimestamp: undefined,
    finalizers: [TERMINATION_FINALIZER],
    labels: new Map(),
    annotations: new Map(),
    ...overrides,
    spec: nodeClaimSpec(spec),
    status: { ...NEW_CLAIM_STATUS, ...status },
  };
}

export function nodeClaimSpec(overrides: Partial<NodeClaimSpec> = {}): NodeClaimSpec {
  return {
    nodePool: 'general',
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    requirements: [requirement('node.kubernetes.io/instance-type', 'In', ['m6i.large', 'm5.large'])],
    taints: [],
    startupTaints: [],
    requests: amounts({ cpu: '500m', memory: '1Gi', pods: '3' }),
    expireAfterSeconds: 720 * 3600,
    terminationGracePeriodSeconds: undefined,
    ...overrides,
  };
}

/** The first attempt of a group of one, not answered yet. */
export function launchStatus(overrides: Partial<LaunchStatus> = {}): LaunchStatus {
  return {
    group: 'group-1',
    attempt: 1,
    token: 'token-1',
    requestHash: 'hash-1',
    request: {
      capacityType: 'spot',
      size: 1,
      overrides: [
        {
          instanceType: 'm6i.large',
          zone: 'eu-west-3a',
          price: 0.0412,
          imageID: 'ami-1',
          launchTemplate: { id: 'lt-1', version: '3' },
          subnetID: 'subnet-1',
        },
      ],
    },
    answeredAt: undefined,
    error: undefined,
    ...overrides,
  };
}
