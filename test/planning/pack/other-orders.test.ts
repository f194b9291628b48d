/** Small problems are packed in several orders: what one of them leaves out or pays for, another may not. */
import { ZONE } from '../../../src/domain/values/labels.js';
import { podTerm, spreadOver } from '../../support/builders/constraints.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { smallCatalogue } from '../../support/builders/instance-type.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { claimSizes, leftOut, placeOf, planFor } from '../read-plan.js';

const SMALL = { cpu: '100m', memory: '128Mi' };
const GPU_NAME = 'karpenter.k8s.aws/instance-gpu-name';

describe('plan, of few pods', () => {
  test('places a pod that no more than one neighbour may join before the pods that may go anywhere', () => {
    const web = { app: 'web' };
    const strict = pod({
      name: 'strict',
      labels: web,
      requests: SMALL,
      spread: [{ ...spreadOver(ZONE, web), minDomains: 4 }],
    });
    const plan = planFor({ pods: [strict, ...replicas(3, { name: 'any', labels: web, requests: SMALL })] });
    expect(leftOut(plan)).toEqual([]);
  });

  test('fills an expensive node that some pods need with those that may go anywhere', () => {
    const plan = planFor({
      pools: [poolOffer({}, smallCatalogue())],
      pods: [
        ...replicas(2, { name: 'needs-gpu', requests: SMALL, nodeSelector: { [GPU_NAME]: 'a10g' } }),
        ...replicas(3, { name: 'any', requests: { cpu: '1', memory: '4Gi' } }),
      ],
    });
    expect(claimSizes(plan)).toEqual([5]);
  });

  test('keeps pods that shun others from being left without a zone', () => {
    const shy = pod({
      name: 'shy',
      labels: { app: 'a' },
      requests: { cpu: '1', memory: '1Gi' },
      podAntiAffinity: { required: [podTerm(ZONE, { app: 'b' })] },
    });
    const plan = planFor({
      pods: [shy, ...replicas(9, { name: 'b', labels: { app: 'b' }, requests: SMALL })],
    });
    expect(leftOut(plan)).toEqual([]);
    expect(placeOf(plan, 'shy')).toBeDefined();
  });
});
