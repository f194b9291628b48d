/** Nodes' memory as it is told on, with the type and the image of their instances. */
import type { MemoryReport } from '../../../src/ports/cloud.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { followMemoryReports } from '../../../src/state/nodes/memory-reports.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';

const PROVIDER_ID = 'aws:///eu-west-3a/i-1';
const REPORT = { instanceType: 'm5.large', imageID: 'ami-1', bytes: 7 * 2 ** 30 };
const node = {
  ...observedNode({ name: 'a', providerID: PROVIDER_ID }),
  capacity: new Map([['memory', REPORT.bytes]]),
};
const launched = nodeClaim({
  resourceVersion: '2',
  status: { providerID: PROVIDER_ID, instanceType: 'm5.large', imageID: 'ami-1' },
});

function follow(cluster: Cluster): readonly MemoryReport[] {
  const heard: MemoryReport[] = [];
  followMemoryReports(cluster, (report) => heard.push(report));
  return heard;
}

describe('followMemoryReports', () => {
  test('a node is told of when it comes, whether its claim is known before it or after', () => {
    const [first, second] = [new Cluster(), new Cluster()];
    const [early, late] = [follow(first), follow(second)];
    first.put('NodeClaim', launched);
    first.put('Node', node);
    second.put('Node', node);
    second.put('NodeClaim', launched);
    expect(early).toEqual([REPORT]);
    expect(late).toEqual([REPORT]);
  });

  test('nodes that run already are told of at once, as after a restart', () => {
    const cluster = new Cluster();
    cluster.put('Node', node);
    cluster.put('NodeClaim', launched);
    expect(follow(cluster)).toEqual([REPORT]);
  });

  test('each news of a node is told, and news of its claim that concern neither instance nor image are not', () => {
    const cluster = new Cluster();
    cluster.put('NodeClaim', launched);
    const heard = follow(cluster);
    cluster.put('Node', node);
    cluster.put('Node', { ...node, resourceVersion: '2', capacity: new Map([['memory', 6 * 2 ** 30]]) });
    cluster.put('NodeClaim', { ...launched, resourceVersion: '3' });
    expect(heard).toEqual([REPORT, { ...REPORT, bytes: 6 * 2 ** 30 }]);
  });

  test('nothing is told of a node without a claim, without an image or without memory', () => {
    const cluster = new Cluster();
    const heard = follow(cluster);
    cluster.put('Node', node);
    cluster.put('NodeClaim', { ...launched, status: { ...launched.status, imageID: undefined } });
    cluster.put('Node', { ...node, resourceVersion: '2', capacity: new Map() });
    cluster.put('NodeClaim', { ...launched, resourceVersion: '3' });
    expect(heard).toEqual([]);
  });
});
