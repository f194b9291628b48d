/** Writes the status of ProvisioningRequests, in the version that they were read in. */
import {
  decodeProvisioningRequest,
  encodeRequestStatus,
} from '../../../apis/autoscaling/provisioning-request.js';
import type { ProvisioningRequestWriter } from '../../../ports/kube-writer.js';
import { MERGE_PATCH } from '../transport/index.js';
import { collectionPath, objectPath, write, type ApiClient } from './api-object.js';

export function provisioningRequestWriter(client: ApiClient): ProvisioningRequestWriter {
  return {
    putRequestStatus: (known, status, signal) => {
      const { apiVersion, namespace, name, resourceVersion } = known;
      const requests = collectionPath(apiVersion, 'provisioningrequests', namespace);
      const request = {
        method: 'PATCH',
        path: objectPath(requests, name, 'status'),
        contentType: MERGE_PATCH,
        body: { metadata: { resourceVersion }, status: encodeRequestStatus(status, known) },
        operation: `patch provisioningrequests/${namespace}/${name}/status`,
        signal,
      } as const;
      return write(client, request, decodeProvisioningRequest);
    },
  };
}
