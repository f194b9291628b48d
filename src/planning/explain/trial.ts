/** What a reason's change is tried on: the pod and the pool as they would be after it. */
import type { InstanceType } from '../../domain/nodes/instance-type.js';
import type { Requirement } from '../../domain/values/requirement.js';
import type { Taint, Toleration } from '../../domain/values/taint.js';
import type { Ask } from '../model/classes/ask.js';
import type { PodClass } from '../model/classes/pod-class.js';
import { Admission } from '../model/constraints/admission.js';
import type { NodeConstraint } from '../model/constraints/node-constraint.js';
import { DaemonPorts } from '../model/launch/daemon-overhead.js';
import { compileLaunchables, type Launchables } from '../model/launch/launchables.js';
import type { Problem } from '../model/problem.js';
import type { Reason } from '../reason.js';
import { withTypes, type PoolOffer } from '../snapshot/cluster-input.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { requirementsKey, termKey, tolerationsKey } from '../snapshot/spec-key.js';

/** What could be launched. */
export interface Offered {
  readonly snapshot: Snapshot;
  readonly launchables: Launchables;
  readonly admission: Admission;
  readonly daemonPorts: DaemonPorts;
}

/** How the offers of a pool differ from those of the plan. */
interface OfferChanges {
  /** As if nothing were out of stock. */
  readonly stocked: boolean;
  /** As if the pool were not frozen. */
  readonly thawed: boolean;
  /** As if the node class excluded no instance types. */
  readonly included: boolean;
  /** Requirements of the pool that are left open. */
  readonly open: readonly string[];
}

/** One pod and one pool, with the changes named so far. */
export interface Trial {
  /** Index into `Snapshot.pools`. */
  readonly pool: number;
  /** One class; only its required rules count, which are those of `ask`. */
  readonly pods: PodClass;
  readonly ask: Ask;
  readonly offers: OfferChanges;
  /** Limit → what it is raised to. */
  readonly limits: ReadonlyMap<string, number>;
  /** Label → what its minValues are lowered to. */
  readonly minValues: ReadonlyMap<string, number>;
  /** Whether the changes move domains that a spread of the pod counts, so that what follows is not known for sure. */
  readonly isUncertain: boolean;
}

/** A reason with the change that it names. */
export interface Fix {
  readonly reason: Reason;
  /** undefined where what the change leads to cannot be known. */
  readonly change?: ((trial: Trial) => Trial) | undefined;
}

const UNCHANGED: OfferChanges = { stocked: false, thawed: false, included: false, open: [] };
const NONE: ReadonlyMap<string, number> = new Map();

/** Nothing changed yet. */
export function firstTrial(pods: PodClass, ask: Ask, pool: number): Trial {
  return { pool, pods, ask, offers: UNCHANGED, limits: NONE, minValues: NONE, isUncertain: false };
}

/** The trial with other offers. New domains may be among them, which spread counts. */
export function offering(trial: Trial, changes: Partial<OfferChanges>): Trial {
  const counts = trial.ask.spread.some(({ group }) => !group.isHostname);
  return {
    ...trial,
    offers: { ...trial.offers, ...changes },
    isUncertain: trial.isUncertain || counts,
  };
}

/** The trial with a pod that asks something else of its node. A spread may count only nodes that the pod asks for. */
export function constrained(trial: Trial, constraint: NodeConstraint): Trial {
  const ask = { ...trial.ask, constraint };
  const counts = ask.spread.some(({ group }) => group.filter !== undefined);
  return {
    ...trial,
    ask,
    pods: { ...trial.pods, asks: [ask] },
    isUncertain: trial.isUncertain || counts,
  };
}

/** Offers of pools as they would be after changes; each is compiled once, and only when a trial needs it. */
export class TrialOffers {
  readonly #problem: Problem;
  readonly #made = new Map<string, Offered>();
  /** Columns compiled so far. */
  #compiled = 0;

  constructor(problem: Problem) {
    this.#problem = problem;
  }

  get compiled(): number {
    return this.#compiled;
  }

  /** The problem's own where nothing is changed. */
  of({ pool, offers }: Pick<Trial, 'pool' | 'offers'>): Offered {
    if (isUnchanged(offers)) return this.#problem;
    const key = JSON.stringify([pool, offers.stocked, offers.thawed, offers.included, offers.open]);
    const offered = this.#made.get(key) ?? this.#make(pool, offers);
    this.#made.set(key, offered);
    return offered;
  }

