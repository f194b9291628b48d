import fc from 'fast-check';
import { decodePod } from '../../../../src/apis/kubernetes/pods/pod.js';
import { container, podManifest, type Manifest } from '../manifests.js';

const GI = 2 ** 30;
const MI = 2 ** 20;

/** Requests of a pod with this spec and status, `pods` left out. */
function requestsOf(spec: Manifest, status?: Manifest): Record<string, number> {
  const { value, findings } = decodePod(podManifest({ spec, ...(status && { status }) }));
  expect(findings).toEqual([]);
  return Object.fromEntries([...(value?.spec.requests ?? [])].filter(([name]) => name !== 'pods'));
}

function sidecar(requests: Manifest, name = 'sidecar'): Manifest {
  return container(requests, { name, restartPolicy: 'Always' });
}

function resized(name: string, resources: Manifest, allocatedResources?: Manifest): Manifest {
  return { name, resources: { requests: resources }, ...(allocatedResources && { allocatedResources }) };
}

const INFEASIBLE = [{ type: 'PodResizePending', status: 'True', reason: 'Infeasible' }];
const DEFERRED = [{ type: 'PodResizePending', status: 'True', reason: 'Deferred' }];

interface Case {
  readonly says: string;
  readonly spec: Manifest;
  readonly status?: Manifest;
  readonly gives: Record<string, number>;
}

const CONTAINERS: readonly Case[] = [
  { says: 'nothing for containers that ask for nothing', spec: {}, gives: {} },
  {
    says: 'the sum over containers',
    spec: { containers: [container({ cpu: '500m', memory: '1Gi' }), container({ cpu: 1, memory: '512Mi' })] },
    gives: { cpu: 1500, memory: 1.5 * GI },
  },
  {
    says: 'limits where a request is missing, resource by resource',
    spec: { containers: [container({ cpu: '100m' }, { limits: { cpu: '2', memory: '1Gi' } })] },
    gives: { cpu: 100, memory: GI },
  },
  {
    says: 'a request of zero although there is a limit',
    spec: { containers: [container({ cpu: '0' }, { limits: { cpu: '2' } })] },
    gives: {},
  },
  {
    says: 'limits of init containers too',
    spec: {
      initContainers: [{ name: 'i', resources: { limits: { cpu: '3' } } }],
      containers: [container({ cpu: '1' })],
    },
    gives: { cpu: 3000 },
  },
  {
    says: 'parts of a millicore added up before they are rounded',
    spec: { containers: [container({ cpu: '0.5m' }), container({ cpu: '0.0005' })] },
    gives: { cpu: 1 },
  },
  {
    says: 'parts of a millicore rounded up',
    spec: { containers: [container({ cpu: '100500u', memory: '1500m' })] },
    gives: { cpu: 101, memory: 2 },
  },
  {
    says: 'extended resources and huge pages as counts and bytes',
    spec: { containers: [container({}, { limits: { 'nvidia.com/gpu': 2, 'hugepages-2Mi': '4Mi' } })] },
    gives: { 'nvidia.com/gpu': 2, 'hugepages-2Mi': 4 * MI },
  },
  {
    says: 'overhead on top',
    spec: { containers: [container({ cpu: '1' })], overhead: { cpu: '250m', memory: '120Mi' } },
    gives: { cpu: 1250, memory: 120 * MI },
  },
];

