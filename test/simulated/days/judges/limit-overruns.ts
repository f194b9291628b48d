/** Instances launched although the limit of their NodePool leaves no room for them. */
import type { Bench, Judge } from './judge.js';

/** From a NodeClaim, which is planned under the limit of its time, to its launch. */
const SLACK_MILLIS = 60_000;

export function limitOverruns({ world, stage, report }: Bench): Judge {
  const cores = new Map(world.catalogue.entries.map(({ facts }) => [facts.name, facts.vcpu]));
  world.aws.onInstance(({ id, state, tags }) => {
    if (state !== 'pending') return;
    const nodePool = tags.get('berth.sh/nodepool') ?? '';
    const own = world.aws
      .instances()
      .filter((each) => each.tags.get('berth.sh/nodepool') === nodePool)
      .filter((each) => each.state === 'pending' || each.state === 'running');
    const used = own.reduce((sum, each) => sum + (cores.get(each.instanceType) ?? 0), 0);
    const versions = stage.versionsOf(nodePool);
    const limits = versions
      .filter((_, index) => index === 0 || (versions[index - 1]?.from ?? 0) > stage.now - SLACK_MILLIS)
      .map(({ terms }) => terms.cpuLimit ?? Infinity);
    const limit = Math.max(...limits);
    if (used <= limit) return;
    report({
      kind: 'limitOverruns',
      objects: [id, ...own.map((each) => each.id)],
      what: `instance ${id} is launched for NodePool ${nodePool}: its ${String(own.length)} instances have ${String(used)} cores, and its limit is ${String(limit)}`,
    });
  });
  return {};
}
