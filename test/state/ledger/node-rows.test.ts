/** Rows of nodes that come and go are found by the bytes of the nodes' names. */
import fc from 'fast-check';
import { NodeRows } from '../../../src/state/ledger/node-rows.js';
import type { PlacementNode } from '../../../src/planning/placement/placement-view.js';

const NAMES = Array.from({ length: 3000 }, (_, index) => `ip-10-0-${String(index)}.internal`);

function nodeOf(name: string, fullness = 0): PlacementNode {
  return {
    name,
    fullness,
    leaving: false,
    emptying: false,
    guarded: false,
    hourlyPrice: undefined,
    endsAt: Infinity,
  };
}

function find(rows: NodeRows, name: string): number {
  const bytes = new TextEncoder().encode(`"${name}"`);
  return rows.rowAt(bytes, 1, bytes.length - 1);
}

describe('NodeRows', () => {
  test('finds each known node by its bytes and by its name, in a row of its own, and no other', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 40 }), { maxLength: 200 }), (toggled) => {
        const rows = new NodeRows();
        const known = new Map<string, number>();
        for (const index of toggled) {
          const name = NAMES[index] ?? '';
          const row = known.get(name);
          if (row === undefined) known.set(name, rows.add(nodeOf(name)));
          else {
            rows.remove(row);
            known.delete(name);
          }
        }
        for (const name of NAMES.slice(0, 42)) {
          expect(find(rows, name)).toBe(known.get(name) ?? -1);
          expect(rows.rowOf(name)).toBe(known.get(name) ?? -1);
        }
        expect(new Set(known.values()).size).toBe(known.size);
      }),
    );
  });

  test('keeps what it knows of each when there are more than it had room for, and when many have gone', () => {
    const rows = new NodeRows();
    NAMES.forEach((name, index) => {
      const row = rows.add(nodeOf(name, index / NAMES.length));
      rows.hourlyPrice[row] = index;
    });
    for (let round = 0; round < 4; round++)
      for (const name of NAMES.slice(0, 2500)) {
        rows.remove(rows.rowOf(name));
        rows.add(nodeOf(name, 0.5));
      }
    const kept = find(rows, NAMES[2900] ?? '');
    expect([rows.hourlyPrice[kept], rows.fullnessAt(kept)]).toEqual([2900, 2900 / NAMES.length]);
    expect(rows.fullnessAt(find(rows, NAMES[7] ?? ''))).toBe(0.5);
    expect(find(rows, 'ip-10-0-3000.internal')).toBe(-1);
  });

  test('tells names with the same hash apart', () => {
    // FNV-1a of both is the same, with the usual prime and with 0x5bd1e995.
    const one = 'node-yujfktzl5uzl5uzlg2ap5uzl5uzlg2apg2ap5uzlg2apg2ap5uzlg2ap5uzl5uzl5uzl5uzl5uzl';
    const other = 'node-1wfhktzlg2ap5uzl5uzlg2ap5uzlg2ap5uzlg2ap5uzlg2apg2apg2ap5uzl5uzlg2ap5uzl5uzl';
    const rows = new NodeRows();
    const row = rows.add(nodeOf(one));
    expect(find(rows, other)).toBe(-1);
    const second = rows.add(nodeOf(other));
    expect([find(rows, one), find(rows, other)]).toEqual([row, second]);
    rows.remove(row);
    expect([find(rows, one), find(rows, other)]).toEqual([-1, second]);
  });

  test('asks for the fullness of a node again only once it may have changed', () => {
    let asked = 0;
    const rows = new NodeRows();
    const row = rows.add({
      ...nodeOf('a'),
      get fullness() {
        asked++;
        return asked / 10;
      },
    });
    expect([rows.fullnessAt(row), rows.fullnessAt(row)]).toEqual([0.1, 0.1]);
    rows.touch(row);
    expect(rows.fullnessAt(row)).toBe(0.2);
  });
});
