/** What the node of a claim may become: the forms of each set of types, zones and capacity types, and what all have in common. */
import type { InstanceType, Offering } from '../../../domain/nodes/instance-type.js';
import {
  CAPACITY_TYPE,
  NODEPOOL,
  ZONE,
  ZONE_ID,
  type LabelLookup,
  type Labels,
} from '../../../domain/values/labels.js';
import type { Node } from '../../../domain/nodes/node.js';
import type { NodePool } from '../../../domain/policies/node-pool.js';
import { requirementsOf } from '../../../domain/values/requirements.js';
import { isSameList, isSameMap } from '../../../domain/values/same.js';
import type { PlannedClaim } from '../../plan.js';
import { typesOffered, type PoolOffer } from '../../snapshot/cluster-input.js';

/** One node that a place is or may become. */
export class Form {
  readonly labels: LabelLookup;
  /** undefined for a node that exists. */
  readonly type: InstanceType | undefined;
  #roomOf: object | undefined;
  #room: Float64Array = NO_ROOM;

  constructor(labels: LabelLookup, type: InstanceType | undefined) {
    this.labels = labels;
    this.type = type;
  }

  /** What pods have room for; asked once for each object, which stands for what it depends on. */
  room(dependsOn: object, make: (form: Form) => Float64Array): Float64Array {
    if (dependsOn !== this.#roomOf) {
      this.#roomOf = dependsOn;
      this.#room = make(this);
    }
    return this.#room;
  }
}

const NO_ROOM = new Float64Array(0);

/** What a spread constraint looks at of a set. */
export interface FormsLooked {
  /** The values that its topology key may have. */
  readonly values: readonly string[];
  /** Whether every form is looked at. */
  readonly isCertain: boolean;
}

/** All forms that one place may take. What is found out about them is kept: claims of many plans have the same forms. */
export class FormSet {
  readonly forms: readonly Form[];
  readonly #values = new Map<string, readonly (string | undefined)[]>();
  readonly #passed = new Map<number, boolean>();
  readonly #looked = new Map<number, FormsLooked>();
  #roomOf: object | undefined;
  #room: Float64Array = NO_ROOM;

  constructor(forms: readonly Form[]) {
    this.forms = forms;
  }

  /** What a label may be; undefined among the values where it may be missing. */
  values(key: string): readonly (string | undefined)[] {
    const known = this.#values.get(key);
    if (known !== undefined) return known;
    const found = [...new Set(this.forms.map(({ labels }) => labels.get(key)))];
    this.#values.set(key, found);
    return found;
  }

  /** Whether every form passes; asked once for each number, which stands for what is asked. */
  passes(asked: number, test: (set: FormSet) => boolean): boolean {
    const known = this.#passed.get(asked);
    if (known !== undefined) return known;
    const found = test(this);
    this.#passed.set(asked, found);
    return found;
  }

  /** What is looked at; asked once for each number, which stands for what is asked. */
  looked(asked: number, make: (set: FormSet) => FormsLooked): FormsLooked {
    const known = this.#looked.get(asked);
    if (known !== undefined) return known;
    const made = make(this);
    this.#looked.set(asked, made);
    return made;
  }

  /** Of each resource what the form with the least of it has; asked once for each object, which stands for what it depends on. */
  leastRoom(width: number, dependsOn: object, make: (form: Form) => Float64Array): Float64Array {
    if (dependsOn === this.#roomOf) return this.#room;
    const least = new Float64Array(width).fill(Infinity);
    for (const form of this.forms) {
      const room = form.room(dependsOn, make);
      for (let at = 0; at < width; at++) least[at] = Math.min(least[at] ?? 0, room[at] ?? 0);
    }
    this.#roomOf = dependsOn;
    this.#room = least;
    return least;
  }

  /** Capacity of the largest form; pool limits count it. */
  most(resource: string): number {
    let most = 0;
    for (const { type } of this.forms) most = Math.max(most, type?.capacity.get(resource) ?? 0);
    return most;
  }
}

/** A form that is bought in one zone and capacity type. */
interface BoughtForm {
  readonly form: Form;
  readonly offering: Offering;
}

/** A set, and the claim that it was made for. */
interface KnownSet {
  readonly claim: PlannedClaim;
  readonly set: FormSet;
}

/** Sets of one pool after which all are forgotten: more than claims of one plan have. */
const MOST_SETS = 4096;

/** The forms of one pool with the types that its node class offers. */
class PoolForms {
  readonly #pool: NodePool;
  readonly #types: ReadonlyMap<string, InstanceType>;
  /** Chosen labels and type, in words → forms. */
  readonly #forms = new Map<string, readonly BoughtForm[]>();
  /** Sets with the same first type, number of types, zones and capacity types. */
  readonly #sets = new Map<string, KnownSet[]>();
  #count = 0;
  /** List of types → the last claim with this very list: claims of one plan share lists. */
  #lastOf = new WeakMap<readonly string[], KnownSet>();

