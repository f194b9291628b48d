/**
 * Whole workloads are planned completely, by the rules, cheaply and fast. Small ones always; with BERTH_WORKLOADS naming
 * the folder that bench's generator wrote, also the large ones, against the prices of Karpenter's plans.
 */
import { DEFAULT_PLAN_OPTIONS } from '../../src/planning/plan-options.js';
import type { Plan } from '../../src/planning/plan.js';
import { plan } from '../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { LoneClaims } from '../support/plan-checker/checks/check-alternatives.js';
import { checkPlan } from '../support/plan-checker/check-plan.js';
import { formatViolations } from '../support/plan-checker/violation.js';
import { Devices } from '../support/plan-checker/devices.js';
import { Volumes } from '../support/plan-checker/volumes.js';
import { smallWorkloads } from '../support/workloads.js';
import { berthPlan, buildBundle } from './berth-plan.js';
import { KARPENTER_PRICES } from './karpenter-prices.js';
import { readSharedWorkload } from './shared-workload.js';
import { workloadTable, writeWorkloadReport, type WorkloadRow } from './workload-report.js';

const MOST_SECONDS = 10;
const MINUTES = 60_000;
const folder = process.env['BERTH_WORKLOADS'];

function solve(input: ClusterInput): Plan {
  return plan(buildSnapshot(input), DEFAULT_PLAN_OPTIONS);
}

/** Zones that a pool could launch into count as domains, as they do for Karpenter, though kube-scheduler asks for less. */
function violations(input: ClusterInput, result: Plan): string {
  return formatViolations(checkPlan(input, result, { spread: { domains: 'launchable' } }));
}

/** USD/h when every pod gets the cheapest instance that any pool could launch for it, to itself. */
function aloneCost(input: ClusterInput): number {
  const lone = new LoneClaims({
    daemonSets: input.daemonSets,
    volumes: new Volumes(input),
    devices: new Devices(input),
  });
  const cheapest = input.pods.map((pod) => {
    const landings = input.pools.map((offer) => lone.cheapest(pod, offer));
    return Math.min(...landings.map((landing) => landing?.launch?.offering.price ?? Infinity));
  });
  return cheapest.reduce((sum, price) => sum + price, 0);
}

describe('a small workload', () => {
  const workloads = smallWorkloads();

  test.each(workloads)(
    '$name is planned by the rules, with every pod placed, for less than instances of their own would cost',
    ({ input }) => {
      const result = solve(input);
      expect(violations(input, result)).toBe('');
      expect(result.unschedulable).toEqual([]);
      expect(result.cost.hourly).toBeLessThan(aloneCost(input));
      expect(result.cost.hourly).toBeGreaterThanOrEqual(result.cost.lowerBound ?? Infinity);
    },
    MINUTES,
  );

  test('on spot costs less than on demand', () => {
    const price = new Map(workloads.map(({ name, input }) => [name, solve(input).cost.hourly]));
    const pairs = [...price].filter(([name]) => name.endsWith('-spot'));
    expect(pairs.length).toBeGreaterThan(0);
    for (const [name, spot] of pairs)
      expect(spot).toBeLessThan(price.get(name.replace(/-spot$/, '-on-demand')) ?? 0);
  });
});

function describeShared(from: string): void {
  const rows: WorkloadRow[] = [];

  describe('a shared workload', () => {
    beforeAll(buildBundle);
    afterAll(() => {
      process.stdout.write(workloadTable(rows));
      writeWorkloadReport(rows);
    });

    test.each(Object.entries(KARPENTER_PRICES))(
      '%s is planned by the rules, with every pod placed, in seconds, at no more than Karpenter pays',
      (workload, karpenter) => {
        const printed = berthPlan(from, workload);
        const { hourly: price, lowerBound } = printed.cost;
        const seconds = printed.solveMillis / 1000;
        const input = readSharedWorkload(from, workload);
        const [pods, claims, ratio] = [input.pods.length, printed.nodeClaims.length, price / karpenter];
        rows.push({ workload, pods, claims, price, lowerBound, karpenter, ratio, seconds });
        const result = solve(input);
        expect(result.claims.map(({ name, pods: inside }) => [name, inside])).toEqual(
          printed.nodeClaims.map(({ name, pods: inside }) => [name, inside]),
        );
        expect(violations(input, result)).toBe('');
        expect(printed.unschedulable).toEqual([]);
        expect(price).toBeLessThanOrEqual(karpenter);
        expect(seconds).toBeLessThan(MOST_SECONDS);
      },
      3 * MINUTES,
    );
  });
}

if (folder !== undefined) describeShared(folder);
