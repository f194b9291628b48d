/** CapacityBuffers for tests: for three pods of the PodTemplate of their own name, unless said otherwise. */
import { ACTIVE_CAPACITY, type CapacityBuffer } from '../../../src/domain/pods/capacity-buffer.js';

export function capacityBuffer(overrides: Partial<CapacityBuffer> = {}): CapacityBuffer {
  const name = overrides.name ?? 'spare';
  return {
    namespace: 'default',
    name,
    uid: `uid-${name}`,
    resourceVersion: '1',
    generation: 1,
    apiVersion: 'autoscaling.x-k8s.io/v1beta1',
    strategy: ACTIVE_CAPACITY,
    template: { kind: 'PodTemplate', apiGroup: '', name },
    replicas: 3,
    percentage: undefined,
    limits: new Map(),
    window: undefined,
    status: { podTemplate: undefined, replicas: undefined, strategy: undefined, conditions: [] },
    ...overrides,
  };
}
