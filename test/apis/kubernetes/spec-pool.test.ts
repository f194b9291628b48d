/** The specs that pods of one template share, when pods are written so that no two are alike. */
import { SpecPool } from '../../../src/apis/kubernetes/pods/pod-context.js';
import { observedPod } from '../../support/builders/observed-pod.js';

const { spec } = observedPod();
const key = (index: number, length: number): string => String(index).padEnd(length, 'x');

test('keeps one spec for each text that it was read from', () => {
  const pool = new SpecPool();
  pool.set('a', spec);
  expect([pool.get('a'), pool.get('b')]).toEqual([spec, undefined]);
});

test('holds texts of 32 million characters at most, whatever their number', () => {
  const pool = new SpecPool();
  const length = 50_000;
  const count = 2000;
  for (let index = 0; index < count; index++) pool.set(key(index, length), spec);
  const kept = Array.from({ length: count }, (_, index) => pool.get(key(index, length)) !== undefined);
  expect(kept.filter(Boolean).length * length).toBeLessThanOrEqual(32_000_000);
  expect(kept.at(-1)).toBe(true);
});

test('keeps no text longer than a pod of an ordinary template has', () => {
  const pool = new SpecPool();
  pool.set(key(0, 64_001), spec);
  expect(pool.get(key(0, 64_001))).toBeUndefined();
});
