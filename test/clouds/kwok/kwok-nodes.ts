/** Nodes of an API server, as far as the KWOK cloud writes them. */
import type { ObservedNode } from '../../../src/domain/nodes/observed-node.js';
import type { NodeCreator, NodeWriter } from '../../../src/ports/kube-writer.js';
import { PortError } from '../../../src/ports/port-error.js';

export class KwokNodes {
  readonly nodes = new Map<string, ObservedNode>();
  /** Whether Berth lacks the permission to create Nodes. */
  isForbidden = false;
  #version = 0;

  readonly writer: NodeCreator & NodeWriter = {
    createNode: (node) => {
      if (this.isForbidden)
        return Promise.reject(new PortError('Forbidden', { operation: 'create', message: 'nodes' }));
      if (this.nodes.has(node.name))
        return Promise.reject(new PortError('AlreadyExists', { operation: 'create', message: node.name }));
      return Promise.resolve(
        this.#put({
          ...node,
          uid: `uid-${node.name}`,
          resourceVersion: '',
          createdAt: 0,
          deletionTimestamp: undefined,
          finalizers: [],
          bootID: '',
          unschedulable: false,
          volumeLimits: new Map(),
          declaredFeatures: undefined,
          ready: false,
          readySince: undefined,
          conditions: [],
        }),
      );
    },
    putBootID: ({ name }, bootID) => {
      const node = this.nodes.get(name);
      if (node === undefined)
        return Promise.reject(new PortError('NotFound', { operation: 'patch', message: name }));
      return Promise.resolve(this.#put({ ...node, bootID }));
    },
    patchNode: ({ name }, { annotations = {} }) => {
      const node = this.nodes.get(name);
      if (node === undefined)
        return Promise.reject(new PortError('NotFound', { operation: 'patch', message: name }));
      const changed = new Map(node.annotations);
      for (const [key, value] of Object.entries(annotations))
        if (value === null) changed.delete(key);
        else changed.set(key, value);
      return Promise.resolve(this.#put({ ...node, annotations: changed }));
    },
    deleteNode: ({ name }) => {
      this.nodes.delete(name);
      return Promise.resolve(undefined);
    },
  };

  #put(node: ObservedNode): ObservedNode {
    const stored = { ...node, resourceVersion: String(++this.#version) };
    this.nodes.set(node.name, stored);
    return stored;
  }
}
