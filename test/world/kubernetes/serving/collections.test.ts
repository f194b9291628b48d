/** Lists and watches over the wire: pages of one moment, selectors, bookmarks, and versions that are too old or too new. */
import { pod, Simulated, type Answered } from '../simulated.js';

const PODS = '/api/v1/namespaces/default/pods';

async function withPods(count: number): Promise<Simulated> {
  const simulated = new Simulated();
  for (let index = 0; index < count; index += 1) await simulated.api.create('pods', pod(`p${String(index)}`));
  return simulated;
}

function names({ body }: Answered): readonly string[] {
  const items = body['items'] as readonly { readonly metadata: { readonly name: string } }[];
  return items.map(({ metadata }) => metadata.name);
}

interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

function metaOf({ body }: Answered): ListMeta {
  return body['metadata'] as ListMeta;
}

describe('a list in pages', () => {
  test('shows the moment of its first page', async () => {
    const simulated = await withPods(5);
    const first = await simulated.ask('GET', `${PODS}?limit=2`);
    const meta = metaOf(first);
    expect(meta.remainingItemCount).toBe(3);
    await simulated.api.create('pods', pod('p9'));
    await simulated.api.delete('pods', { namespace: 'default', name: 'p3' });
    const second = await simulated.ask('GET', `${PODS}?limit=2&continue=${String(meta.continue)}`);
    const third = await simulated.ask('GET', `${PODS}?limit=2&continue=${String(metaOf(second).continue)}`);
    expect([first, second, third].flatMap(names)).toEqual(['p0', 'p1', 'p2', 'p3', 'p4']);
    expect([second, third].map((page) => metaOf(page).resourceVersion)).toEqual([
      meta.resourceVersion,
      meta.resourceVersion,
    ]);
    expect(metaOf(third).continue).toBeUndefined();
  });

  test('has to begin again after a compaction, and after five minutes', async () => {
    const simulated = await withPods(3);
    const token = async (): Promise<string> =>
      String(metaOf(await simulated.ask('GET', `${PODS}?limit=1`)).continue);
    const [before, after] = [await token(), await token()];
    simulated.api.compact();
    expect((await simulated.ask('GET', `${PODS}?limit=1&continue=${before}`)).status).toBe(410);
    const fresh = await token();
    await simulated.clock.advance(5 * 60_000);
    const expired = await simulated.ask('GET', `${PODS}?limit=1&continue=${fresh}`);
    expect(expired).toMatchObject({ status: 410, body: { reason: 'Expired', code: 410 } });
    expect(after).not.toBe(before);
  });
});

describe('selectors', () => {
  test('choose by labels and by the fields that the resource names', async () => {
    const simulated = await withPods(3);
    await simulated.api.create('pods', pod('web', { metadata: { labels: { app: 'web', tier: 'front' } } }));
    await simulated.api.bind({ namespace: 'default', name: 'p1' }, 'n1');
    const ask = async (query: string): Promise<readonly string[]> =>
      names(await simulated.ask('GET', `${PODS}?${query}`));
    expect(await ask('labelSelector=app%3Dweb,tier%20in%20(front,back)')).toEqual(['web']);
    expect(await ask('labelSelector=!app')).toEqual(['p0', 'p1', 'p2']);
    expect(await ask('labelSelector=app%20notin%20(web)')).toEqual(['p0', 'p1', 'p2']);
    expect(await ask('fieldSelector=spec.nodeName%3Dn1,status.phase!%3DFailed')).toEqual(['p1']);
    expect(await ask('fieldSelector=metadata.name%3Dp2')).toEqual(['p2']);
  });

  test('refuse a field that the resource does not name', async () => {
    const { body } = await (await withPods(0)).ask('GET', `${PODS}?fieldSelector=spec.replicas%3D1`);
    expect(body).toMatchObject({ code: 400, reason: 'BadRequest' });
    expect(body['message']).toContain('field label not supported: spec.replicas');
  });
});

