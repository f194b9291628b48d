/** What consolidation did, judged from the journal that the synthetic API server keeps (../api/journal.go). */

/** Far enough of a NodeClaim to be counted. */
interface ClaimState {
  readonly pool: string;
  /** '' until it has one. */
  readonly node: string;
  /** USD/h; 0 before the launch. */
  readonly price: number;
  /** Names of the claims in whose place it comes, separated by commas. */
  readonly replaces: string;
  readonly launched: boolean;
  readonly initialized: boolean;
  /** Its disruption is decided. */
  readonly marked: boolean;
  readonly deleted: boolean;
  /** Its instance is being terminated. */
  readonly ending: boolean;
}

/** `at` in milliseconds since 1970. */
export type JournalEntry =
  | ({ readonly at: number; readonly kind: 'claim' | 'gone'; readonly claim: string } & ClaimState)
  | {
      readonly at: number;
      /** `bound`: the pod that was made for an evicted one. */
      readonly kind: 'evicted' | 'bound';
      readonly node: string;
      /** The same for a pod and those that were made in its place. */
      readonly slot: number;
      /** Of the slot by then. */
      readonly evictions: number;
    };

/** Nodes of a NodePool that may be disrupted at once: a count, or a percentage of those that budgets count. */
export type NodeBudget = { readonly count: number } | { readonly percent: number };

/** The cluster as it is decided at a moment: when a burst of deletions is over. */
export interface DecidedPoint {
  /** Since the first entry that counts. */
  readonly seconds: number;
  /** Evictions that it takes, those to come included. */
  readonly moves: number;
  /** USD/h of NodeClaims that stay, and of replacements of those that are deleted. */
  readonly hourly: number;
  /** USD/h of all instances that run at this moment. */
  readonly running: number;
}

export interface ConsolidationFigures {
  readonly moves: number;
  /** Pods that were evicted more than once, and how often the most unlucky one. */
  readonly movedAgain: number;
  readonly mostMoves: number;
  readonly points: readonly DecidedPoint[];
  /** USD/h of the instances that run at the end. */
  readonly hourly: number;
  readonly nodesGone: number;
  readonly launched: number;
  /** Decisions after which more nodes were disrupted than the budget of their NodePool allows. */
  readonly overBudget: number;
  /** Decisions that were taken back. */
  readonly takenBack: number;
  /** Seconds from evictions until the pods that were made instead were bound, ascending. */
  readonly unboundSeconds: readonly number[];
  /** Evictions whose pod is not bound again. */
  readonly unbound: number;
}

/** Deletions that follow one another sooner are of one decision. */
const BURST_MILLIS = 2000;

/**
 * @param from milliseconds since 1970: entries before it are what there was.
 * @param budgets NodePool → its budget.
 */
export function consolidationFigures(
  journal: readonly JournalEntry[],
  from: number,
  budgets: ReadonlyMap<string, NodeBudget>,
): ConsolidationFigures {
  const reader = new JournalReader(from, budgets, evictionsByNode(journal));
  for (const entry of journal) if ('claim' in entry) reader.read(entry);
  reader.endBurst(Infinity);
  const { points, hourly, counts } = reader;
  return { ...movesOf(journal), points, hourly, ...counts };
}

type ClaimEntry = Extract<JournalEntry, { claim: string }>;

/** Before it is created. */
const NOT_THERE: Pick<ClaimState, 'launched' | 'marked' | 'deleted'> = {
  launched: false,
  marked: false,
  deleted: false,
};

/** Reads what happened to claims, in order. */
class JournalReader {
  readonly points: DecidedPoint[] = [];
  readonly counts = { nodesGone: 0, launched: 0, overBudget: 0, takenBack: 0 };
  readonly #from: number;
  readonly #budgets: ReadonlyMap<string, NodeBudget>;
  readonly #cluster: JournalledCluster;
  /** In milliseconds since 1970, of the burst that is not over. */
  #lastDeletion: number | undefined;

  constructor(
    from: number,
    budgets: ReadonlyMap<string, NodeBudget>,
    evictionsOf: ReadonlyMap<string, number>,
  ) {
    this.#from = from;
    this.#budgets = budgets;
    this.#cluster = new JournalledCluster(evictionsOf);
  }

  /** USD/h of instances that run now. */
  get hourly(): number {
    return this.#cluster.decided().running;
  }

