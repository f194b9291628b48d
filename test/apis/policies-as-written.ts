// Policies as users write them, as plain objects with overrides, and the ways to read them.
import '../../src/app/clouds.js';
import { isEC2NodeClass, type EC2NodeClass } from '../../src/clouds/aws/api/ec2-node-class.js';
import type { NodeSettings } from '../../src/clouds/aws/families/node-settings.js';
import { type DecodedNodePool } from '../../src/apis/conversion/decode-policy.js';
import { decodePolicy } from '../support/decode-policy.js';
import type { Document } from '../../src/apis/documents/document.js';
import { readDocuments } from '../../src/apis/documents/read-documents.js';
import type { Issue } from '../../src/apis/issue.js';

export type Plain = Record<string, unknown>;

/** The spec of a NodePool's nodes that Karpenter accepts with nothing to spare. */
export function templateSpec(overrides: Plain = {}): Plain {
  return {
    requirements: [],
    nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
    ...overrides,
  };
}

export function nodePool(spec: Plain = {}, others: Plain = {}): Plain {
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name: 'default' },
    spec: { template: { spec: templateSpec() }, ...spec },
    ...others,
  };
}

/** A pool whose nodes have this spec. */
export function poolOf(template: Plain): Plain {
  return nodePool({ template: { spec: templateSpec(template) } });
}

export function betaPool(spec: Plain = {}, template: Plain = {}): Plain {
  return {
    apiVersion: 'karpenter.sh/v1beta1',
    kind: 'NodePool',
    metadata: { name: 'default' },
    spec: {
      template: { spec: { requirements: [], nodeClassRef: { name: 'default' }, ...template } },
      ...spec,
    },
  };
}

export function provisioner(spec: Plain = {}): Plain {
  return {
    apiVersion: 'karpenter.sh/v1alpha5',
    kind: 'Provisioner',
    metadata: { name: 'default' },
    spec: { providerRef: { name: 'default' }, ...spec },
  };
}

export function nodeClass(spec: Plain = {}, name = 'default'): Plain {
  return {
    apiVersion: 'karpenter.k8s.aws/v1',
    kind: 'EC2NodeClass',
    metadata: { name },
    spec: {
      role: 'nodes',
      amiSelectorTerms: [{ alias: 'al2023@latest' }],
      subnetSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
      securityGroupSelectorTerms: [{ tags: { 'karpenter.sh/discovery': 'demo' } }],
      ...spec,
    },
  };
}

export function betaNodeClass(spec: Plain = {}): Plain {
  const rest = Object.fromEntries(
    Object.entries(nodeClass()['spec'] as Plain).filter(([key]) => key !== 'amiSelectorTerms'),
  );
  return {
    apiVersion: 'karpenter.k8s.aws/v1beta1',
    kind: 'EC2NodeClass',
    metadata: { name: 'default' },
    spec: { ...rest, amiFamily: 'AL2023', ...spec },
  };
}

export function nodeTemplate(spec: Plain = {}): Plain {
  return {
    apiVersion: 'karpenter.k8s.aws/v1alpha1',
    kind: 'AWSNodeTemplate',
    metadata: { name: 'default' },
    spec: {
      subnetSelector: { 'karpenter.sh/discovery': 'demo' },
      securityGroupSelector: { 'karpenter.sh/discovery': 'demo' },
      instanceProfile: 'nodes',
      ...spec,
    },
  };
}

export function podDefaults(spec: Plain = {}): Plain {
  return { apiVersion: 'berth.sh/v1', kind: 'PodDefaults', metadata: { name: 'default' }, spec };
}

function expectDefined(value: unknown): asserts value {
  if (value === undefined) throw new Error('expected a value');
}

/** Documents of plain objects, as if they stood in one file. */
export function documentsOf(...objects: readonly Plain[]): readonly Document[] {
  return readDocuments({
    source: 'policies.json',
    text: JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }),
  }).documents;
}

/** The single document of a YAML text. */
export function documentOf(text: string): Document {
  const [document] = readDocuments({ source: 'policies.yaml', text }).documents;
  expectDefined(document);
  return document;
}

/** What one plain object is decoded to; fails unless it is accepted. */
export function decodePool(object: Plain): DecodedNodePool {
  const found = accepted(object).find((policy) => policy.kind === 'NodePool');
  expectDefined(found);
  return found;
}

export function decodeNodeClass(object: Plain): DecodedEC2NodeClass {
  const found = accepted(object).find((policy) => policy.kind === 'EC2NodeClass');
  if (found === undefined || !('nodeClass' in found) || !isEC2NodeClass(found.nodeClass))
    throw new Error('no EC2NodeClass came of it');
  const { name, amiFamily, kubelet, rootVolumeBytes, maxRootVolumeBytes, instanceStoreRaid0, spec } =
    found.nodeClass;
  return {
    nodeClass: {
      ...{ name, amiFamily, kubelet, rootVolumeBytes, instanceStoreRaid0 },
      ...(maxRootVolumeBytes !== undefined && { maxRootVolumeBytes }),
    },
    document: { spec },
  };
}

/** What planning needs of a class, and its spec with all defaults. */
interface DecodedEC2NodeClass {
  readonly nodeClass: Pick<EC2NodeClass, 'name'> & NodeSettings;
  readonly document: Pick<EC2NodeClass, 'spec'>;
}

export function accepted(...objects: readonly Plain[]): ReturnType<typeof decodePolicy>['policies'] {
  return documentsOf(...objects).flatMap((document) => {
    const { policies, issues } = decodePolicy(document);
    const errors = issues.filter((issue) => issue.severity === 'error').map((issue) => issue.message);
    if (errors.length > 0) throw new Error(`refused: ${errors.join('; ')}`);
    return policies;
  });
}

/** All issues of one plain object. */
export function issuesOf(object: Plain): readonly Issue[] {
  return documentsOf(object).flatMap((document) => decodePolicy(document).issues);
}

/** `code path` of every error, in the order of the text. */
export function errorsOf(object: Plain): readonly string[] {
  return issuesOf(object)
    .filter((issue) => issue.severity === 'error')
    .map((issue) => `${issue.code} ${issue.path.join('.')}`);
}

/** Messages of warnings. */
export function warningsOf(object: Plain): readonly string[] {
  return issuesOf(object)
    .filter((issue) => issue.severity === 'warning')
    .map((issue) => issue.message);
}
