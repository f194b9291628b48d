/** Decisions for tests: a launch; tests say what differs. */
import type { Decision, DecisionSpec } from '../../../src/domain/records/decision.js';

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
