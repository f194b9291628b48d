import {
  bufferReplicas,
  isVirtualPodKey,
  MOST_BUFFER_PODS,
  namedBuffers,
  virtualPods,
  type CapacityBuffer,
} from '../../../src/domain/pods/capacity-buffer.js';
import { podKey } from '../../../src/domain/pods/pod.js';
import { pod } from '../../support/builders/pod.js';

type Asked = Partial<Pick<CapacityBuffer, 'replicas' | 'percentage' | 'limits'>>;

const TEN = { replicas: 10 };
const spec = pod({ requests: { cpu: '500m', memory: '1Gi' }, labels: { app: 'web' } }).spec;

function replicasOf(asked: Asked, workload: { readonly replicas?: number } = {}): number {
  const { replicas, percentage, limits = new Map() } = asked;
  return bufferReplicas(
    { replicas, percentage, limits },
    { spec, generation: 1, replicas: workload.replicas },
  );
}

describe('a buffer is for', () => {
  test.each<[string, Asked, { readonly replicas?: number }, number]>([
    ['its replicas', { replicas: 4 }, {}, 4],
    ['a percentage of the workload, rounded up', { percentage: 11 }, TEN, 2],
    ['one pod at the least share', { percentage: 1 }, { replicas: 1 }, 1],
    ['nothing where the workload has no replicas', { percentage: 50 }, { replicas: 0 }, 0],
    ['nothing at 0 percent', { percentage: 0 }, TEN, 0],
    ['the larger of replicas and percentage', { replicas: 3, percentage: 50 }, TEN, 5],
    ['its replicas where the percentage is less', { replicas: 3, percentage: 10 }, TEN, 3],
    ['no more than its limits', { replicas: 9, limits: new Map([['cpu', 1900]]) }, {}, 3],
    [
      'the least that any of the limits has room for',
      {
        replicas: 9,
        limits: new Map([
          ['cpu', 9000],
          ['memory', 2 * 2 ** 30],
        ]),
      },
      {},
      2,
    ],
    ['as many as its limits have room for', { limits: new Map([['cpu', 2600]]) }, {}, 5],
    ['nothing where a limit is 0', { replicas: 2, limits: new Map([['cpu', 0]]) }, {}, 0],
    ['what no limit is about', { replicas: 2, limits: new Map([['nvidia.com/gpu', 1]]) }, {}, 2],
    ['nothing where nothing is said', {}, {}, 0],
    ['a thousand pods at most', { replicas: 2_000_000_000 }, {}, MOST_BUFFER_PODS],
  ])('%s', (_what, asked, workload, expected) => {
    expect(replicasOf(asked, workload)).toBe(expected);
  });
});

test('virtual pods have one spec of the lowest priority, no labels, and names that no pod can have', () => {
  const pods = virtualPods({ namespace: 'shop', name: 'spare', count: 2, spec });
  expect(pods.map(podKey)).toEqual(['shop/spare#1', 'shop/spare#2']);
  expect(new Set(pods.map((each) => each.spec)).size).toBe(1);
  expect(pods[0]?.spec).toMatchObject({ priority: -2147483648, labels: new Map(), requests: spec.requests });
  expect(pods.map(podKey).every(isVirtualPodKey)).toBe(true);
  expect(isVirtualPodKey('shop/spare-1')).toBe(false);
});

test('the buffers of some pods are named once each', () => {
  expect(namedBuffers(['a/x#1', 'a/x#2', 'a/web-1', 'b/y#1'])).toBe('a/x, b/y');
});
