/** Controllers that want the cluster's instances at about the same time share a listing. */
import { OwnedInstances } from '../../src/controllers/owned-instances.js';
import { CLUSTER_TAG, type CloudInstance } from '../../src/ports/cloud.js';
import type { Labels } from '../../src/domain/values/labels.js';
import { Cluster } from '../../src/state/cluster/cluster.js';
import { cloudInstance } from '../support/builders/cloud-instance.js';
import { VirtualClock } from '../support/virtual-clock.js';

const INSTANCE = cloudInstance({ zone: 'z' });

interface Asked {
  readonly tags: Labels;
  readonly signal: AbortSignal | undefined;
  readonly ids: readonly string[] | undefined;
  answer(instances: readonly CloudInstance[]): void;
  fail(error: Error): void;
}

function scene(signal?: AbortSignal): {
  readonly clock: VirtualClock;
  readonly asked: Asked[];
  readonly owned: OwnedInstances;
} {
  const clock = new VirtualClock();
  const cluster = new Cluster();
  cluster.put('Namespace', { name: 'kube-system', labels: new Map(), uid: 'uid-1' });
  const asked: Asked[] = [];
  const instances = (
    tags: Labels,
    own?: AbortSignal,
    ids?: readonly string[],
  ): Promise<readonly CloudInstance[]> =>
    new Promise((answer, fail) => asked.push({ tags, signal: own, ids, answer, fail }));
  return { clock, asked, owned: new OwnedInstances({ cluster, cloud: { instances }, clock, signal }) };
}

test('those that ask at the start get one listing, by the instances of this cluster', async () => {
  const { clock, asked, owned } = scene();
  const began = clock.now();
  const first = owned.list(30_000);
  await clock.advance(20_000);
  const second = owned.list(30_000);
  asked[0]?.answer([INSTANCE]);
  expect(asked.map(({ tags }) => tags)).toEqual([new Map([[CLUSTER_TAG, 'uid-1']])]);
  expect([...(await first).instances.keys()]).toEqual(['aws:///z/i-1']);
  // What was launched while it was read is younger than that.
  expect(await second).toMatchObject({ asOf: began });
});

test('a listing that is older than the caller takes is not waited for', async () => {
  const { clock, asked, owned } = scene();
  owned.list(1000).catch(() => undefined);
  await clock.advance(1000);
  const second = owned.list(1000);
  asked[1]?.answer([]);
  expect((await second).asOf).toBe(clock.now());
});

test('one that failed is begun again by the next that asks', async () => {
  const { asked, owned } = scene();
  const first = owned.list(30_000);
  asked[0]?.fail(new Error('throttled'));
  await expect(first).rejects.toThrow('throttled');
  const second = owned.list(30_000);
  asked[1]?.answer([]);
  expect((await second).instances.size).toBe(0);
});

test('one that is not answered is given up after two minutes, and at the end of the term', async () => {
  const late = scene();
  const waiting = late.owned.list(30_000).catch((error: unknown) => error);
  await late.clock.advance(120_000);
  expect(await waiting).toMatchObject({ code: 'TimedOut' });
  const term = new AbortController();
  const ended = scene(term.signal);
  const listing = ended.owned.list(30_000).catch((error: unknown) => error);
  term.abort();
  expect(await listing).toMatchObject({ code: 'Cancelled' });
  expect(ended.asked[0]?.signal?.aborted).toBe(true);
});

test('single ones that are asked about within a second share a request about them alone', async () => {
  const { clock, asked, owned } = scene();
  const first = owned.one('aws:///z/i-1');
  await clock.advance(900);
  const second = owned.one('aws:///z/i-2');
  await clock.advance(100);
  expect(asked.map(({ ids }) => ids)).toEqual([['i-1', 'i-2']]);
  asked[0]?.answer([INSTANCE]);
  expect(await first).toMatchObject({ id: 'i-1', state: 'running' });
  expect(await second).toBeUndefined();
  const later = owned.one('aws:///z/i-1').catch((error: unknown) => error);
  await clock.advance(1000);
  asked[1]?.fail(new Error('throttled'));
  expect(await later).toMatchObject({ message: 'throttled' });
  expect(asked[1]?.ids).toEqual(['i-1']);
});
