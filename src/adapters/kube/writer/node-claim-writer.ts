/** Writes NodeClaims. */
import { decodeNodeClaim, encodeNewNodeClaim, encodeNodeClaim } from '../../../apis/berth/node-claim.js';
import { TERMINATION_FINALIZER } from '../../../domain/nodes/node-claim.js';
import type { NodeClaimWriter } from '../../../ports/kube-writer.js';
import { collectionPath, objectPath, patch, removeUnlessKept, write, type ApiClient } from './api-object.js';
import { changeEntries, changeFinalizers, sameObject } from './json-patch.js';

const NODE_CLAIMS = collectionPath('berth.sh/v1', 'nodeclaims');

export function nodeClaimWriter(client: ApiClient): NodeClaimWriter {
  return {
    createNodeClaim: (claim, signal) => {
      const body = encodeNewNodeClaim(claim);
      const operation = `create nodeclaims/${claim.name}`;
      return write(client, { method: 'POST', path: NODE_CLAIMS, body, operation, signal }, decodeNodeClaim);
    },

    annotateNodeClaim: (claim, annotations, signal) => {
      const request = {
        path: objectPath(NODE_CLAIMS, claim.name),
        body: [sameObject(claim), ...changeEntries('/metadata/annotations', claim.annotations, annotations)],
        operation: `annotate nodeclaims/${claim.name}`,
        signal,
      };
      return patch(client, request, decodeNodeClaim);
    },

    putNodeClaimStatus: (claim, status, signal) => {
      const path = objectPath(NODE_CLAIMS, claim.name, 'status');
      const body = encodeNodeClaim({ ...claim, status });
      const operation = `update nodeclaims/${claim.name}/status`;
      return write(client, { method: 'PUT', path, body, operation, signal }, decodeNodeClaim);
    },

    deleteNodeClaim: ({ name, uid }, signal) => {
      const path = objectPath(NODE_CLAIMS, name);
      const removal = { path, operation: `delete nodeclaims/${name}`, preconditions: { uid }, signal };
      return removeUnlessKept(client, removal, decodeNodeClaim);
    },

    holdNodeClaim: (claim, signal) => {
      const request = {
        path: objectPath(NODE_CLAIMS, claim.name),
        body: [sameObject(claim), ...changeFinalizers(claim.finalizers, { add: [TERMINATION_FINALIZER] })],
        operation: `add the finalizer to nodeclaims/${claim.name}`,
        signal,
      };
      return patch(client, request, decodeNodeClaim);
    },

    releaseNodeClaim: (claim, signal) => {
      const request = {
        path: objectPath(NODE_CLAIMS, claim.name),
        body: [sameObject(claim), ...changeFinalizers(claim.finalizers, { remove: [TERMINATION_FINALIZER] })],
        operation: `release nodeclaims/${claim.name}`,
        signal,
      };
      return patch(client, request, decodeNodeClaim);
    },
  };
}
