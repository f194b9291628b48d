/** What the ResourceClaims of pods ask for, with their DeviceClasses; or why they cannot be satisfied anywhere. */
import type {
  DeviceAlternative,
  DeviceClaimSpec,
  DeviceClass,
  DeviceConstraint,
  DeviceObjects,
  ResourceClaim,
  ResourceClaimTemplate,
} from '../../domain/devices/claim.js';
import type { NodeSelectorTerm } from '../../domain/pods/affinity.js';
import type { ResourceClaimUse } from '../../domain/pods/resource-claim-use.js';
import type { Reason } from '../reason.js';
import { selectorProblem } from './device-selector.js';

/** Devices of one claim in all (resource.k8s.io/v1, AllocationResultsMaxSize). */
export const MOST_DEVICES = 32;

/** Claims, templates and classes by name. */
export interface DeviceIndex {
  readonly claims: ReadonlyMap<string, ResourceClaim>;
  readonly templates: ReadonlyMap<string, ResourceClaimTemplate>;
  readonly classes: ReadonlyMap<string, DeviceClass>;
}

/** A request with the selectors of its classes among its own. */
export interface DemandedRequest {
  readonly name: string;
  /** In the order in which they are tried. */
  readonly alternatives: readonly DeviceAlternative[];
}

/** What one claim asks of the node. */
export interface DeviceDemand {
  /** `namespace/name` of the claim, or of the template that it is made from. */
  readonly claim: string;
  /** Whether other pods may use the same claim, and with it the same devices. */
  readonly isNamed: boolean;
  /** None once the claim is allocated. */
  readonly requests: readonly DemandedRequest[];
  readonly constraints: readonly DeviceConstraint[];
  /** Of an allocated claim: one of the terms must match the node; undefined: any will do. */
  readonly terms: readonly NodeSelectorTerm[] | undefined;
}

export function deviceIndex({ claims, templates, classes }: DeviceObjects): DeviceIndex {
  const byName = <T extends { readonly name: string }>(items: readonly T[]): ReadonlyMap<string, T> =>
    new Map(items.map((item) => [item.name, item]));
  return { claims: byName(claims), templates: byName(templates), classes: byName(classes) };
}

/**
 * What a claim of a pod asks for. A claim that was made for the pod alone is taken as not allocated: kube-scheduler frees the
 * devices of such a claim when its pod comes to no node. `isThere` says whether nodes of an allocation exist: a claim whose
 * node goes is allocated again.
 */
export function deviceDemand(
  index: DeviceIndex,
  { claim = '', template }: ResourceClaimUse,
  isThere: (terms: readonly NodeSelectorTerm[]) => boolean,
): DeviceDemand | Reason {
  const known = index.claims.get(claim);
  if (template === undefined) return namedDemand(index, claim, isThere);
  const spec = known?.spec ?? index.templates.get(template)?.spec;
  if (spec === undefined) return { code: 'ResourceClaimTemplateNotFound', template };
  return demandOf(index, { claim: template, isNamed: false }, spec);
}

/** Of a claim that pods may share. */
function namedDemand(
  index: DeviceIndex,
  claim: string,
  isThere: (terms: readonly NodeSelectorTerm[]) => boolean,
): DeviceDemand | Reason {
  const known = index.claims.get(claim);
  if (known === undefined) return { code: 'ResourceClaimNotFound', claim };
  if (known.terminating) return { code: 'ResourceClaimTerminating', claim };
  const { spec, allocation } = known;
  if (allocation === undefined || (allocation.terms !== undefined && !isThere(allocation.terms)))
    return demandOf(index, { claim, isNamed: true }, spec);
  const { terms } = allocation;
  return { claim, isNamed: true, requests: NO_REQUESTS, constraints: NO_CONSTRAINTS, terms };
}

const NO_REQUESTS: readonly DemandedRequest[] = [];
const NO_CONSTRAINTS: readonly DeviceConstraint[] = [];

function demandOf(
  index: DeviceIndex,
  { claim, isNamed }: Pick<DeviceDemand, 'claim' | 'isNamed'>,
  { requests, constraints, unknown }: DeviceClaimSpec,
): DeviceDemand | Reason {
  if (unknown !== undefined) return { code: 'DeviceClaimUnknown', claim, part: unknown };
  let fewest = 0;
  const demanded: DemandedRequest[] = [];
  for (const { name, alternatives } of requests) {
    const found: DeviceAlternative[] = [];
    for (const each of alternatives) {
      const full = withClass(index, each, { claim, request: labelOf(name, each) });
      if ('code' in full) return full;
      found.push(full);
    }
    fewest += Math.min(...found.map(({ mode, count }) => (mode === 'All' ? 1 : count)));
    demanded.push({ name, alternatives: found });
  }
  if (fewest > MOST_DEVICES)
    return { code: 'DeviceClaimUnknown', claim, part: `more than ${String(MOST_DEVICES)} devices` };
  return { claim, isNamed, requests: demanded, constraints, terms: undefined };
}

/** `request`, or `request/sub-request`: as constraints and reasons name them. */
export function labelOf(request: string, { name }: Pick<DeviceAlternative, 'name'>): string {
  return name === '' ? request : `${request}/${name}`;
}

function withClass(
  { classes }: DeviceIndex,
  alternative: DeviceAlternative,
  of: { readonly claim: string; readonly request: string },
): DeviceAlternative | Reason {
  const { deviceClass, selectors } = alternative;
  const known = classes.get(deviceClass);
  if (known === undefined) return { code: 'DeviceClassNotFound', ...of, deviceClass };
  const all = [...known.selectors, ...selectors];
  for (const expression of all) {
    const problem = selectorProblem(expression);
    if (problem !== undefined) return { code: 'DeviceSelector', ...of, expression, problem };
  }
  return { ...alternative, selectors: all };
}

/** Equal for demands that are satisfied alike; those of claims that pods share are equal for one claim only. */
export function demandKey({ claim, isNamed, requests, constraints, terms }: DeviceDemand): unknown {
  return [
    claim,
    isNamed,
    terms === undefined,
    constraints.map(({ kind, attribute, requests: of }) => [kind, attribute, of]),
    requests.map(({ name, alternatives }) => [name, alternatives.map(alternativeKey)]),
  ];
}

function alternativeKey({ capacity, ...alternative }: DeviceAlternative): unknown {
  return [alternative, [...capacity].map(([name, amount]) => [name, String(amount)])];
}