describe('a watch', () => {
  test('begins with what is there where no version is given', async () => {
    const simulated = await withPods(2);
    const { lines, stop } = await simulated.watch(`${PODS}?watch=true`);
    await simulated.api.create('pods', pod('p2'));
    await simulated.clock.settle();
    await stop();
    expect(lines.map(({ type, object }) => `${type} ${String(object.metadata.name)}`)).toEqual([
      'ADDED p0',
      'ADDED p1',
      'ADDED p2',
    ]);
  });

  test('marks the end of what is there where it is asked to stream it', async () => {
    const simulated = await withPods(1);
    const { lines, stop } = await simulated.watch(
      `${PODS}?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true`,
    );
    await stop();
    expect(lines.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
    expect(lines[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
  });

  test('tells by selection: what ceases to be selected is deleted, what comes to be is added', async () => {
    const simulated = await withPods(1);
    const version = simulated.api.resourceVersion;
    const label = (labels: Readonly<Record<string, string>>): Promise<unknown> =>
      simulated.api.change('pods', { namespace: 'default', name: 'p0' }, (object) => ({
        ...object,
        metadata: { ...object.metadata, labels },
      }));
    await label({ app: 'web' });
    await label({ app: 'web', more: 'yes' });
    await label({});
    const { lines, stop } = await simulated.watch(
      `${PODS}?watch=true&resourceVersion=${version}&labelSelector=app%3Dweb`,
    );
    await stop();
    expect(lines.map(({ type }) => type)).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
  });

  test('sends a bookmark every minute, and ends after its time', async () => {
    const simulated = await withPods(0);
    const { lines, stop } = await simulated.watch(
      `${PODS}?watch=true&allowWatchBookmarks=true&timeoutSeconds=150`,
    );
    await simulated.clock.advance(151_000);
    await stop();
    expect(lines.map(({ type }) => type)).toEqual(['BOOKMARK', 'BOOKMARK', 'BOOKMARK']);
    expect(simulated.clock.pending).toBe(0);
  });

  test('from a version that is forgotten is answered with 410', async () => {
    const simulated = await withPods(2);
    const version = simulated.api.resourceVersion;
    simulated.api.compact();
    const { lines, stop } = await simulated.watch(`${PODS}?watch=true&resourceVersion=${version}`);
    await stop();
    expect(lines).toMatchObject([
      { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } },
    ]);
  });

  test('from a version past the window of history is answered with 410', async () => {
    const simulated = new Simulated({ historyEvents: 5 });
    const version = simulated.api.resourceVersion;
    for (let index = 0; index < 11; index += 1) await simulated.api.create('pods', pod(`p${String(index)}`));
    const { lines, stop } = await simulated.watch(`${PODS}?watch=true&resourceVersion=${version}`);
    await stop();
    expect(lines.map(({ type }) => type)).toEqual(['ERROR']);
  });

  test('from a version that is to come is refused', async () => {
    const simulated = await withPods(0);
    const answer = await simulated.ask('GET', `${PODS}?watch=true&resourceVersion=999999`);
    expect(answer).toMatchObject({
      status: 504,
      headers: { 'retry-after': '1' },
      body: { reason: 'Timeout', details: { causes: [{ reason: 'ResourceVersionTooLarge' }] } },
    });
  });
});

describe('a table', () => {
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';

  test('tells pods as kubectl prints them', async () => {
    const simulated = await withPods(1);
    await simulated.clock.advance(90_000);
    const { body } = await simulated.ask('GET', PODS, { accept });
    expect(body).toMatchObject({
      kind: 'Table',
      columnDefinitions: [
        'Name',
        'Ready',
        'Status',
        'Restarts',
        'Age',
        'IP',
        'Node',
        'Nominated Node',
        'Readiness Gates',
      ].map((name) => ({ name })),
      rows: [
        {
          cells: ['p0', '0/1', 'Pending', '0', '90s', '<none>', '<none>', '<none>', '<none>'],
          object: { kind: 'PartialObjectMetadata' },
        },
      ],
    });
  });
});
