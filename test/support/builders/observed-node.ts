/** Nodes as the API server shows them, for tests: registered and ready. */
import type { ObservedNode } from '../../../src/domain/nodes/observed-node.js';
import { labels, type LabelRecord } from './pod.js';
import { node, type NodeOverrides } from './node.js';

export interface ObservedNodeOverrides
  extends NodeOverrides, Partial<Omit<ObservedNode, keyof NodeOverrides | 'annotations' | 'capacity'>> {
  readonly annotations?: LabelRecord;
}

/** `node`, created at the start of 2026. */
export function observedNode(overrides: ObservedNodeOverrides = {}): ObservedNode {
  const known = node(overrides);
  return {
    ...known,
    uid: overrides.uid ?? `uid-node-${known.name}`,
    resourceVersion: overrides.resourceVersion ?? '1',
    createdAt: overrides.createdAt ?? Date.UTC(2026, 0, 1),
    deletionTimestamp: overrides.deletionTimestamp,
    finalizers: overrides.finalizers ?? [],
    bootID: overrides.bootID ?? `boot-${known.name}`,
    annotations: labels(overrides.annotations),
    ready: overrides.ready ?? true,
    readySince: overrides.readySince ?? Date.UTC(2026, 0, 1),
    conditions: overrides.conditions ?? [],
  };
}
