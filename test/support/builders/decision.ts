/** Decisions for tests: a launch; tests say what differs. */
import type { Decision, DecisionSpec } from '../../../src/domain/records/decision.js';
import type { Proposal } from '../../../src/domain/records/proposal.js';

export function decision({
  spec,
  ...overrides
}: Partial<Omit<Decision, 'spec'>> & { readonly spec?: Partial<DecisionSpec> } = {}): Decision {
  return {
    name: 'decision-1',
    uid: 'uid-decision-1',
    resourceVersion: '1',
    outcome: '',
    ...overrides,
    spec: decisionSpec(spec),
  };
}

export function decisionSpec(overrides: Partial<DecisionSpec> = {}): DecisionSpec {
  return {
    time: Date.UTC(2026, 0, 1),
    subject: { kind: 'NodeClaim', namespace: '', name: 'general-1', uid: 'uid-general-1' },
    action: 'Launch',
    reason: 'Provisioned',
    message: 'Launched m6i.large in eu-west-3a for 3 pods',
    trigger: '',
    considered: '',
    saving: undefined,
    ...overrides,
  };
}

/** A launch of two nodes for one pod that waits for approval. */
export function proposalSpec(
  overrides: Partial<Proposal> = {},
): DecisionSpec & { readonly proposal: Proposal } {
  const proposal: Proposal = {
    act: 'Launch',
    price: 0.34,
    nodes: 2,
    evictions: 0,
    nodePools: ['general'],
    pods: ['uid-pod'],
    nodeClaims: [],
    ...overrides,
  };
  const subject = { kind: 'NodePool', namespace: '', name: 'general', uid: '' };
  const message = '2 nodes of NodePool general for 1 pod: 0.3400 USD/h';
  return { ...decisionSpec({ subject, action: 'Propose', reason: 'PendingPods', message }), proposal };
}
