/** Fleets of few nodes and what disruption decides about them, for facts about which nodes go, which stay, and in which order. */
import { describeRefusal, disrupt } from '../../../src/planning/disrupt/methods.js';
import type {
  DisruptionAnswer,
  DisruptionInput,
  ManagedNode,
} from '../../../src/planning/disrupt/question/disruption.js';
import { faultsOf } from '../../planning/disrupt/check-commands.js';
import { disruptionOptions, typeNamed, type FleetNode } from '../../support/builders/disruption-input.js';
import type { ObservedPodOverrides } from '../../support/builders/observed-pod.js';

/** 16 vCPU for a pod of half a vCPU: cheaper types do. */
export const LARGE = typeNamed('m6i.4xlarge');
export const SMALL = { requests: { cpu: '500m', memory: '512Mi' } };

/** A node far too large for its pods. */
export function wasteful(
  name: string,
  managed: Partial<ManagedNode> = {},
  pods: readonly ObservedPodOverrides[] = [SMALL],
): FleetNode {
  return { name, type: LARGE, managed, pods };
}

/** What is decided, which no rule of Kubernetes or budget forbids. */
export function answerTo(input: DisruptionInput): DisruptionAnswer {
  const answer = disrupt(input, disruptionOptions());
  expect(faultsOf(input, answer)).toBe('');
  return answer;
}

/** `Reason node node`, in the order in which they go. */
export function going(input: DisruptionInput): readonly string[] {
  return answerTo(input).commands.map(({ reason, nodes }) => `${reason} ${nodes.join(' ')}`);
}

/** `node Reason Code` of each node that stays for a rule. */
export function staying(input: DisruptionInput): readonly string[] {
  return answerTo(input).refusals.map(({ node, reason, refusal }) => `${node} ${reason} ${refusal.code}`);
}

/** What is said of the nodes that stay. */
export function saidOf(input: DisruptionInput): readonly string[] {
  return answerTo(input).refusals.map(({ refusal }) => describeRefusal(refusal));
}
