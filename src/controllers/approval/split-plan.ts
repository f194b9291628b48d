/** Which launches of a plan go ahead, and which wait for approval: together what must come together. */
import type { Burden } from '../../domain/records/proposal.js';
import type { Placement, Plan, PlannedClaim } from '../../planning/plan.js';
import { addBurdens, needsApproval, NO_BURDEN, type ApprovalSettings } from './approval-settings.js';

/** Claims that are launched together or not at all, with the pods that are placed with them. */
export interface LaunchUnit {
  readonly claims: readonly PlannedClaim[];
  /** `namespace/name`, sorted. */
  readonly pods: readonly string[];
  readonly burden: Burden;
}

export interface SplitPlan {
  /** What goes ahead: the plan without the claims and pods that wait. */
  readonly plan: Plan;
  readonly waiting: readonly LaunchUnit[];
}

/**
 * The claims of a NodePool are one unit, and NodePools that share a gang, or pods that wait for each other, are one, too.
 * The cheapest units go ahead as long as all of them together stay within the thresholds.
 * @param gangOf the gang of a pod, `namespace/name`; undefined where it has none.
 */
export function splitPlan(
  plan: Plan,
  settings: ApprovalSettings,
  gangOf: (pod: string) => string | undefined,
): SplitPlan {
  if (plan.claims.length === 0) return { plan, waiting: [] };
  const waiting: LaunchUnit[] = [];
  let total = NO_BURDEN;
  for (const unit of unitsOf(plan, gangOf)) {
    const sum = addBurdens(total, unit.burden);
    if (needsApproval(settings, sum)) waiting.push(unit);
    else total = sum;
  }
  return { plan: waiting.length === 0 ? plan : without(plan, waiting), waiting };
}

/** The cheapest first. */
function unitsOf(plan: Plan, gangOf: (pod: string) => string | undefined): readonly LaunchUnit[] {
  const groups = groupsOf(plan, gangOf);
  const units = new Map<string, { claims: PlannedClaim[]; pods: string[] }>();
  for (const claim of plan.claims) {
    const key = groups.of(poolKey(claim));
    const unit = units.get(key) ?? { claims: [], pods: [] };
    units.set(key, unit);
    unit.claims.push(claim);
  }
  for (const { pod } of plan.placements) units.get(groups.of(podKey(pod)))?.pods.push(pod);
  return [...units.values()]
    .map(({ claims, pods }) => ({ claims, pods: pods.sort(), burden: burdenOf(claims) }))
    .sort((one, other) => one.burden.price - other.burden.price);
}

/** Pods and NodePools, joined where one must not go without the other. */
function groupsOf({ claims, placements }: Plan, gangOf: (pod: string) => string | undefined): Groups {
  const groups = new Groups();
  const claimOf = new Map(claims.map((claim) => [claim.name, claim]));
  for (const { pod, target, after = [] } of placements) {
    const claim = target.kind === 'NodeClaim' ? claimOf.get(target.name) : undefined;
    if (claim !== undefined) groups.join(podKey(pod), poolKey(claim));
    const gang = gangOf(pod);
    if (gang !== undefined) groups.join(podKey(pod), `gang ${gang}`);
    for (const other of after) groups.join(podKey(pod), podKey(other));
  }
  return groups;
}

/** @returns what the claims cost, and how many they are. */
export function burdenOf(claims: readonly Pick<PlannedClaim, 'hourlyPrice'>[]): Burden {
  const price = claims.reduce((sum, { hourlyPrice }) => sum + hourlyPrice, 0);
  return { price, nodes: claims.length, evictions: 0 };
}

function without(plan: Plan, waiting: readonly LaunchUnit[]): Plan {
  const claims = new Set(waiting.flatMap((unit) => unit.claims));
  const pods = new Set(waiting.flatMap((unit) => unit.pods));
  const placements: readonly Placement[] = plan.placements.filter(({ pod }) => !pods.has(pod));
  return { ...plan, placements, claims: plan.claims.filter((claim) => !claims.has(claim)) };
}

function poolKey({ nodePool }: PlannedClaim): string {
  return `pool ${nodePool}`;
}

function podKey(pod: string): string {
  return `pod ${pod}`;
}

/** Sets that are joined (union-find). */
class Groups {
  readonly #parents = new Map<string, string>();

  of(key: string): string {
    let root = key;
    for (let next = this.#parents.get(root); next !== undefined; next = this.#parents.get(root)) root = next;
    // The way is made short for those that come after.
    for (let each = key; each !== root;) {
      const next = this.#parents.get(each) ?? root;
      this.#parents.set(each, root);
      each = next;
    }
    return root;
  }

  join(one: string, other: string): void {
    const [left, right] = [this.of(one), this.of(other)];
    if (left !== right) this.#parents.set(left, right);
  }
}
