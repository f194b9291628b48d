/** Zones that a spread rule looks at, as masks; asked once for all rules that look at the same. */
import { HOSTNAME, ZONE } from '../../../domain/values/labels.js';
import type { SpreadRule } from '../../model/classes/ask.js';
import type { NodeConstraint } from '../../model/constraints/node-constraint.js';
import type { Packing } from '../../rules/packing.js';
import type { TopologyGroup } from '../../model/classes/topology-groups.js';
import type { BinTypeTable } from './bin-type-table.js';

/** Columns that a constraint admits; without a constraint, all. */
type Admitted = Uint8Array | undefined;

export class EligibleZones {
  readonly #packing: Packing;
  readonly #table: BinTypeTable;
  readonly #all: number;
  /** Columns that the rule is confined to → group → mask. */
  readonly #ofGroup = new Map<Admitted | NodeConstraint, number[]>();
  /** Columns that the rule is confined to → columns that its group looks at → mask. */
  readonly #ofColumns = new Map<Admitted, Map<Admitted, number>>();

  constructor(packing: Packing, table: BinTypeTable) {
    this.#packing = packing;
    this.#table = table;
    this.#all = table.zoneOfColumn.reduce((mask, zone) => (zone < 0 ? mask : mask | (1 << zone)), 0);
  }

  /** Zones that count; none where the rule wants more of them than there are. */
  of(rule: SpreadRule): number {
    const mask = this.#maskOf(rule);
    return rule.minDomains > 1 && zonesIn(mask) < rule.minDomains ? 0 : mask;
  }

  #maskOf(rule: SpreadRule): number {
    const { group, launchable, reach } = rule;
    // Only the last resort looks at what the pod itself could be launched on.
    if (launchable !== undefined) return this.#ask(rule);
    const { snapshot, admission } = this.#packing.problem;
    const hasNodes = snapshot.nodes.length > 0;
    const confined = reach === undefined || hasNodes ? reach : admission.columns(reach);
    let masks = this.#ofGroup.get(confined);
    if (masks === undefined) {
      masks = [];
      this.#ofGroup.set(confined, masks);
    }
    const isPlain = !hasNodes && group.topologyKey === ZONE && group.neededKeys.every(isOnAllColumns);
    return (masks[group.index] ??= isPlain ? this.#ofNew(group, reach) : this.#ask(rule));
  }

  #ask(rule: SpreadRule): number {
    const eligible = this.#packing.counts.eligibleDomains(rule);
    return eligible.reduce((mask, domain) => mask | (1 << domain), 0);
  }

  /** Where there are no nodes: the zones of the columns that both the group and the rule look at. */
  #ofNew({ filter }: TopologyGroup, reach: NodeConstraint | undefined): number {
    const { admission } = this.#packing.problem;
    const confined = reach && admission.columns(reach);
    const looked = filter && admission.columns(filter);
    const masks = this.#ofColumns.get(confined) ?? new Map<Admitted, number>();
    this.#ofColumns.set(confined, masks);
    const mask = masks.get(looked) ?? this.#zonesOf(confined, looked);
    masks.set(looked, mask);
    return mask;
  }

  #zonesOf(confined: Admitted, looked: Admitted): number {
    const { zoneOfColumn } = this.#table;
    let mask = 0;
    for (let column = 0; column < zoneOfColumn.length && mask !== this.#all; column++) {
      const zone = zoneOfColumn[column] ?? -1;
      if (zone < 0 || confined?.[column] === 0 || looked?.[column] === 0) continue;
      mask |= 1 << zone;
    }
    return mask;
  }
}

/** Every node yet to come has a name, and one without a zone counts for no rule over zones. */
function isOnAllColumns(key: string): boolean {
  return key === HOSTNAME || key === ZONE;
}

/** How many zones a mask names. */
export function zonesIn(mask: number): number {
  let count = 0;
  for (let rest = mask; rest !== 0; rest &= rest - 1) count++;
  return count;
}