const INIT_CONTAINERS: readonly Case[] = [
  {
    says: 'the largest init container where it is larger than all containers',
    spec: {
      initContainers: [container({ cpu: '2' }), container({ cpu: '3', memory: '1Mi' })],
      containers: [container({ cpu: '1', memory: '2Mi' })],
    },
    gives: { cpu: 3000, memory: 2 * MI },
  },
  {
    says: 'sidecars beside the containers',
    spec: { initContainers: [sidecar({ cpu: '200m' })], containers: [container({ cpu: '1' })] },
    gives: { cpu: 1200 },
  },
  {
    says: 'only the sidecars started before it beside an init container',
    spec: {
      initContainers: [sidecar({ cpu: '1' }), container({ cpu: '5' }), sidecar({ cpu: '2' })],
      containers: [container({ cpu: '1' })],
    },
    gives: { cpu: 6000 },
  },
  {
    says: 'all sidecars together where they ask for more than any init container',
    spec: {
      initContainers: [container({ cpu: '1' }), sidecar({ cpu: '2' }, 'a'), sidecar({ cpu: '3' }, 'b')],
      containers: [container({ cpu: '1' })],
    },
    gives: { cpu: 6000 },
  },
  {
    says: 'overhead on top of the init peak',
    spec: {
      initContainers: [container({ cpu: '4' })],
      containers: [container({ cpu: '1' })],
      overhead: { cpu: '1' },
    },
    gives: { cpu: 5000 },
  },
];

const POD_LEVEL: readonly Case[] = [
  {
    says: 'pod-level requests in the place of the containers’, lower ones too',
    spec: { resources: { requests: { cpu: '1' } }, containers: [container({ cpu: '2', memory: '1Gi' })] },
    gives: { cpu: 1000, memory: GI },
  },
  {
    says: 'pod-level requests and overhead',
    spec: { resources: { requests: { memory: '1Gi' } }, overhead: { memory: '1Gi' } },
    gives: { memory: 2 * GI },
  },
  {
    says: 'the pod-level limit where neither pod nor containers request',
    spec: { resources: { limits: { cpu: '4', memory: '1Gi' } }, containers: [container({ cpu: '1' })] },
    gives: { cpu: 1000, memory: GI },
  },
  {
    says: 'the pod-level limit for huge pages whatever the containers request',
    spec: {
      resources: { limits: { 'hugepages-2Mi': '8Mi' } },
      containers: [container({}, { limits: { 'hugepages-2Mi': '4Mi' } })],
    },
    gives: { 'hugepages-2Mi': 8 * MI },
  },
  {
    says: 'what containers request, fixed by pod-level limits while one of them is resized',
    spec: { resources: { limits: { memory: '1Gi' } }, containers: [container({ cpu: '1' })] },
    status: { containerStatuses: [resized('c', { cpu: '3' })] },
    gives: { cpu: 1000, memory: GI },
  },
  {
    says: 'huge pages of containers as a pod-level limit, which fixes what else they request',
    spec: {
      resources: { requests: { cpu: '2' } },
      containers: [container({ memory: '1Gi' }, { limits: { 'hugepages-2Mi': '4Mi' } })],
    },
    status: { containerStatuses: [resized('c', { memory: '3Gi' })] },
    gives: { cpu: 2000, memory: GI, 'hugepages-2Mi': 4 * MI },
  },
  {
    says: 'extended resources of containers beside pod-level requests',
    spec: {
      resources: { requests: { cpu: '1' } },
      containers: [container({}, { limits: { 'nvidia.com/gpu': '1' } })],
    },
    gives: { cpu: 1000, 'nvidia.com/gpu': 1 },
  },
];

