import {
  decodeBufferTemplate,
  decodeCapacityBuffer,
  encodeCapacityBufferStatus,
} from '../../../src/apis/autoscaling/capacity-buffer.js';
import type { CapacityBuffer } from '../../../src/domain/pods/capacity-buffer.js';

const V1BETA1 = 'autoscaling.x-k8s.io/v1beta1';
const metadata = { namespace: 'shop', name: 'spare', uid: 'u', resourceVersion: '7', generation: 3 };
const status = {
  podTemplateRef: { name: 'web' },
  podTemplateGeneration: 2,
  replicas: 4,
  provisioningStrategy: 'buffer.x-k8s.io/active-capacity',
  conditions: [
    {
      type: 'ReadyForProvisioning',
      status: 'True',
      reason: 'Resolved',
      message: 'it is for 4 pods',
      lastTransitionTime: '2026-01-01T00:00:00Z',
      observedGeneration: 3,
    },
  ],
};

describe('a CapacityBuffer', () => {
  test('is read with its template, its size and its status, which is written as it was read', () => {
    const spec = { podTemplateRef: { name: 'web' }, replicas: 4, limits: { cpu: '2', memory: '0' } };
    const { value, findings } = decodeCapacityBuffer(V1BETA1, { metadata, spec, status });
    expect(findings).toEqual([]);
    expect(value).toMatchObject({
      ...metadata,
      apiVersion: V1BETA1,
      strategy: 'buffer.x-k8s.io/active-capacity',
      template: { kind: 'PodTemplate', apiGroup: '', name: 'web' },
      replicas: 4,
      percentage: undefined,
      limits: new Map([
        ['memory', 0],
        ['cpu', 2000],
      ]),
    });
    expect(value && encodeCapacityBufferStatus(value.status)).toEqual(status);
  });

  test('may be for a share of a workload, and of a strategy that is not ours', () => {
    const scalableRef = { apiGroup: 'apps', kind: 'Deployment', name: 'web' };
    const spec = { scalableRef, percentage: 20, provisioningStrategy: 'example.com/other' };
    const { value } = decodeCapacityBuffer(V1BETA1, { metadata, spec });
    expect(value).toMatchObject({ template: scalableRef, percentage: 20, strategy: 'example.com/other' });
  });

  test.each<[string, object, string]>([
    ['replicas below nothing', { replicas: -1 }, 'must be at least 0, not -1'],
    ['a limit that is no quantity', { limits: { cpu: 'much' } }, 'must be a quantity'],
  ])('with %s is read as though that were not there, and it is reported', (_what, spec, text) => {
    const { value, findings } = decodeCapacityBuffer(V1BETA1, { metadata, spec });
    expect(value).toMatchObject({ replicas: undefined, limits: new Map() });
    expect(findings.map((finding) => finding.text).join()).toContain(text);
  });
});

describe('the schedule of a CapacityBuffer', () => {
  function windowOf(annotations: Readonly<Record<string, string>>): CapacityBuffer['window'] {
    return decodeCapacityBuffer(V1BETA1, { metadata: { ...metadata, annotations } }).value?.window;
  }

  test('is read with its duration and its time zone', () => {
    const schedule = { 'berth.sh/buffer-schedule': '0 8 * * 1-5', 'berth.sh/buffer-duration': '10h' };
    expect(windowOf({})).toBeUndefined();
    expect(windowOf(schedule)).toEqual({
      schedule: { text: '0 8 * * 1-5', timeZone: 'UTC' },
      durationSeconds: 36_000,
    });
    expect(windowOf({ ...schedule, 'berth.sh/buffer-time-zone': 'Europe/Paris' })).toMatchObject({
      schedule: { timeZone: 'Europe/Paris' },
    });
  });

  test.each([
    ['no schedule', { 'berth.sh/buffer-duration': '8h' }, 'berth.sh/buffer-schedule is missing'],
    ['no duration', { 'berth.sh/buffer-schedule': '@daily' }, 'must be a duration such as 8h'],
    [
      'a schedule that is none',
      { 'berth.sh/buffer-schedule': 'daily', 'berth.sh/buffer-duration': '8h' },
      'schedule "daily"',
    ],
    [
      'a time zone that is none',
      {
        'berth.sh/buffer-schedule': '@daily',
        'berth.sh/buffer-duration': '8h',
        'berth.sh/buffer-time-zone': 'Mars/Olympus',
      },
      'Mars/Olympus',
    ],
  ])('with %s is no schedule, and has the reason', (_what, annotations, text) => {
    expect(windowOf(annotations as Readonly<Record<string, string>>)).toContain(text);
  });
});

describe('what a buffer is for', () => {
  const template = {
    metadata: { labels: { app: 'web' } },
    spec: { containers: [{ name: 'web', resources: { requests: { cpu: '250m' } } }] },
  };

  test('is the template of a PodTemplate', () => {
    const { value } = decodeBufferTemplate('PodTemplate', { metadata, template });
    expect(value).toMatchObject({ generation: 3, replicas: undefined });
    expect(value?.spec.requests.get('cpu')).toBe(250);
    expect(value?.spec.labels.size).toBe(0);
  });

  test('is the template of a workload, with its replicas', () => {
    const read = (spec: object): number | undefined =>
      decodeBufferTemplate('Deployment', { metadata, spec: { ...spec, template } }).value?.replicas;
    expect([read({ replicas: 5 }), read({})]).toEqual([5, 1]);
  });

  test('is nothing where there is no template', () => {
    expect(decodeBufferTemplate('StatefulSet', { metadata, spec: {} }).value).toBeUndefined();
  });
});
