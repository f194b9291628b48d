/** Reads what CapacityBuffers are made for, and writes their status. */
import { formatPath } from '../../../apis/decode/format-path.js';
import {
  decodeBufferTemplate,
  decodeCapacityBuffer,
  encodeCapacityBufferStatus,
} from '../../../apis/autoscaling/capacity-buffer.js';
import type { BufferedKind } from '../../../domain/pods/capacity-buffer.js';
import { PortError } from '../../../ports/port-error.js';
import type { BufferWriter } from '../../../ports/kube-writer.js';
import { collectionPath, objectPath, patch, type ApiClient } from './api-object.js';
import { sameObject } from './json-patch.js';

const COLLECTIONS: Readonly<Record<BufferedKind, readonly [groupVersion: string, plural: string]>> = {
  PodTemplate: ['v1', 'podtemplates'],
  Deployment: ['apps/v1', 'deployments'],
  ReplicaSet: ['apps/v1', 'replicasets'],
  StatefulSet: ['apps/v1', 'statefulsets'],
};

export function bufferWriter(client: ApiClient): BufferWriter {
  return {
    readBufferTemplate: async ({ kind, namespace, name }, signal) => {
      const [groupVersion, plural] = COLLECTIONS[kind];
      const operation = `get ${plural}/${namespace}/${name}`;
      const path = objectPath(collectionPath(groupVersion, plural, namespace), name);
      const answer = await client.request({ method: 'GET', path, operation, signal });
      const { value, findings } = decodeBufferTemplate(kind, answer);
      const errors = findings.filter(({ severity }) => severity === 'error');
      if (value !== undefined && errors.length === 0) return value;
      const words = errors.map((error) => `${formatPath(error.path)} ${error.text}`.trimStart());
      const message = words.length > 0 ? words.join('; ') : 'it has no pod template';
      throw new PortError('Invalid', { operation, message });
    },

    putBufferStatus: (buffer, status, signal) => {
      const { apiVersion, namespace, name, resourceVersion } = buffer;
      const collection = collectionPath(apiVersion, 'capacitybuffers', namespace);
      const request = {
        path: objectPath(collection, name, 'status'),
        body: [
          sameObject(buffer),
          { op: 'test', path: '/metadata/resourceVersion', value: resourceVersion } as const,
          { op: 'add', path: '/status', value: encodeCapacityBufferStatus(status) } as const,
        ],
        operation: `patch capacitybuffers/${namespace}/${name}/status`,
        signal,
      };
      return patch(client, request, (answer) => decodeCapacityBuffer(apiVersion, answer));
    },
  };
}
