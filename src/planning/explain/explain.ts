/**
 * Why a pod found no place: for every pool the first constraint that fails and by how much, with a change that was tried.
 * Each change is made on the pod or the pool alone and checked again; if something else is in the way then, that is
 * reported, too. Equal questions are answered once. The work is counted, and changes beyond its budget are not tried.
 */
import type { PoolReason } from '../plan.js';
import { nearestFirst } from './nearest-first.js';
import type { Reason } from '../reason.js';
import { columnsOfPool } from './labels.js';
import { look, type Look } from './first-obstacle.js';
import { HOSTNAME } from '../../domain/values/labels.js';
import type { Packing } from '../rules/packing.js';
import type { PodClass } from '../model/classes/pod-class.js';
import { firstTrial, isUnchanged, TrialOffers, type Fix, type Trial } from './trial.js';

/** Changes in a row after which it is enough to know that none alone helps. */
const MOST_CHANGES = 4;
/** Columns looked at for trials of one plan, all pods and pools together. */
const MOST_WORK = 8_000_000;

/** What is said of one pool, but for its name. */
type Answer = Omit<PoolReason, 'nodePool'>;

/** Explains what one complete packing left out. */
export class Explainer {
  readonly #packing: Packing;
  readonly #offers: TrialOffers;
  readonly #budget: number;
  readonly #looks = new Map<string, Look>();
  readonly #answers = new Map<string, Answer>();
  /** Text → a short number for it. */
  readonly #numbers = new Map<string, number>();
  #work = 0;

  /** `budget`: columns looked at for trials before the rest goes untried. */
  constructor(packing: Packing, budget = MOST_WORK) {
    this.#packing = packing;
    this.#offers = new TrialOffers(packing.problem);
    this.#budget = budget;
  }

  /** Columns looked at for trials so far, compiled ones among them. */
  get work(): number {
    return this.#work + this.#offers.compiled;
  }

