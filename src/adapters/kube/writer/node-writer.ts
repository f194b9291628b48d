/** Changes and deletes Nodes. */
import { encodeTaint } from '../../../apis/kubernetes/object/taints.js';
import { decodeObservedNode } from '../../../apis/kubernetes/nodes/observed-node.js';
import type { ObservedNode } from '../../../domain/nodes/observed-node.js';
import type { NodePatch, NodeWriter } from '../../../ports/kube-writer.js';
import { collectionPath, objectPath, patch, removeUnlessKept, type ApiClient } from './api-object.js';
import {
  changeEntries,
  changeFinalizers,
  changeList,
  sameObject,
  type PatchOperation,
} from './json-patch.js';

const NODES = collectionPath('v1', 'nodes');

export function nodeWriter(client: ApiClient): NodeWriter {
  return {
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
