/** Writing over the wire, as kubectl and client-go do it. */
import { deployment, pod, Simulated } from '../simulated.js';

const PODS = '/api/v1/namespaces/default/pods';
const WEB = '/apis/apps/v1/namespaces/default/deployments/web';

async function withDeployment(): Promise<Simulated> {
  const simulated = new Simulated();
  await simulated.api.create('deployments.apps', deployment('web'));
  return simulated;
}

describe('patches', () => {
  test.each([
    ['application/json-patch+json', [{ op: 'replace', path: '/spec/replicas', value: 4 }]],
    ['application/merge-patch+json', { spec: { replicas: 4 } }],
    ['application/strategic-merge-patch+json', { spec: { replicas: 4 } }],
  ])('of type %s change the object', async (contentType, body) => {
    const answer = await (await withDeployment()).ask('PATCH', WEB, { contentType, body });
    expect(answer).toMatchObject({
      status: 200,
      body: { spec: { replicas: 4 }, metadata: { generation: 2 } },
    });
  });

  test('that test what is not so are refused, and change nothing', async () => {
    const simulated = await withDeployment();
    const version = simulated.api.resourceVersion;
    const body = [
      { op: 'test', path: '/metadata/uid', value: 'other' },
      { op: 'remove', path: '/spec/replicas' },
    ];
    const answer = await simulated.ask('PATCH', WEB, { contentType: 'application/json-patch+json', body });
    expect(answer).toMatchObject({
      status: 422,
      body: { reason: 'Invalid', message: 'the server rejected our request due to an error in our request' },
    });
    expect(simulated.api.resourceVersion).toBe(version);
  });

  test('of another type are refused', async () => {
    const answer = await (
      await withDeployment()
    ).ask('PATCH', WEB, { contentType: 'application/x-diff', body: {} });
    expect(answer).toMatchObject({ status: 415, body: { reason: 'UnsupportedMediaType' } });
  });
});

describe('server-side apply', () => {
  const apply = (
    simulated: Simulated,
    manager: string,
    body: object,
    force = false,
  ): ReturnType<Simulated['ask']> =>
    simulated.ask('PATCH', `${PODS}/web?fieldManager=${manager}&force=${String(force)}`, {
      contentType: 'application/apply-patch+yaml',
      body: { apiVersion: 'v1', kind: 'Pod', ...body },
    });
  const labelled = (labels: object): object => ({
    metadata: { name: 'web', labels },
    spec: pod('web')['spec'],
  });

  test('creates, and later takes away what is applied no more', async () => {
    const simulated = new Simulated();
    expect((await apply(simulated, 'me', labelled({ a: '1', b: '2' }))).status).toBe(201);
    const { body } = await apply(simulated, 'me', labelled({ b: '2' }));
    expect(body['metadata']).toMatchObject({
      labels: { b: '2' },
      managedFields: [{ manager: 'me', operation: 'Apply' }],
    });
  });

  test('refuses what another applies with another value, unless it is forced', async () => {
    const simulated = new Simulated();
    await apply(simulated, 'me', labelled({ a: '1' }));
    const refused = await apply(simulated, 'you', labelled({ a: '2' }));
    expect(refused).toMatchObject({
      status: 409,
      body: { message: 'Apply failed with 1 conflict: conflict with "me": .metadata.labels.a' },
    });
    const forced = await apply(simulated, 'you', labelled({ a: '2' }), true);
    expect(forced.body['metadata']).toMatchObject({ labels: { a: '2' } });
    const again = await apply(simulated, 'me', labelled({}));
    expect(again.body['metadata']).toMatchObject({ labels: { a: '2' } });
  });

  test('needs to know who applies', async () => {
    const answer = await apply(new Simulated(), '', labelled({}));
    expect(answer).toMatchObject({ status: 422 });
  });
});

describe('subresources', () => {
  test('scale tells and sets the number of replicas', async () => {
    const simulated = await withDeployment();
    const scale = await simulated.ask('GET', `${WEB}/scale`);
    expect(scale.body).toMatchObject({
      kind: 'Scale',
      spec: { replicas: 1 },
      status: { replicas: 0, selector: 'app=web' },
    });
    const contentType = 'application/merge-patch+json';
    await simulated.ask('PATCH', `${WEB}/scale`, { contentType, body: { spec: { replicas: 7 } } });
    expect((await simulated.ask('GET', WEB)).body['spec']).toMatchObject({ replicas: 7 });
  });

  test('a resize changes what the containers of a pod request, and nothing else of it', async () => {
    const simulated = new Simulated();
    await simulated.api.create('pods', pod('web'));
    const contentType = 'application/json-patch+json';
    const body = [
      { op: 'add', path: '/spec/containers/0/resources', value: { requests: { cpu: '2' } } },
      { op: 'replace', path: '/spec/containers/0/image', value: 'other' },
    ];
    const resized = await simulated.ask('PATCH', `${PODS}/web/resize`, { contentType, body });
    expect(resized.status).toBe(200);
    const { spec } = (await simulated.ask('GET', `${PODS}/web`)).body as { spec: { containers: object[] } };
    expect(spec.containers).toMatchObject([{ resources: { requests: { cpu: '2' } } }]);
    expect(spec.containers).not.toMatchObject([{ image: 'other' }]);
  });

  test('binding and eviction are created', async () => {
    const simulated = new Simulated({
      canEvict: () => ({ message: 'Cannot evict pod', cause: 'a budget', retryAfterSeconds: 10 }),
    });
    await simulated.api.create('pods', pod('web'));
    const bound = await simulated.ask('POST', `${PODS}/web/binding`, {
      body: { target: { kind: 'Node', name: 'n1' } },
    });
    expect(bound.status).toBe(201);
    const phase = { status: { phase: 'Running' } };
    await simulated.ask('PATCH', `${PODS}/web/status`, {
      contentType: 'application/merge-patch+json',
      body: phase,
    });
    const evicted = await simulated.ask('POST', `${PODS}/web/eviction`, { body: { kind: 'Eviction' } });
    expect(evicted).toMatchObject({
      status: 429,
      headers: { 'retry-after': '10' },
      body: {
        reason: 'TooManyRequests',
        details: { causes: [{ reason: 'DisruptionBudget', message: 'a budget' }] },
      },
    });
  });
});

