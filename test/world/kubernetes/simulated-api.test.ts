/** The objects of a simulated cluster, as actors in the same process use them. */
import type { ApiEvent } from '../../../world/kubernetes/simulated-api.js';
import type { KubeObject } from '../../../world/kubernetes/objects/kube-object.js';
import { deployment, pod, refusal, Simulated } from './simulated.js';

const DEFAULT = { namespace: 'default' };

describe('creating', () => {
  test('gives identity, time and the defaults that controllers rely on', async () => {
    const { api } = new Simulated();
    const made = await api.create('pods', pod('web'));
    expect(made).toMatchObject({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', creationTimestamp: '2026-01-01T00:00:00Z', generation: 1 },
      spec: {
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        serviceAccountName: 'default',
        priority: 0,
      },
      status: { phase: 'Pending', qosClass: 'BestEffort' },
    });
    expect(made.metadata.uid).toMatch(
      /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
    );
  });

  test('is over when create returns its promise, where no webhook is asked', () => {
    const { api } = new Simulated();
    void api.create('pods', pod('web'));
    expect(api.get('pods', { ...DEFAULT, name: 'web' })).toBeDefined();
  });

  test('makes a name of generateName', async () => {
    const { api } = new Simulated();
    const made = await api.create('pods', pod('', { metadata: { name: '', generateName: 'web-' } }));
    expect(made.metadata.name).toMatch(/^web-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test('comes out the same for the same seed', async () => {
    const [one, other] = await Promise.all(
      [new Simulated(), new Simulated()].map(({ api }) => api.create('pods', pod('web'))),
    );
    expect(one).toEqual(other);
  });

  test.each([
    ['a name that is taken', pod('taken'), { code: 409, message: 'pods "taken" already exists' }],
    [
      'a namespace that is not there',
      pod('web', { metadata: { namespace: 'nowhere' } }),
      { code: 404, message: 'namespaces "nowhere" not found' },
    ],
    [
      'a pod without containers',
      pod('web', { spec: { containers: [] } }),
      { code: 422, message: 'Pod "web" is invalid: spec.containers: Required value' },
    ],
    [
      'a request above its limit',
      pod('web', {
        spec: {
          containers: [
            { name: 'main', image: 'a', resources: { requests: { cpu: 2 }, limits: { cpu: '1' } } },
          ],
        },
      }),
      {
        code: 422,
        message:
          'Pod "web" is invalid: spec.containers[0].resources.requests: Invalid value: 2: must be less than or equal to cpu limit of 1',
      },
    ],
    [
      'a priority class that is not there',
      pod('web', { spec: { priorityClassName: 'none', containers: [{ name: 'main', image: 'a' }] } }),
      { code: 403, message: 'pods "web" is forbidden: no PriorityClass with name none was found' },
    ],
  ])('refuses %s in the words of Kubernetes', async (_, object, expected) => {
    const { api } = new Simulated();
    await api.create('pods', pod('taken'));
    expect(await refusal(api.create('pods', object))).toMatchObject(expected);
  });

  test('refuses a Deployment whose selector does not select its pods', async () => {
    const { api } = new Simulated();
    const odd = deployment('web', { selector: { matchLabels: { app: 'other' } } });
    const error = await refusal(api.create('deployments.apps', odd));
    expect(error.message).toContain('`selector` does not match template `labels`');
    expect(error.details.causes).toMatchObject([{ field: 'spec.template.metadata.labels' }]);
  });

  test('resolves the priority of a class', async () => {
    const { api } = new Simulated();
    const made = await api.create(
      'pods',
      pod('web', {
        spec: { priorityClassName: 'system-node-critical', containers: [{ name: 'a', image: 'a' }] },
      }),
    );
    expect(made['spec']).toMatchObject({ priority: 2_000_001_000, preemptionPolicy: 'PreemptLowerPriority' });
  });

  test('taints a new node as not ready', async () => {
    const { api } = new Simulated();
    const made = await api.create('nodes', { metadata: { name: 'n1' } });
    expect(made['spec']).toEqual({ taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] });
  });
});

describe('changing', () => {
  async function withDeployment(): Promise<{ readonly simulated: Simulated; readonly made: KubeObject }> {
    const simulated = new Simulated();
    return { simulated, made: await simulated.api.create('deployments.apps', deployment('web')) };
  }

  test('counts the generation with the specification, not with metadata or status', async () => {
    const { simulated, made } = await withDeployment();
    const change = (more: object, part = {}): Promise<KubeObject> =>
      simulated.api.change('deployments.apps', made.metadata, (object) => ({ ...object, ...more }), part);
    const scaled = await change({ spec: { ...(made['spec'] as object), replicas: 3 } });
    const told = await change({ status: { replicas: 3 } }, { subresource: 'status' });
    const labelled = await change({ metadata: { ...told.metadata, labels: { a: 'b' } } });
    expect([made, scaled, told, labelled].map(({ metadata }) => metadata.generation)).toEqual([1, 2, 2, 2]);
    expect(labelled['status']).toEqual({ replicas: 3 });
  });

  test('keeps status and specification apart', async () => {
    const { simulated, made } = await withDeployment();
    const mixed = { ...made, spec: { ...(made['spec'] as object), replicas: 9 }, status: { replicas: 9 } };
    const status = await simulated.api.update('deployments.apps', mixed, { subresource: 'status' });
    expect(status).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 9 } });
    const main = await simulated.api.update('deployments.apps', {
      ...mixed,
      status: { replicas: 7 },
      metadata: status.metadata,
    });
    expect(main).toMatchObject({ spec: { replicas: 9 }, status: { replicas: 9 } });
  });

  test('refuses an old version, and nothing else of the name', async () => {
    const { simulated, made } = await withDeployment();
    const labelled = { ...made, metadata: { ...made.metadata, labels: { a: '1' } } };
    await simulated.api.update('deployments.apps', labelled);
    const error = await refusal(simulated.api.update('deployments.apps', labelled));
    expect(error).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message:
        'Operation cannot be fulfilled on deployments.apps "web": the object has been modified; please apply your changes to the latest version and try again',
    });
  });

  test('writes nothing where nothing differs', async () => {
    const { simulated, made } = await withDeployment();
    const before = simulated.api.resourceVersion;
    await simulated.api.change('deployments.apps', made.metadata, (object) => ({ ...object }));
    expect(simulated.api.resourceVersion).toBe(before);
  });
});

