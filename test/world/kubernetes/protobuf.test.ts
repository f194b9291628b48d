/** Objects in protobuf, as kubectl sends what it makes itself. */
import { decodeProtobuf } from '../../../world/kubernetes/protobuf/decode-protobuf.js';
import { Simulated } from './simulated.js';

type Part = readonly [field: number, value: number | string | Buffer];

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left >= 0x80; left = Math.floor(left / 0x80)) bytes.push((left % 0x80) | 0x80);
  return Buffer.from([...bytes, left]);
}

function message(...parts: readonly Part[]): Buffer {
  const encoded = parts.map(([field, value]) => {
    if (typeof value === 'number') return Buffer.concat([varint(field * 8), varint(value)]);
    const bytes = Buffer.from(value as string);
    return Buffer.concat([varint(field * 8 + 2), varint(bytes.length), bytes]);
  });
  return Buffer.concat(encoded);
}

function object(apiVersion: string, kind: string, raw: Buffer): Buffer {
  const typeMeta = message([1, apiVersion], [2, kind]);
  return Buffer.concat([Buffer.from('k8s\0'), message([1, typeMeta], [2, raw], [3, ''], [4, ''])]);
}

const META = message([1, 'web'], [3, 'team'], [7, 0], [8, message()], [11, message([1, 'app'], [2, 'wéb'])]);

describe('decodeProtobuf', () => {
  test('reads maps, and leaves out what says nothing', () => {
    const raw = message(
      [1, META],
      [2, message([1, 'key'], [2, 'value'])],
      [2, message([1, 'empty'], [2, ''])],
    );
    expect(decodeProtobuf(object('v1', 'ConfigMap', raw))).toEqual({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'web', namespace: 'team', labels: { app: 'wéb' } },
      data: { key: 'value', empty: '' },
    });
  });

  test('keeps a grace period of nothing, and numbers that may be texts', () => {
    const options = message([1, 0], [2, message([1, 'u'])]);
    expect(decodeProtobuf(object('policy/v1', 'Eviction', message([1, META], [2, options])))).toMatchObject({
      deleteOptions: { gracePeriodSeconds: 0, preconditions: { uid: 'u' } },
    });
    const spec = (part: Part): unknown =>
      decodeProtobuf(object('policy/v1', 'PodDisruptionBudget', message([1, META], [2, message(part)])))[
        'spec'
      ];
    expect(spec([1, message([1, 0], [2, 0], [3, ''])])).toEqual({ minAvailable: 0 });
    expect(spec([3, message([1, 1], [2, 0], [3, '50%'])])).toEqual({ maxUnavailable: '50%' });
  });

  test('reads the pod that kubectl debug makes on a node: its host volume is a field of the volume', () => {
    const volume = message([1, 'host-root'], [2, message([1, message([1, '/'], [2, ''])])]);
    const container = message(
      [1, 'debugger'],
      [9, message([1, 'host-root'], [3, '/host'])],
      [16, 1],
      [18, 1],
    );
    const toleration = message([2, 'Exists']);
    const spec = message([1, volume], [2, container], [10, 'node-1'], [12, 1], [22, toleration]);
    expect(decodeProtobuf(object('v1', 'Pod', message([1, META], [2, spec])))['spec']).toEqual({
      volumes: [{ name: 'host-root', hostPath: { path: '/' } }],
      containers: [
        {
          name: 'debugger',
          volumeMounts: [{ name: 'host-root', mountPath: '/host' }],
          stdin: true,
          tty: true,
        },
      ],
      nodeName: 'node-1',
      hostPID: true,
      tolerations: [{ operator: 'Exists' }],
    });
  });

  test('reads the question who one is', () => {
    const raw = message([1, message()], [2, message([1, message()])]);
    expect(decodeProtobuf(object('authentication.k8s.io/v1', 'SelfSubjectReview', raw))).toMatchObject({
      kind: 'SelfSubjectReview',
    });
  });

  test.each([
    ['another beginning', Buffer.from('{}')],
    ['a kind that is not known', object('v1', 'Widget', message())],
    ['a field that is not known', object('v1', 'ConfigMap', message([9, 'x']))],
    ['a message that is cut off', object('v1', 'ConfigMap', message([1, META]).subarray(0, 10))],
  ])('refuses %s', (_, bytes) => {
    expect(() => decodeProtobuf(bytes)).toThrow('cannot be read as protobuf here; application/json can');
  });
});

test('a body of bytes arrives as it was sent', async () => {
  const simulated = new Simulated();
  const raw = message([1, message([1, 'web'])], [2, message([1, 'key'], [2, 'ü'])]);
  const answer = await simulated.api.handle(
    {
      method: 'POST',
      path: '/api/v1/namespaces/default/configmaps',
      headers: { 'content-type': 'application/vnd.kubernetes.protobuf' },
      body: object('v1', 'ConfigMap', raw).toString('latin1'),
    },
    new AbortController().signal,
  );
  expect(answer.status).toBe(201);
  expect(simulated.api.get('configmaps', { namespace: 'default', name: 'web' })?.['data']).toEqual({
    key: 'ü',
  });
});
