/** How often each kind of constraint was at work, with both outcomes. */
import type { NodeVerdict } from '../../support/feasibility.js';
import type { Kind } from './kinds/kind.js';
import type { PendingPod } from './random-pods.js';

export interface KindCount {
  /** Pods that have it. */
  pods: number;
  /** Of these, pods that it kept off some node. */
  refused: number;
  /** Of these, pods that fit on some node. */
  fitted: number;
  /** Pods × nodes: how often it was the first to refuse. */
  refusals: number;
  /** Pods × nodes: how often a pod that has it fit. */
  fits: number;
}

export class Tally {
  readonly #counts: ReadonlyMap<Kind, KindCount>;

  constructor(kinds: readonly Kind[]) {
    this.#counts = new Map(
      kinds.map((kind) => [kind, { pods: 0, refused: 0, fitted: 0, refusals: 0, fits: 0 }]),
    );
  }

  add({ draft, kinds }: PendingPod, verdicts: readonly NodeVerdict[]): void {
    const refusals = verdicts.filter((verdict) => verdict !== undefined);
    const fits = verdicts.length - refusals.length;
    for (const kind of kinds) {
      const count = this.#counts.get(kind);
      if (count === undefined) continue;
      const refused = refusals.filter((refusal) => kind.refuses(refusal, draft)).length;
      count.pods++;
      count.refusals += refused;
      count.fits += fits;
      if (refused > 0) count.refused++;
      if (fits > 0) count.fitted++;
    }
  }

  /** Pods with the rarer of the two outcomes. */
  rarer(kind: Kind): number {
    const { refused = 0, fitted = 0 } = this.#counts.get(kind) ?? {};
    return Math.min(refused, fitted);
  }

  get perKind(): Readonly<Record<string, KindCount>> {
    return Object.fromEntries([...this.#counts].map(([{ name }, count]) => [name, count]));
  }

  /** Kinds that had one of the outcomes in fewer pods, or in fewer verdicts on nodes, than that. */
  below(least: { readonly pods: number; readonly verdicts: number }): readonly string[] {
    return [...this.#counts]
      .filter(
        ([kind, { refusals, fits }]) =>
          this.rarer(kind) < least.pods || Math.min(refusals, fits) < least.verdicts,
      )
      .map(([{ name }]) => name);
  }

  /** For people. */
  table(): string {
    const head = ['pods', 'refused', 'fitted', 'refusals', 'fits'];
    const rows = Object.entries(this.perKind).map(([name, { pods, refused, fitted, refusals, fits }]) =>
      row(name, [pods, refused, fitted, refusals, fits]),
    );
    return [row('kind', head), ...rows, ''].join('\n');
  }
}

function row(name: string, cells: readonly (string | number)[]): string {
  return [name.padEnd(34), ...cells.map((cell) => String(cell).padStart(10))].join('');
}