  /** One reason per pool, the smallest change first; a single one where it is the same for all. */
  reasons(pods: PodClass): readonly PoolReason[] {
    const { pools } = this.#packing.problem.snapshot;
    if (pools.length === 0) return [{ nodePool: '', reason: pods.blocked ?? { code: 'NoNodePools' } }];
    const all = nearestFirst(
      pools.map(({ pool }, index) => ({ nodePool: pool.name, ...this.#answer(pods, index) })),
    );
    const [first] = all;
    return pods.blocked === undefined || first === undefined ? all : [{ ...first, nodePool: '' }];
  }

  #answer(pods: PodClass, pool: number): Answer {
    // Rules that are too long to be planned are too long to be tried.
    if (pods.blocked?.code === 'TooComplex') return { reason: pods.blocked, untried: true };
    const ask = pods.asks.at(-1) ?? pods.whenUnblocked;
    if (ask === undefined) return { reason: pods.blocked ?? { code: 'LeftOut' } };
    const trial = firstTrial({ ...pods, asks: [ask] }, ask, pool);
    const key = this.#keyOf(trial);
    const known = key === undefined ? undefined : this.#answers.get(key);
    const answer = known ?? this.#find(trial);
    if (key !== undefined) this.#answers.set(key, answer);
    return answer;
  }

  #find(trial: Trial): Answer {
    const before = this.#work;
    const first = this.#look(trial);
    // To look at a pool as it is costs what planning for the pod did cost; only trials are rationed.
    this.#work = before;
    if ('columns' in first) return { reason: this.#leftOut(trial) };
    const [plain] = first.fixes;
    if (plain === undefined) return { reason: { code: 'LeftOut' } };
    if (this.work >= this.#budget) return { reason: plain.reason, untried: true };
    return this.#tried(trial, first.fixes, plain, MOST_CHANGES);
  }

  /** Of changes that are enough alone the first, with all of its kind; else the way that needs least. */
  #tried(trial: Trial, fixes: readonly Fix[], plain: Fix, changes: number): Answer {
    const enough = fixes.filter((fix) => this.#isEnough(trial, fix));
    const [alone] = enough;
    if (this.#isUncertain(trial, alone ?? plain)) return { reason: plain.reason, untried: true };
    if (alone !== undefined) return { reason: this.#told(trial, alone, enough) };
    if (plain.change === undefined || changes <= 1) return { reason: plain.reason, untried: true };
    const next = plain.change(trial);
    const rest = this.#look(next);
    if ('columns' in rest) return { reason: plain.reason };
    const [following] = rest.fixes;
    if (following === undefined) return { reason: plain.reason, untried: true };
    const { reason, also = [] } = this.#tried(next, rest.fixes, following, changes - 1);
    return { reason: plain.reason, also: [reason, ...also] };
  }

  #isUncertain(trial: Trial, { change }: Fix): boolean {
    return change?.(trial).isUncertain === true;
  }

  #isEnough(trial: Trial, { change }: Fix): boolean {
    return change !== undefined && this.work < this.#budget && 'columns' in this.#look(change(trial));
  }

  /** The reason as it is reported: all keys of which any alone is enough, and only values that are. */
  #told(trial: Trial, { reason, change }: Fix, enough: readonly Fix[]): Reason {
    if (reason.code === 'NoOffering' && reason.widen !== undefined)
      return {
        ...reason,
        widen: enough.flatMap((fix) => (fix.reason.code === 'NoOffering' ? (fix.reason.widen ?? []) : [])),
      };
    if (reason.code !== 'IncompatibleLabel' || reason.pool?.kind !== 'allow' || change === undefined)
      return reason;
    const after = change(trial);
    const found = this.#look(after);
    if (!('columns' in found) || this.#offers.isOwn(after)) return reason;
    const { launchables } = this.#offers.of(after);
    const open = new Set(found.columns.map((column) => launchables.views[column]?.labels.get(reason.key)));
    const values = reason.pool.values.filter((value) => open.has(value));
    return { ...reason, pool: { ...reason.pool, values } };
  }

  /** A node could hold the pod, and yet it has none: because of pods that must share its node, or of the plan itself. */
  #leftOut({ pods, ask }: Trial): Reason {
    const isBundle = (this.#packing.problem.bundleOf[pods.index] ?? -1) >= 0;
    const isTied = isBundle || ask.affinity.some(({ group }) => group.topologyKey === HOSTNAME);
    return isTied ? { code: 'GroupTooLarge' } : { code: 'LeftOut' };
  }

  #look(trial: Trial): Look {
    const key = this.#keyOf(trial);
    const known = key === undefined ? undefined : this.#looks.get(key);
    if (known !== undefined) return known;
    const found = look(this.#packing, this.#offers, trial);
    this.#work += columnsOfPool(this.#offers.of(trial), trial.pool).length;
    if (key !== undefined) this.#looks.set(key, found);
    return found;
  }

  /** Equal for trials with the same answer; undefined where rules of topology, ports, volumes or devices make each its own. */
  #keyOf({ pool, pods, ask, offers, limits, minValues }: Trial): string | undefined {
    const rules = ask.spread.length + ask.affinity.length + ask.antiAffinity.length + pods.repelledBy.length;
    if (
      rules + pods.hostPorts.length + pods.volumes.length + pods.devices.length > 0 ||
      pods.blocked !== undefined
    )
      return undefined;
    const bundle = this.#packing.problem.bundleOf[pods.index] ?? -1;
    const changes =
      limits.size + minValues.size === 0 && isUnchanged(offers)
        ? ''
        : JSON.stringify([offers, [...limits], [...minValues]]);
    const question = `${ask.constraint.key}\n${pods.requests.join()}\n${String(bundle)}\n${changes}`;
    return `${String(pool)} ${String(this.#numberOf(question))}`;
  }

  #numberOf(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }
}
