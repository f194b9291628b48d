/** Pods whose in-place resize is Deferred. */
import {
  asksToMove,
  mayMoveForResize,
  MOVED_FOR_ANNOTATION,
  movedForText,
} from '../../../src/domain/pods/deferred-resize.js';
import type { ObservedPod } from '../../../src/domain/pods/observed-pod.js';
import { observedPod, type ObservedPodOverrides } from '../../support/builders/observed-pod.js';
import { amounts } from '../../support/builders/pod.js';

const MOVES = { 'berth.sh/move-deferred-resize': 'true' };

function deferred(overrides: ObservedPodOverrides = {}): ObservedPod {
  return observedPod({
    nodeName: 'node-1',
    owner: { kind: 'ReplicaSet', name: 'web' },
    resizeDeferred: true,
    annotations: MOVES,
    requests: { cpu: '2' },
    ...overrides,
  });
}

test('a running pod whose resize is Deferred asks to move where it is annotated, and no other does', () => {
  expect(asksToMove(deferred())).toBe(true);
  expect(asksToMove(deferred({ annotations: {} }))).toBe(false);
  expect(asksToMove(deferred({ annotations: { 'berth.sh/move-deferred-resize': 'yes' } }))).toBe(false);
  expect(asksToMove(deferred({ resizeDeferred: false }))).toBe(false);
  expect(asksToMove(deferred({ nodeName: undefined }))).toBe(false);
});

test.each([
  ['as much as', '2', false],
  ['more than', '3', false],
  ['less than', '1', true],
])(
  'a pod that came when one was moved for %s it asks for now is not moved for that again: %s',
  (_, cpu, may) => {
    const text = movedForText(amounts({ cpu, memory: '128Mi', pods: '1' }));
    const annotations = { ...MOVES, [MOVED_FOR_ANNOTATION]: text };
    expect(mayMoveForResize(deferred({ annotations, requests: { cpu: '2', memory: '128Mi' } }))).toBe(may);
  },
);

test.each(['{', 'null', '"cpu"'])('a text that says nothing, %s, keeps no pod from moving', (text) => {
  expect(mayMoveForResize(deferred({ annotations: { ...MOVES, [MOVED_FOR_ANNOTATION]: text } }))).toBe(true);
});

test.each<[string, ObservedPodOverrides]>([
  ['of a DaemonSet', { owner: { kind: 'DaemonSet', name: 'agent' } }],
  ['that is going', { terminating: true }],
  ['of a StatefulSet that is going', { owner: { kind: 'StatefulSet', name: 'db' }, terminating: true }],
])('a pod %s is not moved', (_, overrides) => {
  expect(mayMoveForResize(deferred(overrides))).toBe(false);
});