  isOwn({ offers }: Trial): boolean {
    return isUnchanged(offers);
  }

  #make(pool: number, changes: OfferChanges): Offered {
    const { snapshot: given, nodeViews } = this.#problem;
    const pools = given.pools.map((offer, index) =>
      index === pool ? changedOffer(offer, changes) : { ...offer, instanceTypes: undefined },
    );
    const snapshot = { ...given, pools };
    const launchables = compileLaunchables(snapshot);
    const admission = new Admission(nodeViews, launchables.views);
    this.#compiled += launchables.views.length;
    return { snapshot, launchables, admission, daemonPorts: new DaemonPorts(snapshot, admission) };
  }
}

/** Whether the offers are those of the plan. */
export function isUnchanged({ stocked, thawed, included, open }: OfferChanges): boolean {
  return !stocked && !thawed && !included && open.length === 0;
}

function changedOffer(offer: PoolOffer, { stocked, thawed, included, open }: OfferChanges): PoolOffer {
  const { template } = offer.pool;
  const keys = new Set(open);
  const pool = {
    ...offer.pool,
    template: {
      ...template,
      requirements: template.requirements.filter(({ key }) => !keys.has(key)),
      labels: new Map([...template.labels].filter(([key]) => !keys.has(key))),
    },
  };
  const changed = withTypes(offer, (types) => changedTypes(types, { stocked, included }));
  return {
    ...changed,
    pool: keys.size === 0 ? offer.pool : pool,
    ...(thawed ? { frozen: undefined } : {}),
  };
}

function changedTypes(
  given: readonly InstanceType[],
  { stocked, included }: Pick<OfferChanges, 'stocked' | 'included'>,
): readonly InstanceType[] {
  const types = included ? given.map(asIncluded) : given;
  return stocked ? types.map(inStock) : types;
}

function asIncluded(type: InstanceType): InstanceType {
  return type.excluded === undefined
    ? type
    : { ...type, offerings: type.excluded.offerings, excluded: undefined };
}

function inStock(type: InstanceType): InstanceType {
  return { ...type, offerings: type.offerings.map((offering) => ({ ...offering, available: true })) };
}

type Parts = Partial<Pick<NodeConstraint, 'selector' | 'anyOf' | 'tolerations'>>;

/** The same with other parts, and with a key of its own. */
function changed(constraint: NodeConstraint, parts: Parts): NodeConstraint {
  const { repelling, features, heedsCordon, ...rest } = { ...constraint, ...parts };
  const key = [
    'changed',
    requirementsKey(rest.selector),
    ...rest.anyOf.map((terms) => terms.map(termKey).sort().join(' or ')),
    `tolerates ${tolerationsKey(rest.tolerations)}`,
    `repelled ${String(repelling.length)} ${String(heedsCordon)}`,
    features.join(','),
  ].join(' & ');
  return { ...rest, repelling, features, heedsCordon, key };
}

/** The constraint with one label left open; a term that asked for nothing else is no constraint any more. */
export function withoutKey(constraint: NodeConstraint, key: string): NodeConstraint {
  const isOther = ([name]: readonly [string, Requirement]): boolean => name !== key;
  const isNamed = constraint.anyOf.some((terms) => terms.some(({ labels }) => labels.has(key)));
  return changed(constraint, {
    selector: new Map([...constraint.selector].filter(isOther)),
    anyOf: !isNamed
      ? constraint.anyOf
      : constraint.anyOf.flatMap((terms) => {
          const left = terms.map((term) => ({ ...term, labels: new Map([...term.labels].filter(isOther)) }));
          return left.some(({ labels, fields }) => labels.size + fields.size === 0) ? [] : [left];
        }),
  });
}

/** The constraint without these groups of terms. */
export function withoutTerms(
  constraint: NodeConstraint,
  groups: ReadonlySet<NodeConstraint['anyOf'][number]>,
): NodeConstraint {
  return changed(constraint, { anyOf: constraint.anyOf.filter((terms) => !groups.has(terms)) });
}

/** The constraint with a toleration for each of the taints. */
export function tolerating(constraint: NodeConstraint, taints: readonly Taint[]): NodeConstraint {
  const more = taints.map(({ key, effect }): Toleration => ({ key, operator: 'Exists', value: '', effect }));
  return changed(constraint, { tolerations: [...constraint.tolerations, ...more] });
}
