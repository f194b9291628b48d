/** The claims of devices that a pod names (dynamic resource allocation). */

/** A claim of a pod. */
export interface ResourceClaimUse {
  /** What the pod calls it: spec.resourceClaims[].name. */
  readonly name: string;
  /** `namespace/name` of the claim; undefined while one is to be made from the template. */
  readonly claim: string | undefined;
  /** `namespace/name` of the template that the claim is, or will be, made from; undefined for a claim that pods name. */
  readonly template: string | undefined;
  /** Whether the pod is bound, so that the claim is allocated; false unless given. */
  readonly isAllocated?: true | undefined;
}

/** The claim of the pod that comes in place of another: a new one where a template says so, without devices as yet. */
export function ofSuccessor({ name, claim, template }: ResourceClaimUse): ResourceClaimUse {
  return { name, claim: template === undefined ? claim : undefined, template };
}
