/** Names and lifetimes of certificates. */
import * as fc from 'fast-check';
import {
  CERTIFICATE_FILES,
  DAY_MILLIS,
  fileNames,
  leafProfiles,
  validityFrom,
} from '../../../src/servers/tls/certificate-profile.js';

describe('leafProfiles', () => {
  test('names both services in their namespace, and this machine only when local', () => {
    const names = (local: boolean) =>
      leafProfiles({ namespace: 'ns', local }).map((profile) => [profile.commonName, ...profile.names]);
    const inCluster = (service: string) => [
      service,
      service,
      `${service}.ns`,
      `${service}.ns.svc`,
      `${service}.ns.svc.cluster.local`,
    ];
    const local = ['localhost', '127.0.0.1', '::1'];
    const [webhook, extender] = [inCluster('berth-webhook'), inCluster('berth-extender')];
    expect(names(false)).toEqual([webhook, extender, ['berth-scheduler']]);
    expect(names(true)).toEqual([[...webhook, ...local], [...extender, ...local], ['berth-scheduler']]);
  });

  test('are the files of the set, beside the CA', () => {
    const files = ['ca', ...leafProfiles({ namespace: 'ns', local: true }).map(({ file }) => file)];
    expect(files.flatMap((file) => Object.values(fileNames(file)))).toEqual(CERTIFICATE_FILES);
  });
});

describe('validityFrom', () => {
  const moments = fc.integer({ min: Date.UTC(2020, 0), max: Date.UTC(2040, 0) });

  test('starts five minutes early, in whole seconds, and lasts the days asked for', () => {
    fc.assert(
      fc.property(moments, fc.integer({ min: 1, max: 90 }), (now, days) => {
        const { notBefore, notAfter } = validityFrom(now, days);
        expect(notBefore % 1000).toBe(0);
        expect(now - notBefore).toBeGreaterThanOrEqual(300_000);
        expect(now - notBefore).toBeLessThan(301_000);
        expect(notAfter - notBefore).toBe(days * DAY_MILLIS);
      }),
    );
  });

  test('never outlives the CA', () => {
    const latest = Date.UTC(2030, 0, 10);
    expect(validityFrom(Date.UTC(2030, 0, 1), 90, latest).notAfter).toBe(latest);
    expect(validityFrom(Date.UTC(2030, 0, 1), 9, latest).notAfter).toBeLessThan(latest);
  });
});
