/** The kinds of objects that `berth doctor` looks at, and where the Kubernetes API has them. */

const core = 'v1';
const admission = 'admissionregistration.k8s.io/v1';
const berth = 'berth.sh/v1';

/** By plural: group and version, kind. */
export const RESOURCES = {
  configmaps: [core, 'ConfigMap'],
  namespaces: [core, 'Namespace'],
  nodes: [core, 'Node'],
  pods: [core, 'Pod'],
  secrets: [core, 'Secret'],
  services: [core, 'Service'],
  serviceaccounts: [core, 'ServiceAccount'],
  deployments: ['apps/v1', 'Deployment'],
  leases: ['coordination.k8s.io/v1', 'Lease'],
  endpointslices: ['discovery.k8s.io/v1', 'EndpointSlice'],
  mutatingwebhookconfigurations: [admission, 'MutatingWebhookConfiguration'],
  validatingwebhookconfigurations: [admission, 'ValidatingWebhookConfiguration'],
  customresourcedefinitions: ['apiextensions.k8s.io/v1', 'CustomResourceDefinition'],
  nodeclaims: [berth, 'NodeClaim'],
  policystatuses: [berth, 'PolicyStatus'],
  decisions: [berth, 'Decision'],
  reservations: [berth, 'Reservation'],
} as const satisfies Readonly<Record<string, readonly [groupVersion: string, kind: string]>>;

export type Resource = keyof typeof RESOURCES;

/** Which objects of a kind are listed; all, unless it is here. */
export const SELECTORS: Readonly<Partial<Record<Resource, string>>> = { nodes: '!karpenter.sh/nodepool' };