  constructor(pool: NodePool, instanceTypes: readonly InstanceType[]) {
    this.#pool = pool;
    this.#types = new Map(instanceTypes.map((type) => [type.name, type]));
  }

  of(claim: PlannedClaim): FormSet {
    const last = this.#lastOf.get(claim.instanceTypes);
    if (last !== undefined && isSameSet(last.claim, claim)) return last.set;
    const set = this.#find(claim);
    this.#lastOf.set(claim.instanceTypes, { claim, set });
    return set;
  }

  #find(claim: PlannedClaim): FormSet {
    const { instanceTypes, zones, capacityTypes } = claim;
    const last = instanceTypes.at(-1) ?? '';
    const key = `${instanceTypes[0] ?? ''} ${last} ${String(instanceTypes.length)} ${zones.join()} ${capacityTypes.join()}`;
    const alike = this.#sets.get(key) ?? [];
    const known = alike.find((other) => isSameSet(other.claim, claim));
    if (known !== undefined) return known.set;
    if (this.#count++ > MOST_SETS) {
      this.#sets.clear();
      this.#count = 0;
    }
    const set = new FormSet(this.#formsOf(claim));
    this.#sets.set(key, [...alike, { claim: { ...claim, pods: [] }, set }]);
    return set;
  }

  /** One form for each listed type in each listed zone and capacity type in which it is offered. */
  #formsOf({ instanceTypes, zones, capacityTypes, chosenLabels }: PlannedClaim): readonly Form[] {
    const chosen = JSON.stringify([...chosenLabels]);
    return instanceTypes.flatMap((name) => {
      const key = `${name} ${chosen}`;
      const known = this.#forms.get(key) ?? this.#bought(name, chosenLabels);
      this.#forms.set(key, known);
      return known.flatMap(({ form, offering }) =>
        zones.includes(offering.zone) && capacityTypes.includes(offering.capacityType) ? form : [],
      );
    });
  }

  #bought(name: string, chosenLabels: Labels): readonly BoughtForm[] {
    const type = this.#types.get(name);
    if (type === undefined) return [];
    const { name: nodePool, template } = this.#pool;
    const decided = [...requirementsOf(template.requirements).values()].flatMap(
      ({ key, complement, values, absent }): [string, string][] =>
        complement || absent || values.size !== 1 ? [] : [...values].map((value) => [key, value]),
    );
    const own = new Map([...decided, ...chosenLabels, ...template.labels, [NODEPOOL, nodePool] as const]);
    const seen = new Set<string>();
    return type.offerings.flatMap((offering) => {
      const where = `${offering.zone} ${offering.capacityType}`;
      if (!offering.available || seen.has(where)) return [];
      seen.add(where);
      return [{ form: new Form(new FormLabels(own, type, offering), type), offering }];
    });
  }
}

function isSameSet(left: PlannedClaim, right: PlannedClaim): boolean {
  return (
    isSameList(left.instanceTypes, right.instanceTypes) &&
    isSameList(left.zones, right.zones) &&
    isSameList(left.capacityTypes, right.capacityTypes) &&
    isSameMap(left.chosenLabels, right.chosenLabels)
  );
}

/** The sets of forms of claims and nodes; nodes, pools and lists of types are known by identity. */
export class FormSetTable {
  readonly #pools = new WeakMap<NodePool, WeakMap<readonly InstanceType[], PoolForms>>();
  readonly #nodes = new WeakMap<Node, FormSet>();

  /** The only form of a node that exists. */
  ofNode(node: Node): FormSet {
    const known = this.#nodes.get(node);
    if (known !== undefined) return known;
    const made = new FormSet([new Form(node.labels, undefined)]);
    this.#nodes.set(node, made);
    return made;
  }

  of(claim: PlannedClaim, offer: PoolOffer): FormSet {
    const { pool } = offer;
    const types = typesOffered(offer, claim.chosenLabels);
    const byTypes = this.#pools.get(pool) ?? new WeakMap<readonly InstanceType[], PoolForms>();
    this.#pools.set(pool, byTypes);
    const known = byTypes.get(types) ?? new PoolForms(pool, types);
    byTypes.set(types, known);
    return known.of(claim);
  }
}

/** What the offering and the type say comes first: that is what the kubelet and the cloud provider report. */
class FormLabels implements LabelLookup {
  readonly #own: LabelLookup;
  readonly #type: InstanceType;
  readonly #offering: Offering;

  constructor(own: LabelLookup, type: InstanceType, offering: Offering) {
    this.#own = own;
    this.#type = type;
    this.#offering = offering;
  }

  get(key: string): string | undefined {
    if (key === ZONE) return this.#offering.zone;
    if (key === CAPACITY_TYPE) return this.#offering.capacityType;
    if (key === ZONE_ID) return this.#offering.zoneID;
    return this.#type.labels.get(key) ?? this.#own.get(key);
  }
}
