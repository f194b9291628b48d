/** Whether planning and kube-scheduler agree about one pod, node by node or, where it fits nowhere, plugin by plugin. */
import type { NodeRefusal, NodeVerdict } from '../../support/feasibility.js';
import { parseMessage, type Refusals } from './scheduler-message.js';

/** What kube-scheduler made of a pod: nodes that passed its filters, or its words when there were none. */
export type TheirVerdict = { readonly nodes: ReadonlySet<string> } | { readonly message: string };

export interface Difference {
  readonly kind: 'we yes, they no' | 'we no, they yes' | 'other counts';
  /** Undefined where it is about the counts of a pod that fits nowhere. */
  readonly node?: string;
  readonly ours: string;
  readonly theirs: string;
}

export function compare(
  ours: ReadonlyMap<string, NodeVerdict>,
  theirs: TheirVerdict,
  boundClaims: ReadonlySet<string>,
): readonly Difference[] {
  const fits = 'nodes' in theirs ? theirs.nodes : new Set<string>();
  const words = 'nodes' in theirs ? 'refused' : theirs.message;
  const differences = [...ours].flatMap(([node, verdict]): readonly Difference[] => {
    if ((verdict === undefined) === fits.has(node)) return [];
    return verdict === undefined
      ? [{ kind: 'we yes, they no', node, ours: 'fits', theirs: words }]
      : [{ kind: 'we no, they yes', node, ours: describe(verdict), theirs: 'fits' }];
  });
  if (differences.length > 0 || 'nodes' in theirs) return differences;
  return compareCounts([...ours.values()], theirs.message, boundClaims);
}

function describe({ plugin, about }: NodeRefusal): string {
  return `${plugin} ${about.join(', ')}`;
}

function compareCounts(
  ours: readonly NodeVerdict[],
  message: string,
  boundClaims: ReadonlySet<string>,
): readonly Difference[] {
  const theirs = parseMessage(message);
  const counts = new Map<string, number>();
  for (const refusal of ours) {
    const keys = refusal === undefined ? [] : keysOf(refusal, theirs, boundClaims);
    for (const key of new Set(keys)) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const text = countsText(counts);
  return text === countsText(theirs.counts) ? [] : [{ kind: 'other counts', ours: text, theirs: message }];
}

/** As `parseMessage` names them. */
function keysOf(
  { plugin, about }: NodeRefusal,
  { early }: Refusals,
  boundClaims: ReadonlySet<string>,
): readonly string[] {
  if (early) return [plugin];
  if (plugin === 'NodeResourcesFit') return about.map((resource) => `${plugin} ${resource}`);
  if (plugin === 'VolumeBinding')
    return about.map((claim) => `${plugin} ${boundClaims.has(claim) ? 'bound' : 'unbound'}`);
  return [plugin];
}

function countsText(counts: ReadonlyMap<string, number>): string {
  return [...counts]
    .map(([plugin, count]) => `${String(count)} ${plugin}`)
    .sort()
    .join(', ');
}
