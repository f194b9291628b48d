/** KWOK's nodes that change hands between Karpenter's KWOK provider, which keeps nothing on them, and Berth. */
import type { ObservedNode } from '../../domain/nodes/observed-node.js';
import type { InstanceHandover } from '../../ports/instance-handover.js';
import type { NodeWriter } from '../../ports/kube-writer.js';
import { PortError } from '../../ports/port-error.js';
import { INSTANCE, instanceOf, keptOn, PROVIDER, type Kept } from './kwok-instance.js';

export function kwokHandover(nodes: () => Iterable<ObservedNode>, writer: NodeWriter): InstanceHandover {
  /** As they were written here; the cluster may not be watched. */
  const written = new Map<string, ObservedNode>();

  const find = (name: string): ObservedNode | undefined =>
    written.get(name) ?? [...nodes()].find((node) => node.name === name);

  async function keep(node: ObservedNode, kept: Kept | undefined, signal?: AbortSignal): Promise<void> {
    const annotations = { [INSTANCE]: kept === undefined ? null : JSON.stringify(kept) };
    written.set(node.name, await writer.patchNode(node, { annotations }, signal));
  }

  return {
    karpenterTagKeys: [],
    karpenterTags: () => new Map(),
    manager: () => undefined,
    instances: (providerIDs) => {
      const wanted = new Set(providerIDs);
      const found = [...nodes()].filter(({ providerID = '' }) => wanted.has(providerID));
      return Promise.resolve(found.map((node) => instanceOf(node, keptOn(node) ?? unknownTo(node))));
    },
    addTags: async (id, tags, signal) => {
      const node = find(id);
      if (node?.providerID !== `${PROVIDER}${id}`)
        throw new PortError('NotFound', { operation: `tag ${id}`, message: 'there is no such KWOK node' });
      const kept = keptOn(node) ?? unknownTo(node);
      await keep(node, { ...kept, tags: { ...kept.tags, ...Object.fromEntries(tags) } }, signal);
    },
    removeTags: async (id, keys, signal) => {
      const node = find(id);
      const kept = node && keptOn(node);
      if (node === undefined || kept === undefined) return;
      const left = Object.entries(kept.tags).filter(([key]) => !keys.includes(key));
      // Without a tag it is none of Berth's.
      const isOurs = left.some(([key]) => key.startsWith('berth.sh/'));
      await keep(node, isOurs ? { ...kept, tags: Object.fromEntries(left) } : undefined, signal);
    },
  };
}

/** Of a node that another controller created. */
function unknownTo({ createdAt }: ObservedNode): Kept {
  return { token: '', requestHash: '', tags: {}, launchedAt: createdAt };
}
