/** Laws of the store: events replayed onto a list are the later list, and no write gets lost in a conflict. */
import * as fc from 'fast-check';
import type { KubeObject } from '../../../../world/kubernetes/objects/kube-object.js';
import { Simulated } from '../simulated.js';

type Step =
  | { readonly do: 'put'; readonly name: string; readonly label: string }
  | { readonly do: 'delete'; readonly name: string };

const name = fc.constantFrom('a', 'b', 'c', 'd');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant('put' as const), name, label: fc.constantFrom('x', 'y', 'z') }),
  fc.record({ do: fc.constant('delete' as const), name }),
);

async function take({ api }: Simulated, each: Step): Promise<void> {
  const ref = { namespace: 'default', name: each.name };
  const known = api.get('configmaps', ref);
  if (each.do === 'delete') {
    if (known !== undefined) await api.delete('configmaps', ref);
  } else if (known === undefined)
    await api.create('configmaps', { metadata: { ...ref, labels: { kind: each.label } } });
  else
    await api.change('configmaps', ref, (object) => ({
      ...object,
      metadata: { ...object.metadata, labels: { kind: each.label } },
    }));
}

describe('watch events', () => {
  test.each(['', 'labelSelector=kind%3Dx', 'fieldSelector=metadata.name%3Da'])(
    'replayed onto an earlier list give the later list (%s)',
    async (selection) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(step, { maxLength: 15 }),
          fc.array(step, { maxLength: 25 }),
          async (first, then) => {
            const simulated = new Simulated();
            const path = `/api/v1/namespaces/default/configmaps?${selection}`;
            for (const each of first) await take(simulated, each);
            const list = (await simulated.ask('GET', path)).body as unknown as List;
            for (const each of then) await take(simulated, each);
            const { lines, stop } = await simulated.watch(
              `${path}&watch=true&resourceVersion=${list.metadata.resourceVersion}`,
            );
            const known = new Map(list.items.map((item) => [item.metadata.name, versionOf(item)]));
            for (const { type, object } of lines) {
              if (type === 'DELETED') known.delete(object.metadata.name ?? '');
              else known.set(object.metadata.name ?? '', object.metadata.resourceVersion ?? '');
            }
            const later = (await simulated.ask('GET', path)).body as unknown as List;
            await stop();
            expect(Object.fromEntries(known)).toEqual(
              Object.fromEntries(later.items.map((item) => [item.metadata.name, versionOf(item)])),
            );
          },
        ),
        { numRuns: 60 },
      );
    },
  );
});

describe('writers who read, change and write again after a conflict', () => {
  test('never lose a write of each other', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat({ max: 3 }), { minLength: 1, maxLength: 40 }), async (turns) => {
        const { api } = new Simulated();
        const ref = { namespace: 'default', name: 'count' };
        await api.create('configmaps', { metadata: ref, data: { count: '0' } });
        const read: (KubeObject | undefined)[] = [];
        let written = 0;
        for (const writer of turns) {
          const known = read[writer];
          if (known === undefined) {
            read[writer] = api.get('configmaps', ref);
            continue;
          }
          read[writer] = undefined;
          const count = Number((known['data'] as { readonly count: string }).count) + 1;
          const update = api.update('configmaps', { ...known, data: { count: String(count) } });
          written += await update.then(
            () => 1,
            () => 0,
          );
        }
        expect(api.get('configmaps', ref)?.['data']).toEqual({ count: String(written) });
      }),
    );
  });
});

interface List {
  readonly metadata: { readonly resourceVersion: string };
  readonly items: readonly KubeObject[];
}

function versionOf({ metadata }: KubeObject): string {
  return metadata.resourceVersion;
}
