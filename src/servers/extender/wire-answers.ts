/** The answers of k8s.io/kube-scheduler/extender/v1, with Go's field names, written as text without a detour. */
import type { FilterAnswer, RefusedNodes } from '../../planning/placement/filter.js';
import type { Victims } from '../../planning/placement/preempt.js';
import type { NodeScore } from '../../planning/placement/prioritize.js';
import { isResolvable, REFUSALS } from '../../planning/placement/refusal.js';
import type { NodesRequest } from './wire-requests.js';

/** Names of Kubernetes objects need no escape. */
const PLAIN = /^[-a-z0-9.]*$/;

/**
 * An ExtenderFilterResult. NodeNames is always there: without it kube-scheduler takes no node. A scheduler that sent whole
 * nodes gets those that passed back whole, since kube-scheduler continues with the response.
 */
export function filterResult(answer: FilterAnswer, request: NodesRequest): string {
  const { nodeNames, nodes } = request;
  const whole = nodes === undefined ? '' : `,"Nodes":${nodeList(answer.nodeNames, nodeNames, nodes)}`;
  const solvable = answer.refused.filter(({ refusal }) => isResolvable(refusal));
  const unsolvable = answer.refused.filter(({ refusal }) => !isResolvable(refusal));
  const failed = `"FailedNodes":{${failedNodes(solvable)}}`;
  const unresolvable = `"FailedAndUnresolvableNodes":{${failedNodes(unsolvable)}}`;
  return `{"NodeNames":[${passedText(answer.nodeNames, request)}]${whole},${failed},${unresolvable}}`;
}

/** An ExtenderFilterResult in which all of these names, `"a","b"`, pass. */
export function passedNames(namesText: string): string {
  return `{"NodeNames":[${namesText}],"FailedNodes":{},"FailedAndUnresolvableNodes":{}}`;
}

/** A HostPriorityList; kube-scheduler takes a node that is not in it as zero. */
export function hostPriorityList(scores: readonly NodeScore[]): string {
  const hosts = scores.map(({ nodeName, score }) => `{"Host":${quote(nodeName)},"Score":${String(score)}}`);
  return `[${hosts.join(',')}]`;
}

/** An ExtenderPreemptionResult; always with UIDs. */
export function preemptionResult(victims: ReadonlyMap<string, Victims>): string {
  const nodes = [...victims].map(([node, { uids, numPDBViolations }]) => {
    const pods = uids.map((uid) => `{"UID":${quote(uid)}}`).join(',');
    return `${quote(node)}:{"Pods":[${pods}],"NumPDBViolations":${String(numPDBViolations)}}`;
  });
  return `{"NodeNameToMetaVictims":{${nodes.join(',')}}}`;
}

/** The text of the request where all pass. */
function passedText(passed: readonly string[], { nodeNames, namesText }: NodesRequest): string {
  if (passed === nodeNames && namesText !== undefined) return namesText;
  return passed.map(quote).join(',');
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
