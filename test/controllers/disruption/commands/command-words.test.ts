import { describeCommand } from '../../../../src/controllers/disruption/commands/marks.js';
import type { NodeClaimStatus } from '../../../../src/domain/nodes/node-claim.js';
import type { DisruptionCommand } from '../../../../src/planning/disrupt/question/disruption.js';
import { nodeClaim } from '../../../support/builders/node-claim.js';

function planned(overrides: Partial<DisruptionCommand>): DisruptionCommand {
  return {
    reason: 'Empty',
    nodes: ['node-1'],
    claims: [],
    placements: [],
    unplaced: [],
    saving: 0,
    movingCost: 0,
    considered: '',
    ...overrides,
  };
}

function placed(...pods: readonly string[]): DisruptionCommand['placements'] {
  return pods.map((pod) => ({ pod, target: { kind: 'Node', name: 'node-2' } }));
}

describe('the words of a disruption', () => {
  test('an empty node says that it is', () => {
    const command = { reason: 'Empty', claims: ['general-1'], planned: planned({}) } as const;
    expect(describeCommand(command, nodeClaim())).toBe('Empty/Delete: no pods need the node');
  });

  test('a drifted node says what has drifted, and how many pods move', () => {
    const conditions: NodeClaimStatus['conditions'] = [
      { type: 'Drifted', status: 'True', reason: 'AMIDrift', message: 'ami-1 is old', lastTransitionTime: 0 },
    ];
    const command = {
      reason: 'Drifted',
      claims: ['general-1'],
      planned: planned({ reason: 'Drifted', placements: placed('default/web') }),
    } as const;
    expect(describeCommand(command, nodeClaim({ status: { conditions } }))).toBe(
      'Drifted/Delete: AMIDrift, ami-1 is old, 1 pod has room on other nodes',
    );
  });

  test('saving money says how much, and what moving costs', () => {
    const command = {
      reason: 'Underutilized',
      claims: ['general-1', 'general-2'],
      planned: planned({
        reason: 'Underutilized',
        placements: placed('default/a', 'default/b'),
        saving: 0.5,
        movingCost: 0.01,
      }),
    } as const;
    expect(describeCommand(command, nodeClaim())).toBe(
      'Underutilized/Delete: 2 nodes together, 2 pods have room on other nodes, saves 0.5000 USD/h at a moving cost of 0.0100 USD',
    );
  });
});
