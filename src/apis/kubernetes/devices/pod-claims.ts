/** The ResourceClaims of a pod: those that it names, and those that are made for it from templates. */
import type { ResourceClaimUse } from '../../../domain/pods/resource-claim-use.js';
import { elements, firstElements, member, optionalText, requiredText, type Field } from '../object/field.js';

/** What the API allows. */
const MOST_CLAIMS = 32;

/**
 * spec.resourceClaims. While the pod waits, status says which claims were made for it from templates; a bound pod's go with
 * it, and the pod that comes in its place gets new ones.
 */
export function readPodClaims(spec: Field, status: Field, namespace: string): readonly ResourceClaimUse[] {
  const field = member(spec, 'resourceClaims');
  if (field.value === undefined) return NO_CLAIMS;
  const isBound = (optionalText(member(spec, 'nodeName')) ?? '') !== '';
  const made = isBound ? NO_NAMES : madeClaims(status);
  return firstElements(field, MOST_CLAIMS).map((item) => {
    const name = requiredText(member(item, 'name'));
    const named = optionalText(member(item, 'resourceClaimName')) ?? '';
    const template = optionalText(member(item, 'resourceClaimTemplateName')) ?? '';
    const claim = named === '' ? (made.get(name) ?? '') : named;
    return {
      name,
      claim: claim === '' ? undefined : `${namespace}/${claim}`,
      template: template === '' ? undefined : `${namespace}/${template}`,
      ...(isBound && { isAllocated: true as const }),
    };
  });
}

const NO_CLAIMS: readonly ResourceClaimUse[] = [];
const NO_NAMES: ReadonlyMap<string, string> = new Map();

/** What the pod calls a claim → the claim that was made. */
function madeClaims(status: Field): ReadonlyMap<string, string> {
  return new Map(
    elements(member(status, 'resourceClaimStatuses')).flatMap((item) => {
      const claim = optionalText(member(item, 'resourceClaimName')) ?? '';
      return claim === '' ? [] : [[requiredText(member(item, 'name')), claim] as const];
    }),
  );
}
