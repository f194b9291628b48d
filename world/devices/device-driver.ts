/**
 * A DRA driver like NVIDIA's (gpu.nvidia.com): publishes one ResourceSlice for each node that has GPUs, as soon as the node says
 * so, with a device for each. What it knows of a GPU it knows by the instance type, in its own words.
 */
import type { Actor, ActorContext } from '../cluster/actor.js';
import { isOvertaken } from '../cluster/cluster-api.js';
import type { KubeObject, OwnerReference } from '../cluster/objects.js';

export const RESOURCE_SLICES = 'resourceslices.resource.k8s.io';
const DRIVER = 'gpu.nvidia.com';
const GPUS = 'nvidia.com/gpu';
const INSTANCE_TYPE = 'node.kubernetes.io/instance-type';
const NAME = 'dra-driver';
/** From the node's word of its GPUs to the driver's. */
const PUBLISH_MILLIS = { from: 500, to: 2_000 };

/** Family of instance types → product, architecture, memory. */
const PRODUCTS: Readonly<Record<string, readonly [string, string, string]>> = {
  g4dn: ['Tesla T4', 'Turing', '15360Mi'],
  g5: ['NVIDIA A10G', 'Ampere', '23028Mi'],
  g6: ['NVIDIA L4', 'Ada Lovelace', '23034Mi'],
};

/** A ResourceSlice that is about to be created. */
interface NewSlice {
  readonly metadata: { readonly name: string; readonly ownerReferences: readonly OwnerReference[] };
  readonly spec: unknown;
  readonly [field: string]: unknown;
}

/** What a node shows of itself, in either world. */
interface GpuNode {
  readonly metadata: {
    readonly name: string;
    readonly uid: string;
    readonly labels?: Readonly<Record<string, string>> | undefined;
  };
  readonly status?:
    { readonly allocatable?: Readonly<Record<string, string | number>> | undefined } | undefined;
}

/** The slice of a node; undefined for a node without GPUs, and for one whose GPUs the driver does not know. */
export function sliceOf({ metadata, status }: GpuNode): NewSlice | undefined {
  const { name, uid, labels = {} } = metadata;
  const count = Number(status?.allocatable?.[GPUS] ?? 0);
  const product = PRODUCTS[(labels[INSTANCE_TYPE] ?? '').split('.')[0] ?? ''];
  if (count === 0 || product === undefined) return undefined;
  const [productName, architecture, memory] = product;
  return {
    metadata: {
      name: `${name}-${DRIVER}`,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid, controller: true }],
    },
    spec: {
      driver: DRIVER,
      nodeName: name,
      pool: { name, generation: 1, resourceSliceCount: 1 },
      devices: Array.from({ length: count }, (_, index) => ({
        name: `gpu-${String(index)}`,
        attributes: {
          type: { string: 'gpu' },
          index: { int: index },
          productName: { string: productName },
          architecture: { string: architecture },
        },
        capacity: { memory: { value: memory } },
      })),
    },
  };
}

/** Slices go with their nodes. */
export function deviceDriver({ api, clock, chance, trace }: ActorContext): Actor {
  const due = new Map<string, () => void>();
  let stop = (): void => undefined;
  const publish = async (slice: NewSlice, node: string): Promise<void> => {
    due.delete(node);
    try {
      await api.create(RESOURCE_SLICES, slice);
      trace.add(NAME, `node/${node}`, 'devices published');
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
  };
  const observe = (node: KubeObject): void => {
    const { name } = node.metadata;
    const slice = due.has(name) ? undefined : sliceOf(node);
    if (slice === undefined || api.get(RESOURCE_SLICES, { name: `${name}-${DRIVER}` }) !== undefined) return;
    const millis = chance.within(`publish ${name}`, PUBLISH_MILLIS);
    due.set(
      name,
      clock.timer(millis, () => void publish(slice, name)),
    );
  };
  return {
    start: () => {
      stop = api.watch('nodes', ({ type, object }) => {
        if (type !== 'DELETED') observe(object);
        else void forget(object.metadata.name);
      });
    },
    stop: () => {
      stop();
      for (const cancel of due.values()) cancel();
    },
  };

  async function forget(node: string): Promise<void> {
    due.get(node)?.();
    due.delete(node);
    try {
      await api.delete(RESOURCE_SLICES, { name: `${node}-${DRIVER}` });
    } catch (error) {
      if (!isOvertaken(error)) throw error;
    }
  }
}
