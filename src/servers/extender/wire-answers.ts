/** The answers of k8s.io/kube-scheduler/extender/v1, with Go's field names, written as text of which each character is one byte. */
import type { FilterAnswer, RefusedNodes } from '../../planning/placement/filter.js';
import type { Victims } from '../../planning/placement/preempt.js';
import { isResolvable, REFUSALS } from '../../planning/placement/refusal.js';
import type { NamesText } from './wire-names.js';

/** What was asked: the names, as they were sent where that is known, and the whole nodes where they were sent. */
export interface AskedNodes {
  readonly nodeNames: readonly string[];
  readonly text: NamesText | undefined;
  readonly nodes: readonly unknown[] | undefined;
}

/** Names of Kubernetes objects need no escape. */
const PLAIN = /^[-a-z0-9.]*$/;

/**
 * An ExtenderFilterResult. NodeNames is always there: without it kube-scheduler takes no node. A scheduler that sent whole
 * nodes gets those that passed back whole, since kube-scheduler continues with the response.
 */
export function filterResult(answer: FilterAnswer, { nodeNames, text, nodes }: AskedNodes): string {
  if (answer.nodeNames === nodeNames && text !== undefined) return passedNames(text);
  const whole = nodes === undefined ? '' : `,"Nodes":${nodeList(answer.nodeNames, nodeNames, nodes)}`;
  const solvable = answer.refused.filter(({ refusal }) => isResolvable(refusal));
  const unsolvable = answer.refused.filter(({ refusal }) => !isResolvable(refusal));
  const failed = `"FailedNodes":{${failedNodes(solvable)}}`;
  const unresolvable = `"FailedAndUnresolvableNodes":{${failedNodes(unsolvable)}}`;
  const passed = answer.nodeNames.map(quote).join(',');
  return bytesOf(`{"NodeNames":[${passed}]${whole},${failed},${unresolvable}}`);
}

/** An ExtenderFilterResult in which all of these names pass. */
export function passedNames({ bytes }: NamesText): string {
  const names = bytes.toString('latin1');
  return `{"NodeNames":[${names}],"FailedNodes":{},"FailedAndUnresolvableNodes":{}}`;
}

/** A HostPriorityList without a host. */
export const NO_SCORES = '[]';

/** An ExtenderPreemptionResult; always with UIDs. */
export function preemptionResult(victims: ReadonlyMap<string, Victims>): string {
  const nodes = [...victims].map(([node, { uids, numPDBViolations }]) => {
    const pods = uids.map((uid) => `{"UID":${quote(uid)}}`).join(',');
    return `${quote(node)}:{"Pods":[${pods}],"NumPDBViolations":${String(numPDBViolations)}}`;
  });
  return bytesOf(`{"NodeNameToMetaVictims":{${nodes.join(',')}}}`);
}

function nodeList(passed: readonly string[], names: readonly string[], nodes: readonly unknown[]): string {
  const wanted = new Set(passed);
  const items = nodes.filter((_, index) => wanted.has(names[index] ?? ''));
  return JSON.stringify({ metadata: {}, items });
}

function failedNodes(refused: readonly RefusedNodes[]): string {
  return refused
    .map(({ refusal, nodeNames }) => {
      const text = JSON.stringify(REFUSALS[refusal]);
      return nodeNames.map((name) => `${quote(name)}:${text}`).join(',');
    })
    .join(',');
}

function quote(name: string): string {
  return PLAIN.test(name) ? `"${name}"` : JSON.stringify(name);
}

/** The text with one character for each of its bytes. */
function bytesOf(text: string): string {
  return Buffer.from(text).toString('latin1');
}
