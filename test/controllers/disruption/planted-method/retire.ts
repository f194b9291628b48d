/** A program: all of Berth's loops in memory, a node that is retired, and what becomes of it as JSON. */
import { DisruptionWorld } from '../disruption-world.js';

function pool(nodes: string): Readonly<Record<string, unknown>> {
  return { disruption: { consolidateAfter: 'Never', budgets: [{ nodes }] } };
}

const world = new DisruptionWorld(pool('0'));
world.start();
world.deploy('web', 3, { requests: { cpu: '500m' } });
await world.until(() => world.claimsWith('Initialized').length === 1 && world.unbound().length === 0);
const [node] = world.nodes();
const [claim] = world.claims();
if (node === undefined || claim === undefined) throw new Error('no node came');
world.objects.put('Node', {
  ...node,
  annotations: new Map([...node.annotations, ['example.com/retired', 'true']]),
});
await world.rest(90);
const conditions = world.claimsWith('Retired');
world.scale('web', 2);
await world.rest(30);
world.policies(pool('100%'));
const seconds = await world.until(() => world.claim(claim.name) === undefined);
await world.pass(30);
const decisions = world.told.decisions.filter(({ subject }) => subject.name === claim.name);
const counted = await world.metrics.nodeClaimsDisrupted.get();
process.stdout.write(
  JSON.stringify({
    retired: conditions.length,
    seconds,
    refused: decisions
      .filter(({ action }) => action === 'Refuse')
      .map(({ reason, message }) => `${reason}: ${message}`),
    disrupted: decisions.filter(({ action }) => action === 'Disrupt').map(({ message }) => message),
    counted: counted.values.map(({ labels, value }) => `${String(labels.reason)} ${String(value)}`),
    unbound: world.unbound().length,
    nodes: world.nodes().length,
  }),
);
process.exit(0);
