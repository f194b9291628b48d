/** The documented statements that need a cluster, in chapters, and in the order in which a reader comes to them. */
import { documentedCalls, type ProgramCall } from '../../../architecture/documents/program-calls.js';
import { onlyNames, whereItRuns } from '../../../architecture/documents/where-calls-run.js';

/** A row for `test.each`. */
export type Statement = readonly [text: string, place: string];

/**
 * Statements that change something, or that have to stand before or behind others, by what they look like, in their order. The rest, and
 * with it what is new in a document, is read from a cluster in which Berth works.
 */
const CHAPTERS = {
  installing: [
    /^helm install/,
    /^kubectl label namespace/,
    /^helm test/,
    /create secret/,
    /^helm upgrade/,
    /get deploy /,
    /^kubectl apply -f manifests/,
    /schedulingGates/,
  ],
  leaving: [/^helm uninstall berth/, /^kubectl delete (crd|namespace)/],
  withoutHelm: [/^kubectl apply -k/],
  observing: [/^berth report/, /get bpol observation/, /delete bpol observation/],
  migrating: [
    /^berth pause --reason migration/,
    /--from-cluster karpenter >/,
    /apply -f policies/,
    /--from-cluster karpenter \|/,
    /--from-cluster nodegroup/,
    /scale deployment cluster-autoscaler/,
    /^berth adopt.*--dry-run/,
    /^berth adopt.*--stop-other/,
    /^berth resume/,
    /^berth release.*--dry-run/,
    /^berth release/,
    /^berth adopt --from nodegroup/,
  ],
  approving: [
    /clusterrolebinding/,
    /spec.action=Propose/,
    /^berth explain decision/,
    /annotate decision/,
    /^berth approve/,
    /^berth reject (?!--all)/,
    /^berth reject --all/,
  ],
  reading: [],
  pausing: [/^berth pause/, /berth\.sh\/paused/],
  removing: [/^berth uninstall --drain(?!.*--yes)/, /^berth uninstall --drain/, /^berth uninstall/],
} as const satisfies Readonly<Record<string, readonly RegExp[]>>;

export type Chapter = keyof typeof CHAPTERS;

/** Where a statement stands: its chapter, and the number of the pattern there. */
function positionOf(text: string): { readonly chapter: Chapter; readonly index: number } {
  for (const [chapter, patterns] of Object.entries(CHAPTERS) as [Chapter, readonly RegExp[]][]) {
    const index = patterns.findIndex((pattern) => pattern.test(text));
    if (index >= 0) return { chapter, index };
  }
  return { chapter: 'reading', index: 0 };
}

const { calls } = await documentedCalls();

/** Each once, with its first place; where a sentence only names a command, that the program has it. */
function statements(): readonly Statement[] {
  const found = new Map<string, Statement>();
  for (const [statement, parts] of grouped(calls)) {
    const [first] = parts;
    if (first === undefined || !parts.some((call) => whereItRuns(call) === 'cluster')) continue;
    const key = parts
      .map(({ words }) => words.join(' '))
      .sort()
      .join(' | ');
    const text = onlyNames(first) ? `${statement} --help` : statement;
    if (!found.has(key)) found.set(key, [text, first.place]);
  }
  return [...found.values()];
}

function grouped(all: readonly ProgramCall[]): ReadonlyMap<string, readonly ProgramCall[]> {
  const groups = new Map<string, ProgramCall[]>();
  for (const call of all) {
    const group = groups.get(call.statement) ?? [];
    groups.set(call.statement, [...group, call]);
  }
  return groups;
}

/** The statements of a chapter, in its order. */
export function chapter(name: Chapter): readonly Statement[] {
  const own = statements().flatMap((statement) => {
    const { chapter: its, index } = positionOf(statement[0]);
    return its === name ? [{ statement, index }] : [];
  });
  return own.sort((left, right) => left.index - right.index).map(({ statement }) => statement);
}
