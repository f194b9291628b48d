/** Host ports: two pods on one node do not bind the same one, DaemonSets' pods included. */
import type { HostPort } from '../../../src/domain/pods/pod.js';
import { ARCH } from '../../../src/domain/values/labels.js';
import { daemonSet } from '../../support/builders/daemon-set.js';
import { smallCatalogue } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { claimSizes, firstTypes, placeOf, planFor, reasonFor } from '../read-plan.js';

const GPU_NAME = 'karpenter.k8s.aws/instance-gpu-name';

function port(number: number, overrides: Partial<HostPort> = {}): HostPort {
  return { hostIP: '0.0.0.0', protocol: 'TCP', port: number, ...overrides };
}

function binding(name: string, ...hostPorts: readonly HostPort[]): ReturnType<typeof pod> {
  return pod({ name, hostPorts });
}

describe('plan, by host ports', () => {
  test('gives each pod of one template a node of its own', () => {
    expect(claimSizes(planFor({ pods: replicas(3, { hostPorts: [port(80)] }) }))).toEqual([1, 1, 1]);
  });

  test.each([
    ['the same port', port(80), port(80), [1, 1]],
    ['another port', port(80), port(81), [2]],
    ['another protocol', port(80), port(80, { protocol: 'UDP' }), [2]],
    ['other addresses', port(80, { hostIP: '10.0.0.1' }), port(80, { hostIP: '10.0.0.2' }), [2]],
    ['one address and all addresses', port(80, { hostIP: '10.0.0.1' }), port(80), [1, 1]],
  ])('two pods with %s need nodes of %#', (_, left, right, sizes) => {
    expect(claimSizes(planFor({ pods: [binding('left', left), binding('right', right)] }))).toEqual(sizes);
  });

  test('lets a pod with a port share the expensive node of one without, and no node with one that has it too', () => {
    const gpu = [poolOffer({}, smallCatalogue())];
    const plan = planFor({
      pools: gpu,
      pods: [
        pod({ name: 'gpu', requests: { 'nvidia.com/gpu': '1' } }),
        pod({ name: 'near', hostPorts: [port(80)], nodeSelector: { [GPU_NAME]: 'a10g' } }),
        ...replicas(3, { name: 'web', hostPorts: [port(80)] }),
      ],
    });
    expect(placeOf(plan, 'near')).toBe(placeOf(plan, 'gpu'));
    expect(claimSizes(plan)).toEqual([2, 1, 1, 1]);
  });

  test('looks at every port of a pod', () => {
    const pods = [binding('left', port(80), port(443)), binding('right', port(8080), port(443))];
    expect(claimSizes(planFor({ pods }))).toEqual([1, 1]);
  });

  test('keeps off a node where a running pod binds the port', () => {
    const nodes = [node({ name: 'one' }), node({ name: 'two' })];
    const pods = [pod({ name: 'proxy', nodeName: 'one', hostPorts: [port(80)] }), binding('web', port(80))];
    expect(placeOf(planFor({ pods, nodes }), 'web')).toBe('two');
  });
});

describe("plan, by DaemonSets' host ports", () => {
  const agent = daemonSet({ hostPorts: [port(9100)] });

  test('leaves out a pod whose port a DaemonSet takes on every new node', () => {
    const plan = planFor({ pods: [binding('pod', port(9100))], daemonSets: [agent] });
    expect(reasonFor(plan)).toMatchObject({ code: 'HostPortConflict', port: 9100 });
  });

  test('names the port that is taken, not the first of the pod', () => {
    const plan = planFor({ pods: [binding('pod', port(80), port(9100))], daemonSets: [agent] });
    expect(reasonFor(plan)).toMatchObject({ code: 'HostPortConflict', port: 9100 });
  });

  test('takes a type on which that DaemonSet does not run', () => {
    const arm = daemonSet({ hostPorts: [port(9100)], nodeSelector: { [ARCH]: 'arm64' } });
    const plan = planFor({ pods: [binding('pod', port(9100))], daemonSets: [arm] });
    expect(firstTypes(plan)).toEqual(['c6i.large']);
    expect(plan.claims[0]?.instanceTypes.filter((name) => name.includes('7g'))).toEqual([]);
  });

  test('takes a pool on which that DaemonSet does not run', () => {
    const pools = [poolOffer({ name: 'a', labels: { agent: 'yes' } }), poolOffer({ name: 'b' })];
    const some = daemonSet({ hostPorts: [port(9100)], nodeSelector: { agent: 'yes' } });
    expect(placeOf(planFor({ pods: [binding('pod', port(9100))], pools, daemonSets: [some] }))).toBe('b-1');
  });

  test("keeps off an existing node on which the DaemonSet's pod is still to come", () => {
    const nodes = [node({ name: 'one' }), node({ name: 'two', labels: { agent: 'no' } })];
    const some = daemonSet({ hostPorts: [port(9100)], nodeSelector: { agent: 'yes' } });
    const labelled = [node({ name: 'one', labels: { agent: 'yes' } }), ...nodes.slice(1)];
    const plan = planFor({ pods: [binding('pod', port(9100))], nodes: labelled, daemonSets: [some] });
    expect(placeOf(plan)).toBe('two');
  });
});