  read(entry: ClaimEntry): void {
    const before = this.#cluster.claim(entry.claim) ?? NOT_THERE;
    this.endBurst(entry.at);
    this.#cluster.apply(entry);
    if (entry.at < this.#from) return;
    if (entry.kind === 'gone') this.counts.nodesGone++;
    else this.#count(entry, before);
  }

  #count(entry: ClaimEntry, before: typeof NOT_THERE): void {
    const { counts } = this;
    const isMarked = entry.marked && !before.marked;
    if (entry.launched && !before.launched) counts.launched++;
    if (before.marked && !entry.marked) counts.takenBack++;
    if (isMarked && this.#cluster.isOver(entry.pool, this.#budgets)) counts.overBudget++;
    if (entry.deleted && !before.deleted) this.#lastDeletion = entry.at;
  }

  /** Notes the point of a burst that is over by then. */
  endBurst(now: number): void {
    if (this.#lastDeletion === undefined || now < this.#lastDeletion + BURST_MILLIS) return;
    this.points.push({ seconds: (this.#lastDeletion - this.#from) / 1000, ...this.#cluster.decided() });
    this.#lastDeletion = undefined;
  }
}

/** NodeClaims as they are at a moment of the journal. */
class JournalledCluster {
  readonly #claims = new Map<string, ClaimState>();
  /** Evictions from nodes whose claims are deleted. */
  #moves = 0;
  readonly #evictionsOf: ReadonlyMap<string, number>;

  constructor(evictionsOf: ReadonlyMap<string, number>) {
    this.#evictionsOf = evictionsOf;
  }

  claim(name: string): ClaimState | undefined {
    return this.#claims.get(name);
  }

  apply(entry: ClaimEntry): void {
    const { claim, kind, deleted, node } = entry;
    if (kind === 'gone') this.#claims.delete(claim);
    else {
      if (deleted && this.#claims.get(claim)?.deleted !== true)
        this.#moves += this.#evictionsOf.get(node) ?? 0;
      this.#claims.set(claim, entry);
    }
  }

  decided(): Omit<DecidedPoint, 'seconds'> {
    let [hourly, running] = [0, 0];
    for (const claim of this.#claims.values()) {
      if (claim.launched) running += claim.price;
      if (!claim.deleted && !this.#isWaiting(claim)) hourly += claim.price;
    }
    return { moves: this.#moves, hourly, running };
  }

  /** Whether something that the claim replaces is still to stay. */
  #isWaiting({ replaces }: ClaimState): boolean {
    return replaces.split(',').some((name) => this.#claims.get(name)?.deleted === false);
  }

  /** Budgets count initialized nodes, as in Karpenter without those whose instance is being terminated. */
  isOver(pool: string, budgets: ReadonlyMap<string, NodeBudget>): boolean {
    const budget = budgets.get(pool);
    if (budget === undefined) return false;
    const nodes = [...this.#claims.values()].filter(
      (claim) => claim.pool === pool && claim.initialized && !claim.ending,
    );
    const used = nodes.filter(({ marked, deleted }) => marked || deleted).length;
    return used > ('count' in budget ? budget.count : Math.ceil((nodes.length * budget.percent) / 100));
  }
}

type Moves = Pick<ConsolidationFigures, 'moves' | 'movedAgain' | 'mostMoves' | 'unboundSeconds' | 'unbound'>;

function movesOf(journal: readonly JournalEntry[]): Moves {
  const evicted = new Map<number, number>();
  const waiting = new Map<number, number>();
  const unboundSeconds: number[] = [];
  let moves = 0;
  for (const entry of journal) {
    if (entry.kind === 'evicted') {
      moves++;
      evicted.set(entry.slot, entry.evictions);
      waiting.set(entry.slot, entry.at);
    } else if (entry.kind === 'bound') {
      unboundSeconds.push((entry.at - (waiting.get(entry.slot) ?? entry.at)) / 1000);
      waiting.delete(entry.slot);
    }
  }
  const times = [...evicted.values()];
  return {
    moves,
    movedAgain: times.filter((each) => each > 1).length,
    mostMoves: Math.max(0, ...times),
    unboundSeconds: unboundSeconds.sort((left, right) => left - right),
    unbound: waiting.size,
  };
}

/** Node → evictions from it. */
function evictionsByNode(journal: readonly JournalEntry[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, node } of journal) if (kind === 'evicted') counts.set(node, (counts.get(node) ?? 0) + 1);
  return counts;
}
