/** Reads and changes how many replicas a Deployment is to have, by its subresource scale. */
import { decodeScale } from '../../../apis/kubernetes/workloads/scale.js';
import type { ScaleWriter } from '../../../ports/kube-writer.js';
import { collectionPath, decoded, objectPath, patch, type ApiClient } from './api-object.js';
import { changeValue, sameObject } from './json-patch.js';

export function scaleWriter(client: ApiClient): ScaleWriter {
  return {
    readScale: async (deployment, signal) => {
      const [namespace = '', name = ''] = deployment.split('/');
      const operation = `get deployments/${deployment}/scale`;
      const path = scalePath(namespace, name);
      return decoded(
        operation,
        decodeScale(await client.request({ method: 'GET', path, operation, signal })),
      );
    },

    setReplicas: (scale, replicas, signal) => {
      const { namespace, name, resourceVersion } = scale;
      const request = {
        path: scalePath(namespace, name),
        body: [
          sameObject(scale),
          { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion } as const,
          ...changeValue('/spec/replicas', scale.replicas, replicas),
        ],
        operation: `patch deployments/${namespace}/${name}/scale`,
        signal,
      };
      return patch(client, request, decodeScale);
    },
  };
}

function scalePath(namespace: string, name: string): string {
  return objectPath(collectionPath('apps/v1', 'deployments', namespace), name, 'scale');
}
