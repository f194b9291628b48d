/** Masks of zones that rules look at are what the counters of topology say, asked one rule at a time. */
import fc from 'fast-check';
import { ZONE } from '../../../../src/domain/values/labels.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../../src/planning/plan-options.js';
import { EligibleZones } from '../../../../src/planning/pack/guided/eligible-zones.js';
import { binTypeTable } from '../../../../src/planning/pack/guided/bin-type-table.js';
import { Packing } from '../../../../src/planning/rules/packing.js';
import { compileProblem } from '../../../../src/planning/model/problem.js';
import { buildSnapshot } from '../../../../src/planning/snapshot/build-snapshot.js';
import { arbitraryCluster } from '../../laws/arbitrary-cluster.js';
import { RUNS } from '../../laws/plan-of.js';

describe('EligibleZones', () => {
  test('names the zones that the counters of topology name', () => {
    let asked = 0;
    fc.assert(
      fc.property(arbitraryCluster(), fc.boolean(), (input, hasNodes) => {
        const snapshot = buildSnapshot(hasNodes ? input : { ...input, nodes: [] });
        const problem = compileProblem(snapshot, DEFAULT_PLAN_OPTIONS);
        const packing = new Packing(problem);
        const zones = new EligibleZones(packing, binTypeTable(problem));
        for (const { asks, courtesies } of problem.classes) {
          const rules = [...asks.flatMap(({ spread }) => spread), ...courtesies];
          for (const rule of rules.filter(({ group }) => group.topologyKey === ZONE)) {
            asked++;
            const named = packing.counts.eligibleDomains(rule);
            const mask = named.reduce((all, zone) => all | (1 << zone), 0);
            expect(zones.of(rule)).toBe(named.length < rule.minDomains ? 0 : mask);
          }
        }
      }),
      { ...RUNS, numRuns: 150 },
    );
    expect(asked).toBeGreaterThan(50);
  });
});
