import { describeRefusal } from '../../../../src/planning/disrupt/methods.js';
import type { ConsolidationRefusal } from '../../../../src/planning/disrupt/sets/consolidation-refusals.js';
import type { ConsolidationTermsRefusal } from '../../../../src/planning/disrupt/methods/consolidation-terms.js';
import type { DriftRefusal } from '../../../../src/planning/disrupt/question/drift-hold.js';
import type { RuleRefusal } from '../../../../src/planning/disrupt/question/refusal.js';

type DisruptionRefusal = RuleRefusal | DriftRefusal | ConsolidationTermsRefusal | ConsolidationRefusal;

const NOON = Date.UTC(2026, 0, 2, 12);

/** One refusal of each code, and what its sentence must say: the thing in the way, and what would help. */
const SENTENCES: {
  readonly [Code in DisruptionRefusal['code']]: readonly [Extract<DisruptionRefusal, { code: Code }>, RegExp];
} = {
  NotInitialized: [{ code: 'NotInitialized' }, /not initialized yet/],
  NodePoolFrozen: [
    { code: 'NodePoolFrozen', nodePool: 'web', nodeClass: undefined },
    /^the document of NodePool web was removed.*restore it.*PolicyStatus of NodePool web berth\.sh\/delete: drain/,
  ],
  StaticNodePool: [{ code: 'StaticNodePool', nodePool: 'web' }, /NodePool web is static.*replicas/],
  StaticPoolFull: [
    { code: 'StaticPoolFull', nodePool: 'web', limit: 3 },
    /NodePool web has as many nodes as limits.nodes allows \(3\).*raise it above spec.replicas/,
  ],
  NoReplica: [
    { code: 'NoReplica', nodePool: 'web', why: { code: 'OutOfStock', types: ['m5.large'] } },
    /NodePool web can launch no replacement: .*m5.large/,
  ],
  NodeDoNotDisrupt: [
    { code: 'NodeDoNotDisrupt', until: NOON },
    /do-not-disrupt until 2026-01-02T12:00:00.000Z; remove the annotation or wait/,
  ],
  PodDoNotDisrupt: [
    { code: 'PodDoNotDisrupt', pod: 'team/web-0', until: undefined },
    /pod team\/web-0 is annotated karpenter.sh\/do-not-disrupt; remove the annotation$/,
  ],
  PodOutsideWindows: [
    { code: 'PodOutsideWindows', pod: 'team/web-0', opens: NOON, problem: undefined },
    /berth\.sh\/disruption-windows of pod team\/web-0, or of its namespace, is open; the next opens at 2026-01-02T12:00:00.000Z$/,
  ],
  PodDisruptionBudget: [
    { code: 'PodDisruptionBudget', pod: 'team/web-0', budget: 'team/web' },
    /PodDisruptionBudget team\/web .* pod team\/web-0/,
  ],
  SeveralPodDisruptionBudgets: [
    { code: 'SeveralPodDisruptionBudgets', pod: 'team/web-0', budgets: ['team/a', 'team/b'] },
    /team\/web-0 .*team\/a, team\/b.*leave one/,
  ],
  AwaitsPods: [{ code: 'AwaitsPods', pod: 'team/web-0' }, /team\/web-0 is planned on the node/],
  ConsolidationDisabled: [
    { code: 'ConsolidationDisabled', nodePool: 'web' },
    /NodePool web has consolidateAfter: Never/,
  ],
  NotQuiet: [{ code: 'NotQuiet', until: NOON }, /consolidateAfter.*2026-01-02T12:00/],
  MovedTo: [{ code: 'MovedTo', until: NOON }, /moved pods to the node.*2026-01-02T12:00.*moveAgainAfter/],
  NotEmpty: [{ code: 'NotEmpty', nodePool: 'web', pods: 3 }, /WhenEmpty.*3 pods.*WhenEmptyOrUnderutilized/],
  Budget: [
    { code: 'Budget', nodePool: 'web', total: 10, used: 1, allowed: 1 },
    /budgets allow 1 of 10 nodes of NodePool web.*1 are disrupted/,
  ],
  LoadBudget: [
    { code: 'LoadBudget', nodePool: 'web', unit: 'usdPerHour', used: 0.1, own: 0.2, allowed: 0.25 },
    /NodePool web allow nodes of 0.25 USD.h.*0.1 USD.h are.*0.2 USD.h more.*raise the budget/,
  ],
  DriftSoaking: [
    { code: 'DriftSoaking', nodePool: 'web', canaries: 1, until: NOON },
    /NodePool web replaces drifted nodes in stages \(berth\.driftRollout\).* 1 node .* soaks until 2026-01-02T12:00.*wait/,
  ],
  DriftPaused: [
    { code: 'DriftPaused', nodePool: 'web', target: 'f00', why: 'node b is not ready' },
    /NodePool web is paused: node b is not ready; .*kubectl annotate --overwrite policystatus nodepool.web berth.sh\/resume-drift=f00/,
  ],
  DriftBackOff: [
    { code: 'DriftBackOff', nodePool: 'web', failures: 1, until: NOON },
    /1 replacement of drifted nodes of NodePool web failed in a row.*after 2026-01-02T12:00/,
  ],
  SurplusNodes: [{ code: 'SurplusNodes', nodePool: 'a', replicas: 3 }, /more nodes than spec.replicas \(3\)/],
  NodesMissing: [
    { code: 'NodesMissing', nodePool: 'web' },
    /nodes of NodePool web are missing or not ready.*wait until they are ready/,
  ],
  MinimumNodes: [
    { code: 'MinimumNodes', nodePool: 'web', minimum: 2 },
    /NodePool web keeps at least 2 nodes.*minimumNodes.*lower it/,
  ],
  Freeze: [
    { code: 'Freeze', nodePool: 'web', until: NOON },
    /NodePool web freezes this until 2026-01-02T12:00.*berth.freezes/,
  ],
  OutsideWindows: [
    { code: 'OutsideWindows', nodePool: 'web', opens: NOON },
    /NodePool web.*next opens at 2026-01-02T12:00/,
  ],
  UnknownPrice: [{ code: 'UnknownPrice' }, /no price is known/],
  NoPlace: [
    { code: 'NoPlace', pod: 'team/web-0', why: { code: 'StaticPool' } },
    /pod team\/web-0 could not be placed elsewhere: the pool is static/,
  ],
  NotCheaper: [
    { code: 'NotCheaper', price: 0.1, replacement: 0.098 },
    /0\.0980 USD\/h .*0\.1000 USD\/h.*allow cheaper/,
  ],
  ZonalShift: [
    { code: 'ZonalShift', zones: ['us-east-1a', 'us-east-1b'] },
    /shifted away from us-east-1a, us-east-1b; wait/,
  ],
  TooYoung: [
    { code: 'TooYoung', nodePool: 'web', until: NOON },
    /younger than NodePool web .*minimumLife.*2026-01-02T12:00/,
  ],
  SmallSaving: [
    { code: 'SmallSaving', saving: 0.05, least: 0.2, nodes: 2 },
    /0\.0500 USD\/h .*leastSavingUsdPerHour.*0\.2000 USD\/h for the 2 nodes/,
  ],
  MovingCost: [
    { code: 'MovingCost', saving: 0.001, movingCost: 0.05, horizonHours: 24 },
    /0\.0010 USD\/h .*\(0\.0500 USD\).*24 hours/,
  ],
  Unbalanced: [{ code: 'Unbalanced', nodePool: 'web', score: 0.2 }, /NodePool web.*0\.20.*0\.50/],
  SpotToSpotDisabled: [{ code: 'SpotToSpotDisabled' }, /spotToSpot is off/],
  SpotFlexibility: [
    { code: 'SpotFlexibility', cheaper: 3, wanted: 15 },
    /3 types are cheaper.*15 are needed/,
  ],
  NotLookedAt: [{ code: 'NotLookedAt' }, /next pass/],
};

const words = (refusal: DisruptionRefusal): string => describeRefusal(refusal);

describe('describeRefusal', () => {
  test.each(Object.values(SENTENCES).map(([refusal, words]) => ({ ...refusal, refusal, words })))(
    'says of $code what stands in the way and what would help',
    ({ refusal, words }) => {
      expect(describeRefusal(refusal)).toMatch(words);
    },
  );

  test('tells a budget over all pools, a window that never opens, and a pod without a reason', () => {
    expect(words({ code: 'Budget', nodePool: '', total: 9, used: 0, allowed: 0 })).toContain('of all pools');
    expect(words({ code: 'OutsideWindows', nodePool: 'web', opens: undefined })).toContain('none ever opens');
    expect(words({ code: 'NoPlace', pod: 'a/b', why: undefined })).toBe(
      'pod a/b could not be placed elsewhere',
    );
  });
});
