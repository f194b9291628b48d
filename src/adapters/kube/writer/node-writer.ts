/** Changes and deletes Nodes. */
import { encodeTaint } from '../../../apis/kubernetes/object/taints.js';
import { decodeObservedNode } from '../../../apis/kubernetes/nodes/observed-node.js';
import type { ObservedNode } from '../../../domain/nodes/observed-node.js';
import { formatAmount, type ResourceList } from '../../../domain/values/resources.js';
import type { JsonObject } from '../../../domain/policies/policy.js';
import type { NewNode, NodeCreator, NodePatch, NodeWriter } from '../../../ports/kube-writer.js';
import { collectionPath, objectPath, patch, removeUnlessKept, write, type ApiClient } from './api-object.js';
import {
  changeEntries,
  changeFinalizers,
  changeList,
  sameObject,
  type PatchOperation,
} from './json-patch.js';

const NODES = collectionPath('v1', 'nodes');

export function nodeWriter(client: ApiClient): NodeWriter & NodeCreator {
  return {
    createNode: (node, signal) => {
      const operation = `create nodes/${node.name}`;
      const request = { method: 'POST', path: NODES, body: encodeNewNode(node), operation, signal } as const;
      return write(client, request, (answer) => decodeObservedNode(answer, new Map()));
    },

    putBootID: (node, bootID, signal) => {
      const request = {
        path: objectPath(NODES, node.name, 'status'),
        body: [sameObject(node), { op: 'add', path: '/status/nodeInfo/bootID', value: bootID } as const],
        operation: `patch nodes/${node.name}/status`,
        signal,
      };
      return patch(client, request, (answer) => decodeObservedNode(answer, node.volumeLimits));
    },

    patchNode: (node, change, signal) => {
      const request = {
        path: objectPath(NODES, node.name),
        body: operations(node, change),
        operation: `patch nodes/${node.name}`,
        signal,
      };
      // The limits are those of the CSINode, which this does not change.
      return patch(client, request, (answer) => decodeObservedNode(answer, node.volumeLimits));
    },

    deleteNode: ({ name, uid, volumeLimits }, signal) => {
      const path = objectPath(NODES, name);
      const removal = { path, operation: `delete nodes/${name}`, preconditions: { uid }, signal };
      return removeUnlessKept(client, removal, (answer) => decodeObservedNode(answer, volumeLimits));
    },
  };
}

/** The API server takes the status of a Node at its creation. */
function encodeNewNode(node: NewNode): JsonObject {
  const { name, labels, annotations, taints, providerID, capacity, allocatable } = node;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: Object.fromEntries(labels), annotations: Object.fromEntries(annotations) },
    spec: { providerID, taints: taints.map(encodeTaint) },
    status: { capacity: amounts(capacity), allocatable: amounts(allocatable) },
  };
}

function amounts(resources: ResourceList): JsonObject {
  return Object.fromEntries([...resources].map(([name, amount]) => [name, formatAmount(name, amount)]));
}

function operations(node: ObservedNode, change: NodePatch): readonly PatchOperation[] {
  return [
    sameObject(node),
    ...changeEntries('/metadata/labels', node.labels, change.labels),
    ...changeEntries('/metadata/annotations', node.annotations, change.annotations),
    ...changeFinalizers(node.finalizers, change.finalizers),
    ...changeList(
      {
        path: '/spec/taints',
        known: node.taints,
        identity: ({ key, effect }) => [
          ['/key', key],
          ['/effect', effect],
        ],
        encode: encodeTaint,
      },
      change.taints,
    ),
  ];
}
