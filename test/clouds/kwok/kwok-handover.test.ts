/** KWOK's nodes that change hands. */
import { generatedTypes, KwokCatalogue } from '../../../src/clouds/kwok/instance-types.js';
import { KwokCloud } from '../../../src/clouds/kwok/kwok-cloud.js';
import { kwokHandover } from '../../../src/clouds/kwok/kwok-handover.js';
import { VirtualClock } from '../../support/virtual-clock.js';
import { HANDOVER_LAWS } from '../../contract/instance-handover.js';
import { KwokNodes } from './kwok-nodes.js';

test.each(HANDOVER_LAWS)('KWOK $behaviour', async ({ expectOf }) => {
  const api = new KwokNodes();
  const nodes = () => api.nodes.values();
  const none = { labels: new Map(), annotations: new Map(), taints: [] };
  const room = { capacity: new Map(), allocatable: new Map() };
  await api.writer.createNode({
    name: 'kwok-general-1',
    providerID: 'kwok://kwok-general-1',
    ...none,
    ...room,
  });
  const catalogue = new KwokCatalogue(generatedTypes());
  await expectOf({
    cloud: new KwokCloud({
      catalogue: () => catalogue,
      nodes,
      writer: api.writer,
      clock: new VirtualClock(),
    }),
    handover: kwokHandover(nodes, api.writer),
    foreign: 'kwok://kwok-general-1',
  });
});
