/** Answers about small fleets, checked against the rules of Kubernetes and budgets, as short texts. */
import { disrupt } from '../../../src/planning/disrupt/methods.js';
import type {
  DisruptionAnswer,
  DisruptionInput,
  DisruptionOptions,
  ManagedNode,
} from '../../../src/planning/disrupt/question/disruption.js';
import { disruptionOptions, typeNamed, type FleetNode } from '../../support/builders/disruption-input.js';
import type { ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { faultsOf } from './check-commands.js';

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
export function answerTo(input: DisruptionInput, options: Partial<DisruptionOptions> = {}): DisruptionAnswer {
  const answer = disrupt(input, disruptionOptions(options));
  expect(faultsOf(input, answer)).toBe('');
  return answer;
}

/** `Reason node node` of each command, in the order in which they go. */
export function commandsOf({ commands }: DisruptionAnswer): readonly string[] {
  return commands.map(({ reason, nodes }) => `${reason} ${nodes.join(' ')}`);
}

/** `node Reason Code` of each node that stays for a rule. */
export function codesOf({ refusals }: DisruptionAnswer): readonly string[] {
  return refusals.map(({ node, reason, refusal }) => `${node} ${reason} ${refusal.code}`);
}
