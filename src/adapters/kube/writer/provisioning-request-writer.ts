/** Writes the conditions of ProvisioningRequests, in the version that they were read in. */
import {
  decodeProvisioningRequest,
  encodeRequestConditions,
} from '../../../apis/autoscaling/provisioning-request.js';
import type { ProvisioningRequestWriter } from '../../../ports/kube-writer.js';
import { MERGE_PATCH } from '../transport/index.js';
import { collectionPath, objectPath, write, type ApiClient } from './api-object.js';

export function provisioningRequestWriter(client: ApiClient): ProvisioningRequestWriter {
  return {
    putRequestConditions: (
      { apiVersion, namespace, name, resourceVersion, generation },
      conditions,
      signal,
    ) => {
      const requests = collectionPath(apiVersion, 'provisioningrequests', namespace);
      const request = {
        method: 'PATCH',
        path: objectPath(requests, name, 'status'),
        contentType: MERGE_PATCH,
        body: {
          metadata: { resourceVersion },
          status: { conditions: encodeRequestConditions(conditions, generation) },
        },
        operation: `patch provisioningrequests/${namespace}/${name}/status`,
        signal,
      } as const;
      return write(client, request, decodeProvisioningRequest);
    },
  };
}