const RESIZES: readonly Case[] = [
  {
    says: 'what runs while a resize downwards is not carried out',
    spec: { containers: [container({ cpu: '1' })] },
    status: { containerStatuses: [resized('c', { cpu: '3' }, { cpu: '2' })] },
    gives: { cpu: 3000 },
  },
  {
    says: 'what was promised while it is more than what runs',
    spec: { containers: [container({ cpu: '1' })] },
    status: { containerStatuses: [resized('c', { cpu: '1' }, { cpu: '2' })] },
    gives: { cpu: 2000 },
  },
  {
    says: 'what is wanted while a resize upwards is deferred',
    spec: { containers: [container({ cpu: '4' })] },
    status: { conditions: DEFERRED, containerStatuses: [resized('c', { cpu: '2' }, { cpu: '2' })] },
    gives: { cpu: 4000 },
  },
  {
    says: 'what runs where the kubelet found the resize infeasible',
    spec: { containers: [container({ cpu: '40' })] },
    status: { conditions: INFEASIBLE, containerStatuses: [resized('c', { cpu: '2' }, { cpu: '2' })] },
    gives: { cpu: 2000 },
  },
  {
    says: 'the spec where a status has no resources',
    spec: { containers: [container({ cpu: '1' })] },
    status: { containerStatuses: [{ name: 'c', allocatedResources: { cpu: '9' } }] },
    gives: { cpu: 1000 },
  },
  {
    says: 'the status of sidecars, not of init containers that end',
    spec: { initContainers: [sidecar({ cpu: '1' }), container({ cpu: '1' }, { name: 'init' })] },
    status: { initContainerStatuses: [resized('sidecar', { cpu: '2' }), resized('init', { cpu: '9' })] },
    gives: { cpu: 3000 },
  },
  {
    says: 'the larger of pod-level spec and status, for what the spec names',
    spec: { resources: { requests: { cpu: '1' } }, containers: [container({ memory: '1Gi' })] },
    status: { resources: { requests: { cpu: '2', memory: '4Gi' } }, allocatedResources: { cpu: '3' } },
    gives: { cpu: 3000, memory: GI },
  },
];

describe('requests of a pod', () => {
  test.each([...CONTAINERS, ...INIT_CONTAINERS, ...POD_LEVEL, ...RESIZES])(
    'are $says',
    ({ spec, status, gives }) => {
      expect(requestsOf(spec, status)).toEqual(gives);
    },
  );

  test('always count one pod', () => {
    expect(decodePod(podManifest()).value?.spec.requests.get('pods')).toBe(1);
  });

  test.each([
    ['1x', 'must be a quantity such as 500m, 2 or 10Gi, not "1x"'],
    ['', 'must be a quantity such as 500m, 2 or 10Gi, not ""'],
    ['-1', 'must not be negative, not "-1"'],
    [-0.5, 'must not be negative, not -0.5'],
    [true, 'must be a quantity such as 500m, 2 or 10Gi, not true'],
    [null, 'must be a quantity such as 500m, 2 or 10Gi, not null'],
  ])('refuse %j', (cpu, text) => {
    const { findings } = decodePod(podManifest({ spec: { containers: [container({ cpu })] } }));
    const path = ['spec', 'containers', 0, 'resources', 'requests', 'cpu'];
    expect(findings).toEqual([{ severity: 'error', code: 'invalid-value', path, text }]);
  });

  test('refuse resources that containers cannot have, and say which was probably meant', () => {
    const { findings } = decodePod(podManifest({ spec: { containers: [container({ memmory: '1Gi' })] } }));
    expect(findings).toMatchObject([{ guess: 'memory', at: 'key' }]);
  });

  test('refuse extended resources at the level of the pod', () => {
    const spec = { resources: { requests: { 'nvidia.com/gpu': '1' } } };
    expect(decodePod(podManifest({ spec })).findings).toHaveLength(1);
  });

  test('are never less than those of the containers, and grow by exactly what a first sidecar asks for', () => {
    const cpu = fc.integer({ min: 1, max: 10_000 });
    const init = fc.record({ cpu, always: fc.boolean() });
    fc.assert(
      fc.property(
        fc.array(cpu, { minLength: 1, maxLength: 4 }),
        fc.array(init, { maxLength: 4 }),
        cpu,
        (main, inits, more) => {
          const initContainers = inits.map((item, index) =>
            container(
              { cpu: `${String(item.cpu)}m` },
              { name: `i${String(index)}`, ...(item.always && { restartPolicy: 'Always' }) },
            ),
          );
          const containers = main.map((amount) => container({ cpu: `${String(amount)}m` }));
          const before = requestsOf({ containers, initContainers })['cpu'] ?? 0;
          const extra = [sidecar({ cpu: `${String(more)}m` }, 'extra'), ...initContainers];
          expect(before).toBeGreaterThanOrEqual(main.reduce((sum, amount) => sum + amount, 0));
          expect(requestsOf({ containers, initContainers: extra })['cpu']).toBe(before + more);
        },
      ),
    );
  });
});
