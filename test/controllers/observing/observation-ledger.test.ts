/** The sums of an observation over time, restarts and gaps. */
import type { FleetCost } from '../../../src/controllers/observing/fleet-cost.js';
import { ObservationLedger } from '../../../src/controllers/observing/observation-ledger.js';

const HOUR = 3_600_000;
const START = Date.UTC(2026, 0, 1);

function fleet(hourly: number, nodes = 1): FleetCost {
  const types = new Map([[`m5.${String(nodes)}xlarge on-demand`, { nodes, price: hourly / nodes }]]);
  return { hourly, nodes, unpriced: 0, types };
}

function fleets(current: number, berth: number) {
  return { current: fleet(current, 2), berth: fleet(berth), unplacedPods: 0 };
}

test('each side costs what it cost at the look before', () => {
  const ledger = new ObservationLedger(HOUR, undefined);
  ledger.look('karpenter', fleets(6, 6), START);
  ledger.look('karpenter', fleets(6, 4), START + HOUR / 6);
  ledger.look('karpenter', fleets(3, 2), START + HOUR / 3);
  expect(ledger.content?.total).toMatchObject({ seconds: 1200, currentUsd: 2 });
  expect(ledger.content?.total.berthUsd).toBeCloseTo(1 + 4 / 6, 9);
  expect(ledger.content?.now).toMatchObject({ currentHourly: 3, berthHourly: 2 });
  expect(ledger.content?.types).toEqual([
    { instanceType: 'm5.2xlarge', capacityType: 'on-demand', current: 2, berth: 0 },
    { instanceType: 'm5.1xlarge', capacityType: 'on-demand', current: 0, berth: 1 },
  ]);
});

test('a period is answered once, when the next has begun', () => {
  const ledger = new ObservationLedger(HOUR, undefined);
  const ended = [0, 20, 40, 59, 61, 80].map((minute) =>
    ledger.look('karpenter', fleets(1, 1), START + minute * 60_000),
  );
  expect(ended.map((period) => period?.from)).toEqual([
    ...[undefined, undefined, undefined, undefined],
    START,
    undefined,
  ]);
});

test('a process that starts again continues the sums, and does not count the time in between', () => {
  const before = new ObservationLedger(HOUR, undefined);
  before.look('karpenter', fleets(6, 3), START);
  before.count({ berthLaunches: 2 });
  before.look('karpenter', fleets(6, 3), START + HOUR / 6);
  const after = new ObservationLedger(HOUR, before.content);
  after.look('karpenter', fleets(6, 3), START + HOUR / 2);
  after.look('karpenter', fleets(6, 3), START + (2 * HOUR) / 3);
  expect(after.content).toMatchObject({
    since: START,
    total: { seconds: 1200, currentUsd: 2, berthUsd: 1, berthLaunches: 2 },
    periods: [{ from: START, seconds: 1200 }],
  });
});

test('time in which nothing could be seen is not counted', () => {
  const ledger = new ObservationLedger(HOUR, undefined);
  ledger.look('karpenter', fleets(6, 3), START);
  ledger.interrupt();
  ledger.look('karpenter', fleets(6, 3), START + HOUR / 6);
  ledger.look('karpenter', fleets(6, 3), START + 10 * HOUR);
  expect(ledger.content?.total).toMatchObject({ seconds: 0, currentUsd: 0 });
});

test('the last actions are kept, the newest first, each with a bounded number of names', () => {
  const ledger = new ObservationLedger(HOUR, undefined);
  ledger.look('karpenter', fleets(6, 3), START);
  const nodes = Array.from({ length: 50 }, (_, index) => `node-${String(index)}`);
  for (let index = 0; index < 30; index++)
    ledger.act({ time: START + index, reason: 'Underutilized', nodes, instanceTypes: [], saving: 1 });
  ledger.look('karpenter', fleets(6, 3), START + 60_000);
  expect(ledger.content?.actions).toHaveLength(20);
  expect(ledger.content?.actions[0]).toMatchObject({ time: START + 29, nodes: nodes.slice(0, 10) });
});

test('what Berth would do at once, before both sides are looked at for the first time, is told as well', () => {
  const ledger = new ObservationLedger(HOUR, undefined);
  ledger.act({ time: START, reason: 'Underutilized', nodes: ['a'], instanceTypes: [], saving: 1 });
  ledger.look('karpenter', fleets(6, 3), START);
  expect(ledger.content?.actions).toMatchObject([{ reason: 'Underutilized', nodes: ['a'] }]);
});
