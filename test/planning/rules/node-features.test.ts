/** Features that kubelets declare and pods need. */
import { node } from '../../support/builders/node.js';
import { pod } from '../../support/builders/pod.js';
import { placeOf, planFor } from '../read-plan.js';

describe('plan, by declared features', () => {
  const pods = [pod({ requiredFeatures: ['GuaranteedQoSPodCPUResize', 'UserNamespacesHostNetwork'] })];

  test('takes the existing node that declares every feature the pod needs', () => {
    const nodes = [
      node({ name: 'one', declaredFeatures: ['GuaranteedQoSPodCPUResize'] }),
      node({ name: 'two', declaredFeatures: ['GuaranteedQoSPodCPUResize', 'UserNamespacesHostNetwork'] }),
    ];
    expect(placeOf(planFor({ pods, nodes }))).toBe('two');
  });

  test('launches instead of using a node whose kubelet declares nothing', () => {
    expect(placeOf(planFor({ pods, nodes: [node()] }))).toBe('default-1');
  });

  test('does not ask for features that the pod does not need', () => {
    expect(placeOf(planFor({ pods: [pod()], nodes: [node()] }))).toBe('node');
  });
});
