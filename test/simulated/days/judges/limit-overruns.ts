/**
 * Instances launched although the limit of their NodePool leaves no room for them. As in Karpenter, a node that is replaced takes none
 * once its replacement is there, nor does one whose claim is deleted: a pool at its limit could not have its drifted or expired nodes
 * replaced otherwise.
 */
import type { SimulatedWorld } from '../../simulated-world.js';
import { coresOf, runningInstances } from '../record/instances.js';
import { instanceIDOf, isLeaving, type RawClaim } from '../record/raw.js';
import type { Bench, Judge } from './judge.js';

/** From a NodeClaim, which is planned under the limit of its time, to its launch. */
const SLACK_MILLIS = 60_000;

export function limitOverruns({ world, stage, report }: Bench): Judge {
  world.aws.onInstance(({ id, state, tags }) => {
    if (state !== 'pending') return;
    const nodePool = tags.get('berth.sh/nodepool') ?? '';
    const going = goingInstances(world);
    const own = runningInstances(world, nodePool).filter((each) => !going.has(each.id));
    const used = coresOf(world, own);
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

/** IDs of instances whose replacement is wanted, or whose claim is deleted. */
function goingInstances({ api }: SimulatedWorld): ReadonlySet<string> {
  const claims = api.list('nodeclaims.berth.sh') as readonly RawClaim[];
  const replaced = new Set(
    claims
      .filter((claim) => !isLeaving(claim))
      .flatMap(({ metadata }) => metadata.annotations?.['berth.sh/replaces']?.split(',') ?? []),
  );
  const going = claims.filter((claim) => isLeaving(claim) || replaced.has(claim.metadata.name));
  return new Set(going.map(instanceIDOf));
}
