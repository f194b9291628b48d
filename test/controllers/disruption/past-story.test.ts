/** What `berth explain` still knows of an instance that is gone, from the Decisions of its life. */
import { decodeDecision, encodeDecision } from '../../../src/apis/berth/decision.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { tellStory } from '../../../src/state/story/tell-story.js';
import type { Story } from '../../../src/state/story/story.js';
import type { NewDecision } from '../../../src/ports/recorder.js';
import { DisruptionWorld } from './disruption-world.js';

const BIG = { requests: { cpu: '1500m', memory: '1Gi' } };

/** Nothing is left but these, as the API server keeps them. */
function remembering(decisions: readonly NewDecision[]): Cluster {
  const cluster = new Cluster();
  decisions.forEach((decision, index) => {
    const spec = { ...decision, time: index * 1000 };
    const name = `decision-${String(index)}`;
    const { value } = decodeDecision(
      encodeDecision({ name, uid: name, resourceVersion: '1', spec, outcome: '' }),
    );
    if (value !== undefined) cluster.put('Decision', value);
  });
  return cluster;
}

function stepsOf(story: Story | undefined): readonly string[] {
  return (story?.steps ?? []).map(({ title, text }) => `${title} | ${text}`);
}

test('an instance that was launched, replaced, drained and ended is explained whole by the name of its claim and by that of its node', async () => {
  const world = new DisruptionWorld({
    disruption: { consolidateAfter: 'Never' },
    template: {
      spec: {
        nodeClassRef: { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'default' },
        requirements: [],
        expireAfter: '10m',
      },
    },
  });
  world.start();
  world.deploy('web', 1, BIG);
  await world.until(() => world.claimsWith('Initialized').length === 1);
  const [claim] = world.claims();
  const [name, node] = [claim?.name ?? '', claim?.status.nodeName ?? ''];
  await world.until(() => world.claim(name)?.deletionTimestamp !== undefined);
  await world.until(() => world.claim(name) === undefined);
  await world.pass(20);
  const replacement = world.claims()[0]?.name ?? '';
  const cluster = remembering(world.told.decisions);

  const byClaim = tellStory(cluster, { kind: 'NodeClaim', namespace: '', name }, 0);
  const byNode = tellStory(cluster, { kind: 'Node', namespace: '', name: node }, 0);
  expect(stepsOf(byClaim)).toEqual([
    expect.stringMatching(/^Place: Provisioned \| an instance of NodePool general for /),
    expect.stringMatching(/^Launch: Launched \| /),
    `Register: Registered | node ${node}`,
    expect.stringMatching(/^Register: Initialized \| /),
    expect.stringMatching(/^Disrupt: Expired \| /),
    expect.stringMatching(
      new RegExp(
        `^Place: Replacement \\| NodeClaim ${replacement}: .* to replace NodeClaim ${name}: Expired$`,
      ),
    ),
    expect.stringMatching(/^Drain: Evicted \| Pod default\/web-\S+: its node is being drained: Expired$/),
    'Drain: Drained | all pods of the node terminated',
    expect.stringMatching(/^Terminate: Terminated \| /),
  ]);
  expect(stepsOf(byNode)).toEqual(stepsOf(byClaim));
  expect(byClaim?.related).toEqual([{ label: 'Node', refs: [{ kind: 'Node', namespace: '', name: node }] }]);
  expect(byNode?.related).toEqual([
    { label: 'NodeClaim', refs: [{ kind: 'NodeClaim', namespace: '', name }] },
  ]);
});
