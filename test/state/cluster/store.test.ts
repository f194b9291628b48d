import fc from 'fast-check';
import { Store, type Change } from '../../../src/state/cluster/store.js';

interface Thing {
  readonly uid: string;
  readonly resourceVersion: string;
  readonly text?: string;
}

function thing(uid: string, version: number | string, text?: string): Thing {
  return { uid, resourceVersion: String(version), ...(text !== undefined && { text }) };
}

describe('Store', () => {
  test('ignores what is older than what it knows, and believes what it cannot compare', () => {
    const store = new Store<Thing>();
    store.put('a', thing('1', 10));
    expect(store.put('a', thing('1', 9))).toBe(false);
    expect(store.get('a')).toEqual(thing('1', 10));
    expect(store.put('a', thing('1', 'odd'))).toBe(true);
    expect(store.get('a')?.resourceVersion).toBe('odd');
  });

  test('takes an object of the same version again, since what is joined to it may have changed', () => {
    const store = new Store<Thing>();
    store.put('a', thing('1', 10, 'before'));
    expect(store.put('a', thing('1', 10, 'after'))).toBe(true);
    expect(store.get('a')?.text).toBe('after');
  });

  test('does not bring back what was deleted, whatever version a late answer has', () => {
    const store = new Store<Thing>();
    store.put('a', thing('1', 10));
    store.delete('a');
    expect(store.put('a', thing('1', 9))).toBe(false);
    expect(store.put('a', thing('1', 11))).toBe(false);
    expect(store.get('a')).toBeUndefined();
    expect(store.wasDeleted('1')).toBe(true);
  });

  test('takes a new object under the key of one that was deleted', () => {
    const store = new Store<Thing>();
    store.put('a', thing('1', 10));
    store.delete('a');
    expect(store.put('a', thing('2', 12))).toBe(true);
    expect(store.put('a', thing('1', 13))).toBe(false);
    expect(store.get('a')).toEqual(thing('2', 12));
  });

  test('takes late news of the end of an object for nothing but that', () => {
    const store = new Store<Thing>();
    store.put('a', thing('2', 12));
    expect(store.delete('a', '1')).toBe(false);
    expect(store.put('a', thing('1', 13))).toBe(false);
    expect(store.get('a')).toEqual(thing('2', 12));
    expect(store.delete('a', '2')).toBe(true);
    expect(store.delete('a', '2')).toBe(false);
    expect(store.get('a')).toBeUndefined();
  });

  test('deletes what has no uid, whichever uid is named', () => {
    const store = new Store<{ readonly resourceVersion: string }>();
    store.put('a', { resourceVersion: '10' });
    expect(store.delete('a', '1')).toBe(true);
    expect(store.get('a')).toBeUndefined();
  });

  test('knows the predecessor as gone when an object is replaced without a deletion', () => {
    const store = new Store<Thing>();
    store.put('a', thing('1', 10));
    store.put('a', thing('2', 12));
    expect(store.wasDeleted('1')).toBe(true);
  });

  test('judges kinds without uid by version alone', () => {
    const store = new Store<{ readonly resourceVersion: string }>();
    store.put('a', { resourceVersion: '10' });
    store.delete('a');
    expect(store.put('a', { resourceVersion: '9' })).toBe(false);
    expect(store.put('a', { resourceVersion: '11' })).toBe(true);
  });

  test('remembers a bounded number of deletions, the latest', () => {
    const store = new Store<Thing>();
    for (let index = 0; index < 16_385; index++) {
      store.put(`k${String(index)}`, thing(`u${String(index)}`, index + 1));
      store.delete(`k${String(index)}`);
    }
    expect(store.wasDeleted('u0')).toBe(false);
    expect(store.wasDeleted('u1')).toBe(true);
    expect(store.put('k0', thing('u0', 1))).toBe(true);
    expect(store.put('k16384', thing('u16384', 1))).toBe(false);
  });

  test('ends with the newest of each key, in whatever order versions of living objects come', () => {
    const puts = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.integer({ min: 1, max: 30 })));
    fc.assert(
      fc.property(puts, (list) => {
        const store = new Store<Thing>();
        for (const [key, version] of list) store.put(key, thing(key, version));
        for (const key of ['a', 'b', 'c']) {
          const versions = list.filter(([name]) => name === key).map(([, version]) => version);
          const newest = versions.length === 0 ? undefined : String(Math.max(...versions));
          expect(store.get(key)?.resourceVersion).toBe(newest);
        }
      }),
    );
  });

  test('tells of changes in order, also of those that a listener causes', () => {
    const store = new Store<Thing>();
    const told: string[] = [];
    store.subscribe(({ after }) => {
      if (after?.uid === '1') store.put('b', thing('2', 2));
    });
    store.subscribe(({ key, before, after }) => {
      told.push(`${key} ${before?.uid ?? '-'} ${after?.uid ?? '-'}`);
    });
    store.put('a', thing('1', 1));
    store.delete('a');
    expect(told).toEqual(['a - 1', 'b - 2', 'a 1 -']);
  });

  test('lets every listener hear, and throws what one of them threw', () => {
    const store = new Store<Thing>();
    const heard: Change<Thing>[] = [];
    store.subscribe(() => {
      throw new Error('broken');
    });
    const stop = store.subscribe((change) => heard.push(change));
    expect(() => store.put('a', thing('1', 1))).toThrow(AggregateError);
    expect(heard).toHaveLength(1);
    stop();
    expect(() => store.delete('a')).toThrow('1 listeners');
    expect(heard).toHaveLength(1);
  });
});
