/** What must hold at the end: every instance has a claim and a node, and nothing waits. */
import { instanceID } from '../../../src/domain/nodes/node-claim.js';
import { pendingPods } from './cluster-view.js';
import { finding, type Finding, type StageContext } from './stage.js';

export function endState({ cluster, levers }: StageContext): readonly Finding[] {
  const running = levers
    .instances()
    .filter(({ state }) => state === 'running' || state === 'pending')
    .map(({ id }) => id)
    .sort();
  const claimed = [...cluster.nodeClaims.values()]
    .flatMap(({ status }) => (status.providerID === undefined ? [] : instanceID(status.providerID)))
    .sort();
  return [
    finding('instances without a NodeClaim', 0, running.filter((id) => !claimed.includes(id)).length),
    finding('NodeClaims without an instance', 0, claimed.filter((id) => !running.includes(id)).length),
    finding('pods without a node', 0, pendingPods(cluster).length),
  ];
}