describe('deleting', () => {
  test('keeps what has finalizers until the last is taken', async () => {
    const { api } = new Simulated();
    const ref = { name: 'n1' };
    await api.create('nodes', { metadata: { ...ref, finalizers: ['karpenter.sh/termination'] } });
    const kept = await api.delete('nodes', ref);
    expect(kept?.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:00Z',
      deletionGracePeriodSeconds: 0,
    });
    await api.change('nodes', ref, (node) => ({ ...node, metadata: { ...node.metadata, finalizers: [] } }));
    expect(api.get('nodes', ref)).toBeUndefined();
  });

  test('gives a bound pod its grace, which the kubelet ends', async () => {
    const { api } = new Simulated();
    const ref = { ...DEFAULT, name: 'web' };
    await api.create('pods', pod('web'));
    await api.bind(ref, 'n1');
    const kept = await api.delete('pods', ref);
    expect(kept?.metadata).toMatchObject({
      deletionTimestamp: '2026-01-01T00:00:30Z',
      deletionGracePeriodSeconds: 30,
    });
    expect(await api.delete('pods', ref, { gracePeriodSeconds: 0 })).toBeUndefined();
  });

  test('removes an unbound pod at once', async () => {
    const { api } = new Simulated();
    await api.create('pods', pod('web'));
    expect(await api.delete('pods', { ...DEFAULT, name: 'web' })).toBeUndefined();
  });

  test('refuses where another object has the name by now', async () => {
    const { api } = new Simulated();
    await api.create('pods', pod('web'));
    const error = await refusal(
      api.delete('pods', { ...DEFAULT, name: 'web' }, { preconditions: { uid: 'other' } }),
    );
    expect(error.code).toBe(409);
    expect(error.message).toMatch(/the UID in the precondition \(other\) does not match the UID in record/);
  });
});

describe('owners', () => {
  async function owned(policy?: 'Foreground' | 'Orphan'): Promise<Simulated> {
    const simulated = new Simulated();
    const { api } = simulated;
    const owner = await api.create('deployments.apps', deployment('web'));
    const { uid, name } = owner.metadata;
    const ownerReferences = [
      { apiVersion: 'apps/v1', kind: 'Deployment', name, uid, controller: true, blockOwnerDeletion: true },
    ];
    await api.create('pods', pod('web-1', { metadata: { ownerReferences } }));
    await api.create('pods', pod('web-2', { metadata: { ownerReferences } }));
    await api.delete(
      'deployments.apps',
      owner.metadata,
      policy === undefined ? {} : { propagationPolicy: policy },
    );
    return simulated;
  }
  const names = ({ api }: Simulated, resource: string): readonly string[] =>
    api.list(resource).map(({ metadata }) => metadata.name);

  test('take their dependents with them, a moment later', async () => {
    const simulated = await owned();
    expect(names(simulated, 'deployments.apps')).toEqual([]);
    expect(names(simulated, 'pods')).toEqual(['web-1', 'web-2']);
    await simulated.clock.advance(1000);
    expect(names(simulated, 'pods')).toEqual([]);
  });

  test('wait for their dependents in the foreground', async () => {
    const simulated = await owned('Foreground');
    expect(names(simulated, 'deployments.apps')).toEqual(['web']);
    await simulated.clock.advance(1000);
    expect(names(simulated, 'pods')).toEqual([]);
    expect(names(simulated, 'deployments.apps')).toEqual([]);
  });

  test('leave orphans behind', async () => {
    const simulated = await owned('Orphan');
    await simulated.clock.advance(1000);
    expect(names(simulated, 'deployments.apps')).toEqual([]);
    expect(simulated.api.list('pods').map(({ metadata }) => metadata.ownerReferences)).toEqual([
      undefined,
      undefined,
    ]);
  });
});

