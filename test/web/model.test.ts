/** What the page knows, as the stream tells it. */
import { Model } from '../../web/model.js';

function box(id: string, overrides = {}) {
  const [kind, name = ''] = id.split('/');
  const names = kind === 'NodeClaim' ? { claim: name } : { node: name };
  return { id, name, pool: 'general', cpu: 2000, createdAt: 0, ...names, ...overrides };
}

function pod(key: string, overrides = {}) {
  return { key, state: 'Bound', createdAt: 0, ...overrides };
}

function modelOf(boxes: readonly object[], pods: readonly object[]): Model {
  const model = new Model();
  model.replace({ time: 1, version: '0', synced: true, boxes, pods });
  return model;
}

function keysIn(model: Model, id: string): readonly string[] {
  return model.podsIn(id).map(({ key }: { readonly key: string }) => key);
}

test('planned pods are in their claim’s box, and stay there when its node comes', () => {
  const planned = { kind: 'NodeClaim', name: 'c1' };
  const model = modelOf([box('NodeClaim/c1')], [pod('a/one', { state: 'Planned', planned })]);
  expect(keysIn(model, 'NodeClaim/c1')).toEqual(['a/one']);
  model.apply({ boxes: [box('NodeClaim/c1', { node: 'n1' })], pods: [pod('a/one', { node: 'n1' })] });
  expect(keysIn(model, 'NodeClaim/c1')).toEqual(['a/one']);
  expect(model.pending()).toEqual([]);
});

test('a pause is shown from the total that tells of it to the one that does not', () => {
  const model = modelOf([], []);
  expect(model.paused).toBeUndefined();
  model.apply({ time: 2, synced: true, paused: 'Berth is paused: incident 42' });
  model.apply({ time: 3, pods: [] });
  expect(model.paused).toBe('Berth is paused: incident 42');
  model.apply({ time: 4, synced: true });
  expect(model.paused).toBeUndefined();
});

test('pods that came before the claim of their node is known move with it', () => {
  const model = modelOf([], [pod('a/one', { node: 'n1' })]);
  model.apply({ boxes: [box('NodeClaim/c1', { node: 'n1' })] });
  expect(keysIn(model, 'NodeClaim/c1')).toEqual(['a/one']);
  expect(keysIn(model, 'Node/n1')).toEqual([]);
});

test('what changed is to be drawn again, and nothing else', () => {
  const model = modelOf([box('Node/n1'), box('Node/n2')], [pod('a/one', { node: 'n1' })]);
  model.dirty.clear();
  model.rearranged = false;
  model.apply({ pods: [pod('a/one', { node: 'n2' })] });
  expect([...model.dirty].sort()).toEqual(['Node/n1', 'Node/n2']);
  expect(model.rearranged).toBe(false);
  model.apply({ goneBoxes: ['Node/n1'], gonePods: ['a/one'] });
  expect(keysIn(model, 'Node/n2')).toEqual([]);
  expect(model.rearranged).toBe(true);
});

test('pods without a place come first among those that wait', () => {
  const model = modelOf(
    [],
    [
      pod('a/planned', { state: 'Planned', planned: { kind: 'Node', name: 'n' } }),
      pod('a/waiting', { state: 'Waiting' }),
      pod('a/refused', { state: 'Refused' }),
      pod('a/gated', { state: 'Ignored' }),
    ],
  );
  expect(model.pending().map(({ key }: { readonly key: string }) => key)).toEqual([
    'a/refused',
    'a/waiting',
    'a/planned',
  ]);
});

test('the server’s history comes before what the page has seen itself', () => {
  const model = new Model();
  model.apply({ now: { time: 5 } });
  model.apply({ now: { time: 7 } });
  model.recall([{ time: 1 }, { time: 5 }]);
  expect(model.points.map(({ time }: { readonly time: number }) => time)).toEqual([1, 5, 7]);
});

test('a Decision that is sent again replaces the former', () => {
  const model = modelOf([], []);
  model.apply({ decisions: [{ name: 'd1', time: 1, outcome: '' }] });
  model.apply({
    decisions: [
      { name: 'd1', time: 1, outcome: 'launched' },
      { name: 'd0', time: 0, outcome: '' },
    ],
  });
  expect(model.decisions.map(({ name, outcome }: Record<string, unknown>) => [name, outcome])).toEqual([
    ['d0', ''],
    ['d1', 'launched'],
  ]);
});
