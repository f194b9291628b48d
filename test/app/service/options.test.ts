/** What the long-running commands understand. */
import fc from 'fast-check';
import { DEFAULT_APPROVAL_SETTINGS } from '../../../src/controllers/approval/approval-settings.js';
import { DEFAULT_SAFETY_LIMITS } from '../../../src/controllers/safeguards/safety-limits.js';
import { parseArguments } from '../../../src/app/command/parse-arguments.js';
import { UsageError } from '../../../src/app/command/usage-error.js';
import {
  EXTENDER_FLAGS,
  readServiceOptions,
  SERVICE_FLAGS,
} from '../../../src/app/service/options/options.js';
import type { ServiceOptions } from '../../../src/app/service/options/service-options.js';

function options(argv: readonly string[], env: Readonly<Record<string, string>> = {}): ServiceOptions {
  return readServiceOptions(parseArguments(argv, { flags: SERVICE_FLAGS, maxWords: 0 }), env);
}

describe('readServiceOptions', () => {
  test('answers the documented defaults when nothing is said', () => {
    expect(options([])).toMatchObject({
      roles: ['loops', 'webhooks', 'extender', 'metrics', 'dashboard'],
      namespace: 'berth-system',
      webhookAddress: { host: '', port: 9443 },
      extenderAddress: { host: '', port: 9444 },
      metricsAddress: { host: '', port: 8080 },
      healthAddress: { host: '', port: 8081 },
      dashboardAddress: { host: '127.0.0.1', port: 8090 },
      batchIdleMillis: 1000,
      batchMaxMillis: 10_000,
      nominate: true,
      schedulers: ['default-scheduler', 'berth-scheduler'],
      leastPriority: undefined,
      rebalance: 'report',
      decisionsKept: 5000,
      ...DEFAULT_SAFETY_LIMITS,
      mode: 'act',
      ...DEFAULT_APPROVAL_SETTINGS,
    });
  });

  test('a secret is read from its variable or a file, and is part of no message', () => {
    const url = 'https://hooks.example.com/secret';
    expect(options([], { BERTH_NOTIFY_URL: url }).notifyURL?.()).toBe(url);
    expect(JSON.stringify(options([], { BERTH_NOTIFY_URL: url }))).not.toContain('secret');
    const refused = (argv: readonly string[], env: Readonly<Record<string, string>>): string => {
      try {
        options(argv, env);
      } catch (error) {
        return String(error);
      }
      return '';
    };
    expect(refused([], { BERTH_NOTIFY_URL: 'secret' })).toMatch(/BERTH_NOTIFY_URL: expected @FILE, https:/);
    expect(refused(['--notify-url', url], {})).toMatch(/--notify-url: expected @FILE; other users/);
    for (const text of [refused([], { BERTH_NOTIFY_URL: 'secret' }), refused(['--notify-url', url], {})])
      expect(text).not.toContain('secret');
  });

  test('reads thresholds, of which 0 is one, and times in minutes', () => {
    const argv = ['--mode', 'approve', '--approve-above-price', '0.5', '--approve-above-nodes', '0'];
    expect(options([...argv, '--approve-after', '15', '--reject-for', '60'])).toMatchObject({
      mode: 'approve',
      approveAbovePrice: 0.5,
      approveAboveNodes: 0,
      approveAboveEvictions: undefined,
      approveAfterMillis: 900_000,
      rejectionMillis: 3_600_000,
    });
  });

  test('a flag wins over its variable, and that over the default', () => {
    const env = { AWS_REGION: 'eu-west-3', BATCH_IDLE_SECONDS: '0.25' };
    expect(options([], env)).toMatchObject({
      cloudOptions: { region: 'eu-west-3' },
      batchIdleMillis: 250,
    });
    expect(options(['--region', 'eu-west-1'], env).cloudOptions['region']).toBe('eu-west-1');
  });

  test('a process that observes has neither webhooks nor an extender', () => {
    expect(options(['--mode', 'observe'])).toMatchObject({
      mode: 'observe',
      roles: ['loops', 'metrics', 'dashboard'],
    });
    expect(options(['--mode', 'observe', '--roles', 'loops']).roles).toEqual(['loops']);
    expect(() => options(['--mode', 'observe', '--roles', 'loops,extender'])).toThrow(
      '--roles loops,extender: --mode observe serves no webhooks and no extender',
    );
  });

  test.each([
    [
      ['--roles', 'loops,cooking'],
      '--roles loops,cooking: expected a list of loops, webhooks, extender, metrics, dashboard',
    ],
    [['--webhook-address', '9443'], '--webhook-address 9443: expected HOST:PORT, such as 127.0.0.1:9444'],
    [['--batch-idle', '0'], '--batch-idle 0: expected seconds above 0, such as 1 or 0.5'],
    [['--kube-qps', '-1'], '--kube-qps -1: expected a whole number from 1 to 999999'],
    [
      ['--max-nodes-per-minute', '0'],
      '--max-nodes-per-minute 0: expected a whole number from 1 to 999999999',
    ],
    [['--mode', 'ask'], '--mode ask: expected one of act, approve, observe'],
    [
      ['--approve-above-price', '5USD'],
      '--approve-above-price 5USD: expected USD per hour, such as 10 or 0.5',
    ],
    [
      ['--approve-above-evictions', '1.5'],
      '--approve-above-evictions 1.5: expected a whole number from 0 to 999999999',
    ],
    [['--proposal-expiry', '0'], '--proposal-expiry 0: expected a whole number of minutes from 1 to 999999'],
    [['--max-orphan-percent', '101'], '--max-orphan-percent 101: expected a whole number from 1 to 100'],
    [
      ['--admin-address', ':8082'],
      '--admin-address :8082: expected an address of loopback, such as 127.0.0.1:8082',
    ],
    [['--nominate', 'maybe'], '--nominate maybe: expected one of yes, no'],
    [
      ['--schedulers', 'default-scheduler,,'],
      '--schedulers default-scheduler,,: expected names of schedulers such as default-scheduler,my-scheduler',
    ],
    [['--least-priority', 'low'], '--least-priority low: expected a priority such as -10 or 0'],
  ])('%j is refused in words', (argv, message) => {
    expect(() => options(argv)).toThrow(new UsageError(message));
  });

  test('a wrong variable is named as such', () => {
    expect(() => options([], { LOG_LEVEL: 'loud' })).toThrow('LOG_LEVEL loud: expected one of debug, info');
  });

  test('any text for a number is either understood or refused as usage', () => {
    const outcome = (text: string): unknown => {
      try {
        return options([], { BATCH_MAX_SECONDS: text }).batchMaxMillis > 0;
      } catch (error) {
        return error instanceof UsageError;
      }
    };
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (text) => {
        expect(outcome(text)).toBe(true);
      }),
    );
  });

  test('the extender takes the flags of a reader, and no others', () => {
    const names = EXTENDER_FLAGS.map(({ name }) => name);
    expect(names).toContain('extender-address');
    expect(names).not.toContain('cloud');
    expect(names).not.toContain('roles');
    const address = EXTENDER_FLAGS.find(({ name }) => name === 'extender-address');
    expect(address?.help).toContain('default: 127.0.0.1:9444');
  });
});
