/** What a cloud would know of an instance, kept in an annotation of its Node. */
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import { CAPACITY_TYPE, INSTANCE_TYPE, ZONE } from '../../domain/values/labels.js';
import type { CloudInstance } from '../../ports/cloud.js';

/** The annotation, whose value is {@link Kept} as JSON. */
export const INSTANCE = 'berth.sh/kwok-instance';
export const PROVIDER = 'kwok://';
export const IMAGE = 'kwok';

export interface Kept {
  readonly token: string;
  readonly requestHash: string;
  readonly tags: Readonly<Record<string, string>>;
  /** Milliseconds since 1970. */
  readonly launchedAt: number;
  readonly terminated?: true;
}

/** undefined on Nodes that Berth did not write it on. */
export function keptOn({ annotations }: ObservedNode): Kept | undefined {
  const text = annotations.get(INSTANCE);
  try {
    return text === undefined ? undefined : (JSON.parse(text) as Kept);
  } catch {
    return undefined;
  }
}

/** The instance that the Node is, with what was kept of it. */
export function instanceOf({ labels, name }: ObservedNode, kept: Kept): CloudInstance {
  return {
    id: name,
    providerID: `${PROVIDER}${name}`,
    instanceType: labels.get(INSTANCE_TYPE) ?? '',
    zone: labels.get(ZONE) ?? '',
    capacityType: labels.get(CAPACITY_TYPE) === 'spot' ? 'spot' : 'on-demand',
    imageID: IMAGE,
    state: kept.terminated === true ? 'terminated' : 'running',
    launchedAt: kept.launchedAt,
    tags: new Map(Object.entries(kept.tags)),
  };
}
