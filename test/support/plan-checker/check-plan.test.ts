/** The checker catches every kind of fault that is planted in a plan by hand, and says nothing of its faultless twin. */
import { checkPlan } from './check-plan.js';
import { formatViolations, VIOLATION_KINDS } from './violation.js';
import { HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import type { Plan } from '../../../src/planning/plan.js';
import { inOrder } from '../../../src/planning/engine/proven-plan.js';
import type { ClusterInput, PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../builders/cluster-input.js';
import { spreadOver } from '../builders/constraints.js';
import { handMadePlan } from '../builders/plan.js';
import { ZONE_A, ZONE_B } from '../builders/instance-type.js';
import { pod, replicas } from '../builders/pod.js';
import { nodeRules, room, volumes } from './planted/planted-fit.js';
import { bookkeeping, limits, offers, weights } from './planted/planted-lists.js';
import { topology } from './planted/planted-topology.js';
import { web } from './planted/planted-fault.js';

const cases = [
  ...bookkeeping(),
  ...offers(),
  ...limits(),
  ...nodeRules(),
  ...room(),
  ...volumes(),
  ...topology(),
  ...weights(),
];

function inZones(offer: PoolOffer, zones: readonly string[]): PoolOffer {
  const instanceTypes = offer.instanceTypes?.map((type) => ({
    ...type,
    offerings: type.offerings.filter(({ zone }) => zones.includes(zone)),
  }));
  return { ...offer, instanceTypes };
}

function errorsIn(input: ClusterInput, plan: Plan, domains: 'existing' | 'launchable'): readonly string[] {
  return checkPlan(input, plan, { spread: { domains } })
    .filter(({ level, kind }) => level === 'error' && kind === 'spread')
    .map(({ subject, message }) => `${subject}: ${message}`);
}

describe('checkPlan', () => {
  test.each(cases)('finds $kind: $fault', ({ kind, bad: [input, plan], options }) => {
    const kinds = checkPlan(input, plan, options).map((violation) => violation.kind);
    expect(kinds).toContain(kind);
  });

  test.each(cases)('finds nothing in the twin without $kind: $fault', ({ good: [input, plan], options }) => {
    expect(formatViolations(checkPlan(input, plan, options))).toBe('');
  });

  test('is tried on every kind of violation', () => {
    expect(new Set(cases.map(({ kind }) => kind))).toEqual(new Set(VIOLATION_KINDS));
  });

  test('warns about weights and calls everything else an error', () => {
    const levels = cases.flatMap(({ kind, bad: [input, plan], options }) =>
      checkPlan(input, plan, options)
        .filter((violation) => violation.kind === kind)
        .map(({ level }) => `${kind} ${level}`),
    );
    expect(levels.filter((text) => text.endsWith('warning')).every((text) => text === 'weight warning')).toBe(
      true,
    );
    expect(levels).toContain('weight warning');
  });

  test('counts hosts that there are, where other domains that could be launched count and pods wait for others', () => {
    const labels = { app: 'web' };
    const zonal = { ...web, labels, spread: [spreadOver(ZONE, labels)] };
    const pods = [
      ...replicas(2, { name: 'zonal', ...zonal }),
      pod({ name: 'single', ...web, labels, spread: [spreadOver(HOSTNAME, labels)] }),
      pod({ name: 'free', ...web, labels }),
    ];
    const input = clusterInput({ pods });
    const claims = [
      { pods: ['default/zonal-0', 'default/single'] },
      { pods: ['default/zonal-1'], zones: [ZONE_B] },
      { pods: ['default/free'] },
    ];
    const after = new Map(['single', 'free'].map((name) => [`default/${name}`, ['default/zonal-0']]));
    const made = inOrder(handMadePlan(input, { claims }), after);
    const within = { ...input, pools: input.pools.map((offer) => inZones(offer, [ZONE_A, ZONE_B])) };
    expect(errorsIn(within, made, 'existing')).toEqual([]);
    expect(errorsIn(within, made, 'launchable')).toEqual([]);
  });

  test('binds pods that are waited for through others', () => {
    const labels = { app: 'web' };
    const single = { ...web, labels, spread: [spreadOver(HOSTNAME, labels)] };
    const pods = [
      ...replicas(2, { name: 'single', ...single }),
      ...replicas(2, { name: 'free', ...web, labels }),
    ];
    const input = clusterInput({ pods });
    const claims = [
      { pods: ['default/single-0', 'default/free-0', 'default/free-1'] },
      { pods: ['default/single-1'] },
    ];
    const after = new Map([
      ['default/free-0', ['default/single-0']],
      ['default/free-1', ['default/free-0']],
      ['default/single-1', ['default/free-1']],
    ]);
    expect(errorsIn(input, inOrder(handMadePlan(input, { claims }), after), 'existing')).toEqual([]);
  });

  test('judges ten thousand pods on a thousand claims in the time that a test has', () => {
    const pods = replicas(10_000, {
      name: 'web',
      ...web,
      spread: [spreadOver(ZONE, { app: 'web' }, { maxSkew: 10_000 })],
    });
    const input = clusterInput({ pods });
    const types = ['m6i.large', 'r6i.large', 'm6i.xlarge', 'r6i.xlarge'];
    const claims = Array.from({ length: 1000 }, (_, index) => ({
      types,
      pods: pods.slice(index * 10, index * 10 + 10).map(({ name }) => `default/${name}`),
    }));
    const plan = handMadePlan(input, { claims });
    expect(formatViolations(checkPlan(input, plan))).toBe('');
  });
});
