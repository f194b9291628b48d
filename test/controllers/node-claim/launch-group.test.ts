import { launchGroup } from '../../../src/controllers/node-claim/launch/launch-group.js';
import { LAUNCH_GROUP_ANNOTATION } from '../../../src/domain/nodes/node-claim.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { nodeClaim } from '../../support/builders/node-claim.js';

test('a launch group is found without a look at the claims of others', () => {
  const cluster = new Cluster();
  for (let index = 0; index < 400; index++) {
    const annotations = new Map([[LAUNCH_GROUP_ANNOTATION, `group-${String(index % 200)}`]]);
    cluster.put('NodeClaim', nodeClaim({ name: `claim-${String(index)}`, annotations }));
  }
  const read: string[] = [];
  const { nodeClaims } = cluster;
  const [get, values] = [nodeClaims.get.bind(nodeClaims), nodeClaims.values.bind(nodeClaims)];
  nodeClaims.get = (name) => {
    read.push(name);
    return get(name);
  };
  nodeClaims.values = () => {
    read.push('all');
    return values();
  };
  const group = launchGroup(cluster, 'group-7');
  expect(group.claims.map(({ name }) => name)).toEqual(['claim-207', 'claim-7']);
  expect(read.sort()).toEqual(['claim-207', 'claim-7']);
});
