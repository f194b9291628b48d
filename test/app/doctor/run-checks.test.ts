/** Checks do not stop each other: what one throws is its own finding, and none is waited for without end. */
import { check, liveCheck, type Subject } from '../../../src/app/doctor/doctor-check.js';
import { runChecks } from '../../../src/app/doctor/run-checks.js';
import { manifestSubject } from '../../../src/app/doctor/subject/manifest-subject.js';
import { ok } from '../../../src/domain/records/check-finding.js';
import { PortError } from '../../../src/ports/port-error.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const SUBJECT: Subject = {
  ...manifestSubject({ texts: [], namespace: 'berth-system', schedulerConfigurations: [] }),
  live: {
    ask: () =>
      Promise.reject(new PortError('Unavailable', { operation: 'ask', message: 'connection refused' })),
    connect: () => Promise.resolve(200),
    now: () => 0,
    monotonic: () => 0,
  },
};

const fine = check('fine', () => Promise.resolve([ok('well')]));

async function outcomes(...checks: Parameters<typeof runChecks>[0][number]['checks']) {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  const found = runChecks([{ group: 'g', checks }], SUBJECT, { clock, signal });
  await clock.advance(60_000);
  return (await found).map(({ check: name, result, evidence }) => `${name} ${result}: ${evidence}`);
}

test('a check that is forbidden to look is skipped, with the reason, and the next is run', async () => {
  const forbidden = check('secret', () =>
    Promise.reject(new PortError('Forbidden', { operation: 'get secrets/x', message: '403 no' })),
  );
  expect(await outcomes(forbidden, fine)).toEqual([
    'secret skipped: not seen: get secrets/x: 403 no',
    'fine ok: well',
  ]);
});

test('a check that fails is a finding of its own, and the next is run', async () => {
  const broken = liveCheck('live', async ({ live }) => {
    await live.ask({ method: 'GET', path: '/version' });
    return [];
  });
  expect(await outcomes(broken, fine)).toEqual(['live failed: ask: connection refused', 'fine ok: well']);
});

test('a check that does not end is given up, and the next is run', async () => {
  const endless = check('endless', () => new Promise(() => undefined));
  expect(await outcomes(endless, fine)).toEqual([
    'endless failed: check endless: no answer after 15000 milliseconds',
    'fine ok: well',
  ]);
});

test('where the API server does not answer, that is said once', async () => {
  const clock = new VirtualClock();
  const { signal } = new AbortController();
  const gate = liveCheck('api-server', async ({ live }) => {
    await live.ask({ method: 'GET', path: '/version' });
    return [];
  });
  const groups = [
    { group: 'api-server', checks: [gate], isGate: true } as const,
    { group: 'g', checks: [fine] },
  ];
  const found = await runChecks(groups, SUBJECT, { clock, signal });
  expect(found.map(({ check: name, result }) => [name, result])).toEqual([
    ['api-server', 'failed'],
    ['others', 'skipped'],
  ]);
});