describe('a namespace', () => {
  test('has its ServiceAccount at once, and goes with all that is in it', async () => {
    const { api, clock } = new Simulated();
    await api.create('namespaces', { metadata: { name: 'team' } });
    await clock.settle();
    expect(api.get('serviceaccounts', { namespace: 'team', name: 'default' })).toBeDefined();
    await api.create('pods', pod('web', { metadata: { namespace: 'team' } }));
    const kept = await api.delete('namespaces', { name: 'team' });
    expect(kept?.['status']).toEqual({ phase: 'Terminating' });
    const error = await refusal(api.create('pods', pod('late', { metadata: { namespace: 'team' } })));
    expect(error.message).toContain(
      'unable to create new content in namespace team because it is being terminated',
    );
    await clock.advance(1000);
    expect(api.get('namespaces', { name: 'team' })).toBeUndefined();
    expect(api.list('pods', { namespace: 'team' })).toEqual([]);
  });
});

describe('binding and evicting', () => {
  const ref = { ...DEFAULT, name: 'web' };

  test('a pod gets one node, once', async () => {
    const { api } = new Simulated();
    await api.create('pods', pod('web'));
    const bound = await api.bind(ref, 'n1');
    expect(bound).toMatchObject({
      spec: { nodeName: 'n1' },
      status: { conditions: [{ type: 'PodScheduled', status: 'True' }] },
    });
    expect(await refusal(api.bind(ref, 'n2'))).toMatchObject({
      code: 409,
      message:
        'Operation cannot be fulfilled on pods/binding "web": pod web is already assigned to node "n1"',
    });
  });

  test('a budget stands in the way of a running pod, not of a pending one', async () => {
    const cause = 'The disruption budget web needs 1 healthy pods and has 1 currently';
    const message = "Cannot evict pod as it would violate the pod's disruption budget.";
    const { api } = new Simulated({ canEvict: () => ({ message, cause }) });
    await api.create('pods', pod('pending'));
    await api.create('pods', pod('web'));
    await api.bind(ref, 'n1');
    await api.change('pods', ref, (object) => ({ ...object, status: { phase: 'Running' } }), {
      subresource: 'status',
    });
    await api.evict({ ...DEFAULT, name: 'pending' });
    expect(await refusal(api.evict(ref))).toMatchObject({ code: 429, reason: 'TooManyRequests', message });
    api.guardEvictions(() => undefined);
    await api.evict(ref);
    expect(api.get('pods', ref)?.metadata.deletionTimestamp).toBe('2026-01-01T00:00:30Z');
  });
});

describe('watching', () => {
  test('tells what is there, then every change in order, also those that listeners make', async () => {
    const { api } = new Simulated();
    await api.create('pods', pod('a'));
    const told: string[] = [];
    const listen =
      (name: string) =>
      ({ type, object }: ApiEvent) => {
        told.push(`${name}: ${type} ${object.metadata.name}`);
        if (name === 'one' && type === 'ADDED' && object.metadata.name === 'b')
          void api.create('pods', pod('c'));
      };
    const stop = api.watch('pods', listen('one'));
    api.watch('pods', listen('two'), { initial: false });
    await api.create('pods', pod('b'));
    stop();
    await api.delete('pods', { ...DEFAULT, name: 'a' });
    expect(told).toEqual([
      'one: ADDED a',
      'one: ADDED b',
      'two: ADDED b',
      'one: ADDED c',
      'two: ADDED c',
      'two: DELETED a',
    ]);
  });
});

test('a resource that is not served is not found', () => {
  const { api } = new Simulated();
  expect(() => api.list('widgets.example.com')).toThrow('the server could not find the requested resource');
});
