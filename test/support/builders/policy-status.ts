/** PolicyStatuses for tests: that of a NodePool `general`; tests say what differs. */
import '../../../src/app/clouds.js';
import { policyHash } from '../../../src/apis/berth/policy-hash.js';
import { decodeAcceptedPolicy } from '../../../src/apis/berth/accepted-policy.js';
import {
  policyStatusName,
  type AcceptedPolicy,
  type JsonObject,
  type PolicyStatus,
} from '../../../src/domain/policies/policy.js';
import type { ObservedKinds } from '../../../src/ports/cluster-feed.js';
import { policyConfigMap, policyDocument } from './policy-document.js';

/** `nodepool.general`, with the pool's document as last accepted. */
export function policyStatus(overrides: Partial<Omit<PolicyStatus, 'name'>> = {}): PolicyStatus {
  const { kind = 'NodePool', policy = 'general' } = overrides;
  const name = policyStatusName(kind, policy);
  return {
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    annotations: new Map(),
    lastAccepted: acceptedPolicy(nodePoolDocument(policy)),
    conditions: [],
    resources: new Map(),
    driftedNodes: 0,
    ...overrides,
    kind,
    policy,
  };
}

/** A document as key `pools.yaml` of ConfigMap `policies` has it. */
export function acceptedPolicy(document: JsonObject): AcceptedPolicy {
  return {
    source: { configMap: 'policies', key: 'pools.yaml' },
    document,
    hash: policyHash(document),
    value: decodeAcceptedPolicy(document),
  };
}

/** Documents that hold and have been accepted, as ConfigMap `policies` and its PolicyStatuses. */
export function putAccepted(cluster: PutsPolicies, documents: readonly JsonObject[]): void {
  const read = documents.map((document) => policyDocument(document));
  cluster.put('PolicyConfigMap', policyConfigMap(read));
  for (const { kind, name, source, document } of read)
    cluster.put('PolicyStatus', {
      ...policyStatus({ kind, policy: name }),
      lastAccepted: { ...acceptedPolicy(document), source },
    });
}

interface PutsPolicies {
  put<K extends 'PolicyConfigMap' | 'PolicyStatus'>(kind: K, object: ObservedKinds[K]): unknown;
}

/** The least that a NodePool says. */
export function nodePoolDocument(name: string, spec: JsonObject = {}): JsonObject {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' };
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: { template: { spec: { requirements: [], nodeClassRef } }, ...spec },
  };
}
