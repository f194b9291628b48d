import { FailureLog } from '../../../world/demo/account/failure-log.js';

let told: string[];
let failures: FailureLog;

beforeEach(() => {
  told = [];
  failures = new FailureLog((line) => told.push(line));
});

function line(fields: object): string {
  return JSON.stringify({ time: '2026-01-01T00:00:00.000Z', ...fields });
}

describe("failures of Berth's process", () => {
  test('are logged once for each cause, and counted', () => {
    const failed = {
      level: 'warn',
      message: 'Failed to provision part of a batch',
      error: { message: 'no answer' },
    };
    for (const each of [failed, failed, { level: 'error', message: 'planning failed' }])
      failures.logged(line(each));
    expect(told).toEqual([
      'Berth failed: Failed to provision part of a batch: no answer',
      'Berth failed: planning failed',
    ]);
    expect(failures.finding()).toMatchObject({ seen: '3 failures of 2 kinds', isMet: false });
  });

  test('are none where it only says what it does, or refuses', () => {
    failures.logged(line({ level: 'info', message: 'leading' }));
    failures.logged(line({ level: 'warn', message: 'decided', action: 'Refuse' }));
    failures.logged('');
    expect(told).toEqual([]);
    expect(failures.finding()).toMatchObject({ seen: 'none', isMet: true });
  });

  test('are a lost lead, an end of the process, and what it says when it crashes', () => {
    failures.logged(line({ level: 'info', message: 'Stopped leading', error: { message: 'no renewal' } }));
    failures.ended('exit code 1');
    failures.logged("TypeError: cannot read 'x' of undefined");
    expect(told).toEqual([
      'Berth failed: Stopped leading: no renewal',
      'Berth failed: the process exited (exit code 1) and is restarted',
      "Berth failed: TypeError: cannot read 'x' of undefined",
    ]);
  });
});
