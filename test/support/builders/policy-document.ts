/** Policy documents and the ConfigMaps that hold them, for tests. */
import '../../../src/app/clouds.js';
import { decodeAcceptedPolicy } from '../../../src/apis/berth/accepted-policy.js';
import { policyHash } from '../../../src/apis/berth/policy-hash.js';
import type {
  JsonObject,
  PolicyConfigMap,
  PolicyDocument,
  PolicyKind,
} from '../../../src/domain/policies/policy.js';

/** A valid document as it is read from key `policies.yaml` of ConfigMap `policies`, unless said otherwise. */
export function policyDocument(
  document: JsonObject,
  overrides: Partial<PolicyDocument> = {},
): PolicyDocument {
  return {
    kind: document['kind'] as PolicyKind,
    name: (document['metadata'] as { readonly name: string }).name,
    source: { configMap: 'policies', key: 'policies.yaml' },
    document,
    hash: policyHash(document),
    value: decodeAcceptedPolicy(document),
    errors: [],
    warnings: [],
    ...overrides,
  };
}

/** ConfigMap `policies` with these documents. */
export function policyConfigMap(
  documents: readonly PolicyDocument[],
  overrides: Partial<PolicyConfigMap> = {},
): PolicyConfigMap {
  return {
    name: 'policies',
    resourceVersion: '1',
    createdAt: Date.UTC(2026, 0, 1),
    errors: [],
    ...overrides,
    documents,
  };
}

/** The least that an EC2NodeClass says. */
export function nodeClassDocument(name: string, spec: JsonObject = {}): JsonObject {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name },
    spec: {
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      role: 'nodes',
      subnetSelectorTerms: [{ id: 'subnet-1' }],
      securityGroupSelectorTerms: [{ id: 'sg-1' }],
      ...spec,
    },
  };
}