describe('events', () => {
  test('are one, under both of their names', async () => {
    const simulated = new Simulated();
    await simulated.ask('POST', '/apis/events.k8s.io/v1/namespaces/default/events', {
      body: {
        metadata: { name: 'web.1' },
        regarding: { kind: 'Pod', namespace: 'default', name: 'web' },
        note: 'no room',
        reason: 'FailedScheduling',
        reportingController: 'berth.sh/berth',
        type: 'Warning',
      },
    });
    const core = await simulated.ask(
      'GET',
      '/api/v1/namespaces/default/events?fieldSelector=involvedObject.name%3Dweb',
    );
    expect(core.body['items']).toMatchObject([
      { message: 'no room', involvedObject: { name: 'web' }, reportingComponent: 'berth.sh/berth' },
    ]);
    const body = { series: { count: 2 } };
    const repeated = await simulated.ask('PATCH', '/apis/events.k8s.io/v1/namespaces/default/events/web.1', {
      contentType: 'application/merge-patch+json',
      body,
    });
    expect(repeated.body).toMatchObject({
      apiVersion: 'events.k8s.io/v1',
      note: 'no room',
      series: { count: 2 },
    });
  });
});

describe('a request', () => {
  test('that only asks what would happen changes nothing', async () => {
    const simulated = new Simulated();
    const answer = await simulated.ask('POST', `${PODS}?dryRun=All`, { body: pod('web') });
    expect(answer).toMatchObject({ status: 201, body: { status: { phase: 'Pending' } } });
    expect(simulated.api.list('pods')).toEqual([]);
  });

  test.each([
    ['GET', '/api/v1/widgets', 404, 'NotFound'],
    ['GET', `${PODS}/none`, 404, 'NotFound'],
    ['PUT', PODS, 405, 'MethodNotAllowed'],
    ['GET', '/apis/none/v1', 404, 'NotFound'],
  ])('%s %s is refused with %i', async (method, path, status, reason) => {
    expect(await new Simulated().ask(method, path)).toMatchObject({
      status,
      body: { kind: 'Status', reason },
    });
  });

  test('for objects of the wrong kind is refused', async () => {
    const answer = await new Simulated().ask('POST', PODS, {
      body: { ...pod('web'), apiVersion: 'v1', kind: 'Node' },
    });
    expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
  });

  test('for all of a selection deletes just that', async () => {
    const simulated = new Simulated();
    for (const app of ['a', 'a', 'b'])
      await simulated.api.create(
        'pods',
        pod('', { metadata: { name: '', generateName: 'p-', labels: { app } } }),
      );
    await simulated.ask('DELETE', `${PODS}?labelSelector=app%3Da`);
    expect(simulated.api.list('pods').map(({ metadata }) => metadata.labels)).toEqual([{ app: 'b' }]);
  });
});

describe('discovery', () => {
  test('tells the same in both forms', async () => {
    const simulated = new Simulated();
    const old = await simulated.ask('GET', '/apis/apps/v1');
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';
    const aggregated = await simulated.ask('GET', '/apis', { accept });
    expect(aggregated.headers['content-type']).toBe(
      'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList',
    );
    const groups = aggregated.body['items'] as readonly Discovered[];
    const apps = groups.find(({ metadata }) => metadata.name === 'apps')?.versions[0]?.resources ?? [];
    const resources = old.body['resources'] as readonly { readonly name: string }[];
    const plain = resources.map(({ name }) => name).filter((name) => !name.includes('/'));
    expect(apps.map(({ resource }) => resource)).toEqual(plain);
    expect(plain).toContain('deployments');
  });

  test.each(['/healthz', '/livez', '/readyz/ping'])('%s is well', async (path) => {
    expect(await new Simulated().ask('GET', path)).toMatchObject({ status: 200, body: { text: 'ok' } });
  });
});

interface Discovered {
  readonly metadata: { readonly name?: string };
  readonly versions: readonly { readonly resources: readonly { readonly resource: string }[] }[];
}
