/** Reasons for which a pod's ResourceClaims get no devices, and their words. */

/** A request of a claim: `request`, or `request/sub-request`. */
interface OfRequest {
  /** `namespace/name` of the claim, or of the template that it is made from. */
  readonly claim: string;
  readonly request: string;
}

export type DeviceReason =
  /** Pods with ResourceClaims are not planned at all. */
  | { readonly code: 'DynamicResources' }
  | { readonly code: 'ResourceClaimNotFound'; readonly claim: string }
  | { readonly code: 'ResourceClaimTemplateNotFound'; readonly template: string }
  | { readonly code: 'ResourceClaimTerminating'; readonly claim: string }
  | ({ readonly code: 'DeviceClassNotFound'; readonly deviceClass: string } & OfRequest)
  /** The claim has a part that Berth cannot plan. */
  | { readonly code: 'DeviceClaimUnknown'; readonly claim: string; readonly part: string }
  /** An expression that Berth cannot evaluate; `problem` reads on from it. */
  | ({ readonly code: 'DeviceSelector'; readonly expression: string; readonly problem: string } & OfRequest)
  /** No node of the pool has as many devices; the type that has most. */
  | ({
      readonly code: 'DevicesUnavailable';
      readonly wanted: number;
      readonly matching: number;
      readonly nearestType: string;
    } & OfRequest)
  /** There are enough devices, and a constraint on an attribute allows no set of them. */
  | ({ readonly code: 'DeviceConstraint'; readonly attribute: string } & OfRequest)
  /** The search for devices was given up. */
  | { readonly code: 'DeviceSearch'; readonly claim: string }
  /** Another pod has the claim on another node. */
  | { readonly code: 'DevicesElsewhere'; readonly claim: string };

type Told = readonly [constraint: string, change: string, wanted?: string, got?: string];
type Words = {
  readonly [Code in DeviceReason['code']]: (reason: Extract<DeviceReason, { code: Code }>) => Told;
};

export const DEVICE_WORDS: Words = {
  DynamicResources: () => [
    'the pod has resourceClaims, and Berth runs with --ignore-dra-requests=true',
    'run Berth with --ignore-dra-requests=false, drop spec.resourceClaims or place the pod by hand',
  ],
  ResourceClaimNotFound: ({ claim }) => [`ResourceClaim ${claim} does not exist`, 'create it'],
  ResourceClaimTemplateNotFound: ({ template }) => [
    `ResourceClaimTemplate ${template} does not exist`,
    'create it',
  ],
  ResourceClaimTerminating: ({ claim }) => [
    `ResourceClaim ${claim} is being deleted`,
    'create and use a new one',
  ],
  DeviceClassNotFound: ({ claim, request, deviceClass }) => [
    `request ${request} of ${claim} names DeviceClass ${deviceClass}, which does not exist`,
    'create that DeviceClass or install its driver',
  ],
  DeviceClaimUnknown: ({ claim, part }) => [
    `${claim} has ${part}, which Berth does not plan`,
    'ask for the devices without it, or place the pod by hand',
  ],
  DeviceSelector: ({ claim, request, expression, problem }) => [
    `the expression ${JSON.stringify(expression)} of request ${request} of ${claim} ${problem}`,
    'write it with comparisons, in, startsWith, contains, matches, quantity and semver',
  ],
  DevicesUnavailable: ({ claim, request, wanted, matching, nearestType }) => [
    matching === 0
      ? `no instance type of the pool has a device for request ${request} of ${claim}`
      : `request ${request} of ${claim} asks for ${count(wanted)}; ${nearestType}, which has most of the pool's instance types, has ${String(matching)}`,
    matching === 0
      ? 'allow instance types that have such devices, or change its selectors'
      : 'ask for fewer or add larger types',
    String(wanted),
    String(matching),
  ],
  DeviceConstraint: ({ claim, request, attribute }) => [
    `on no instance type of the pool the devices for request ${request} of ${claim} keep to its constraint on ${attribute}`,
    'drop the constraint or allow other instance types',
    attribute,
  ],
  DeviceSearch: ({ claim }) => [
    `the devices for ${claim} can be chosen in too many ways: the search for them was given up`,
    'ask for fewer devices or drop constraints',
  ],
  DevicesElsewhere: ({ claim }) => [
    `the devices of ResourceClaim ${claim} are on another node, which has no room for the pod`,
    'make room there, or use a claim of its own',
  ],
};

function count(devices: number): string {
  return `${String(devices)} device${devices === 1 ? '' : 's'}`;
}
