/** Whether pods as they are placed keep to the spread rules that count them: over zones at a glance, else by the counters. */
import { ZONE } from '../../../domain/labels.js';
import type { Ask, SpreadRule } from '../../model/classes/ask.js';
import type { Packing } from '../../rules/packing.js';
import type { PodClass } from '../../model/classes/pod-class.js';
import type { Target } from '../../rules/targets.js';
import type { EligibleZones } from './eligible-zones.js';

/** Pods of a class, somewhere. */
export interface Ruled {
  readonly pods: PodClass;
  readonly ask: Ask;
  readonly target: Target;
}

export class SpreadCheck {
  readonly #packing: Packing;
  readonly #eligible: EligibleZones;

  constructor(packing: Packing, eligible: EligibleZones) {
    this.#packing = packing;
    this.#eligible = eligible;
  }

  /** Whether there are more of them than one of their own rules, or one of others that counts them, allows. */
  isCrowded({ pods, ask, target }: Ruled): boolean {
    const { counts, problem } = this.#packing;
    const zone = problem.domains.at(ZONE, target);
    for (const rule of ask.spread)
      if (this.#mayBeCrowded(rule, zone) && counts.spreadRoom(rule, ask, target) < 0) return true;
    for (const rule of pods.courtesies)
      if (this.#mayBeCrowded(rule, zone) && counts.isCrowded(rule, ask, target)) return true;
    return false;
  }

  /** False where a glance at the zones says that there is room. */
  #mayBeCrowded(rule: SpreadRule, zone: number): boolean {
    if (rule.group.topologyKey !== ZONE) return true;
    if (zone < 0) return false;
    const { counts } = this.#packing;
    const group = rule.group.index;
    let floor = Infinity;
    for (let rest = this.#eligible.of(rule), other = 0; rest !== 0; rest >>>= 1, other++)
      if ((rest & 1) === 1) floor = Math.min(floor, counts.members(group, other));
    return rule.maxSkew + (floor === Infinity ? 0 : floor) < counts.members(group, zone);
  }
}
