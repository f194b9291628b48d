import { ZonalShiftController } from '../../../src/controllers/zonal-shift/zonal-shift-controller.js';
import { PortError } from '../../../src/ports/port-error.js';
import type { ZonalShift } from '../../../src/ports/zonal-shifts.js';
import { createMetrics } from '../../../src/runtime/metrics/metrics.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { UnavailableOfferings } from '../../../src/state/nodes/unavailable-offerings.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const AWAY_FROM_A: ZonalShift = { zone: 'us-east-1a', zoneID: 'use1-az1' };

function shifting() {
  const clock = new VirtualClock();
  const told = recordedDecisions();
  const log = recordingLogger();
  const metrics = createMetrics();
  const unavailableOfferings = new UnavailableOfferings({ awaitsShifts: true });
  const cloud = { answer: [] as readonly ZonalShift[] | PortError, asked: 0 };
  const controller = new ZonalShiftController({
    shifts: {
      current: () => {
        cloud.asked++;
        return cloud.answer instanceof PortError
          ? Promise.reject(cloud.answer)
          : Promise.resolve(cloud.answer);
      },
    },
    ...{ unavailableOfferings, cluster: new Cluster(), clock, metrics },
    ...{ recorder: told.recorder, logger: log.logger, namespace: 'berth-system' },
  });
  const isOut = (zone: string): boolean =>
    unavailableOfferings.isUnavailable('m5.large', zone, 'on-demand', clock.now());
  return { clock, cloud, controller, told, log, metrics, unavailableOfferings, isOut };
}

function refused(code: 'Forbidden' | 'Unavailable'): PortError {
  return new PortError(code, { operation: 'arc-zonal-shift:GetManagedResource', message: 'no' });
}

test('no offering of the zone is available as long as the cluster is shifted away from it', async () => {
  const { clock, cloud, controller, told, metrics, unavailableOfferings, isOut } = shifting();
  const abort = new AbortController();
  const ended = controller.run(abort.signal);
  await clock.advance(1000);
  expect(isOut('us-east-1a')).toBe(false);
  const before = unavailableOfferings.version(clock.now());
  cloud.answer = [AWAY_FROM_A];
  await clock.advance(60_000);
  expect([isOut('us-east-1a'), isOut('us-east-1b')]).toEqual([true, false]);
  expect(unavailableOfferings.version(clock.now())).not.toBe(before);
  expect(await metrics.zonalShift.get()).toMatchObject({
    values: [{ labels: { zone: 'us-east-1a' }, value: 1 }],
  });
  cloud.answer = [];
  await clock.advance(30_000);
  expect(isOut('us-east-1a')).toBe(false);
  expect((await metrics.zonalShift.get()).values).toEqual([]);
  expect(told.decisions.map(({ reason }) => reason)).toEqual(['ZonalShiftActive', 'ZonalShiftCleared']);
  abort.abort();
  await ended;
});

test('what was known stays while there is no answer, which is said once', async () => {
  const { cloud, controller, told, log, isOut } = shifting();
  const { signal } = new AbortController();
  cloud.answer = [AWAY_FROM_A];
  await controller.look(signal);
  cloud.answer = refused('Unavailable');
  for (let round = 0; round < 3; round++) await controller.look(signal);
  expect(isOut('us-east-1a')).toBe(true);
  cloud.answer = [AWAY_FROM_A];
  await controller.look(signal);
  expect(told.decisions).toHaveLength(1);
  expect(log.lines.map(({ message }) => message)).toEqual([
    'Zonal shift: launching nothing in the zone, and pausing consolidation',
    'Failed to read zonal shifts; keeping those last known',
    'Resumed reading zonal shifts',
  ]);
});

test.each([
  ['the first answer', [AWAY_FROM_A], ['us-east-1a']],
  ['the first failure', refused('Unavailable'), []],
] as const)('which zones are shifted away from is not known until %s', async (_, answer, zones) => {
  const { cloud, controller, unavailableOfferings } = shifting();
  expect(unavailableOfferings.shiftedZones).toBeUndefined();
  cloud.answer = answer;
  await controller.look(new AbortController().signal);
  expect([...(unavailableOfferings.shiftedZones ?? ['unknown'])]).toEqual(zones);
});

test('a role that may not ask is asked for again after ten minutes', async () => {
  const { clock, cloud, controller } = shifting();
  const { signal } = new AbortController();
  cloud.answer = refused('Forbidden');
  await controller.look(signal);
  await clock.advance(599_000);
  await controller.look(signal);
  expect(cloud.asked).toBe(1);
  await clock.advance(1000);
  await controller.look(signal);
  expect(cloud.asked).toBe(2);
});
