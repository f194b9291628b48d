/** What nodes report of their memory, with what is known of their instances. */
import type { NodeClaim } from '../../domain/nodes/node-claim.js';
import { MEMORY } from '../../domain/values/resources.js';
import type { MemoryReport } from '../../ports/cloud.js';
import type { Cluster } from '../cluster/cluster.js';

type Known = Pick<Cluster, 'nodes' | 'nodeClaims' | 'nodeByProviderID' | 'claimByProviderID'>;

/**
 * Tells of each node that runs on the instance of a NodeClaim: now, and each time that there is news of it. After a restart that is
 * every node, so that nothing of it has to be stored.
 */
export function followMemoryReports(cluster: Known, hear: (report: MemoryReport) => void): void {
  const tell = (claim: NodeClaim | undefined): void => {
    const { providerID, instanceType, imageID } = claim?.status ?? {};
    if (providerID === undefined || instanceType === undefined || imageID === undefined) return;
    const bytes = cluster.nodeByProviderID(providerID)?.capacity.get(MEMORY) ?? 0;
    if (bytes > 0) hear({ instanceType, imageID, bytes });
  };
  for (const claim of cluster.nodeClaims.values()) tell(claim);
  cluster.nodes.subscribe(({ after }) => {
    if (after?.providerID !== undefined) tell(cluster.claimByProviderID(after.providerID));
  });
  cluster.nodeClaims.subscribe(({ before, after }) => {
    if (
      before?.status.providerID !== after?.status.providerID ||
      before?.status.imageID !== after?.status.imageID
    )
      tell(after);
  });
}
