/** Nodes change hands step by step; killing between any two steps, in any order of commands, loses and doubles nothing. */
import fc from 'fast-check';
import { adoptSteps, releaseSteps, type HandoverState } from '../../../src/planning/handover/steps.js';
import { afterStep, BERTHS, hazards, KARPENTERS, withoutKarpenterTags } from './handover-model.js';

type Direction = 'adopting' | 'releasing';

function stepsFor(direction: Direction, state: HandoverState): ReturnType<typeof adoptSteps> {
  return direction === 'adopting' ? adoptSteps(state) : releaseSteps(state);
}

/** Runs a command until it is killed after so many steps; every state on the way. */
function run(from: HandoverState, direction: Direction, steps = Infinity): readonly HandoverState[] {
  const states = [from];
  for (const step of stepsFor(direction, from).slice(0, steps))
    states.push(afterStep(states.at(-1) ?? from, step, direction));
  return states;
}

const commands = fc.array(
  fc.record({ direction: fc.constantFrom<Direction>('adopting', 'releasing'), steps: fc.nat(10) }),
  { maxLength: 6 },
);
const starts = fc.constantFrom(KARPENTERS, BERTHS);

describe('a whole adoption', () => {
  test('records the intent first, takes the node and its tags, and lets go of the NodeClaim of Karpenter last', () => {
    expect(adoptSteps(KARPENTERS)).toEqual([
      'CreateNodeClaim',
      'WriteNodeClaimStatus',
      'AddTags',
      'TakeNode',
      'RemoveKarpenterTags',
      'RemoveKarpenterFinalizer',
      'DeleteKarpenterNodeClaim',
      'ActivateNodeClaim',
    ]);
  });

  test('of an instance that no controller owns only gives it to Berth', () => {
    const free = { claim: undefined, tags: { some: false, all: false }, holdsNode: false };
    expect(adoptSteps({ berth: { ...free, handover: undefined }, karpenter: free })).toEqual([
      'CreateNodeClaim',
      'WriteNodeClaimStatus',
      'AddTags',
      'TakeNode',
      'ActivateNodeClaim',
    ]);
  });

  test('leaves nothing to do', () => {
    expect(adoptSteps(BERTHS)).toEqual([]);
    expect(releaseSteps(KARPENTERS)).toEqual([]);
  });
});

test('a release goes the same way back', () => {
  expect(releaseSteps(BERTHS)).toEqual([
    'HoldNodeClaim',
    'CreateKarpenterNodeClaim',
    'WriteKarpenterNodeClaimStatus',
    'AddKarpenterTags',
    'GiveNode',
    'RemoveTags',
    'RemoveFinalizer',
    'DeleteNodeClaim',
  ]);
});

test('killed anywhere, and run again in either direction, ends as if it had run once', () => {
  fc.assert(
    fc.property(starts, commands, (start, killed) => {
      const reached = killed.reduce(
        (state, { direction, steps }) => run(state, direction, steps).at(-1) ?? state,
        start,
      );
      expect(run(reached, 'adopting').at(-1)).toEqual(BERTHS);
      expect(run(reached, 'releasing').at(-1)).toEqual(KARPENTERS);
    }),
  );
});

test('at no moment an instance has no owner or two, or an owner that would terminate it', () => {
  fc.assert(
    fc.property(starts, commands, fc.boolean(), (start, killed, hasTags) => {
      let states = [hasTags ? start : withoutKarpenterTags(start)];
      for (const { direction, steps } of killed)
        states = [...states, ...run(states.at(-1) ?? start, direction, steps)];
      expect(states.flatMap(hazards)).toEqual([]);
    }),
  );
});
