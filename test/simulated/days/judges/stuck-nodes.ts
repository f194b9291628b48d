/** Nodes that are on their way out, not Ready, or not there for long, and no pod keeps them. */
import type { Pod, PodDisruptionBudget } from '../../../../world/cluster/objects.js';
import { selects } from '../../../../world/kubernetes/objects/label-selector.js';
import { groupBy } from '../../../../src/domain/values/lists.js';
import { allowedNodes } from './budget-overruns.js';
import {
  isInitialized,
  isLeaving,
  isOfDaemonSet,
  isReady,
  POOL,
  protects,
  type RawClaim,
  type RawNode,
} from '../record/raw.js';
import type { Bench, Judge } from './judge.js';

/** A drain whose pods nobody protects, and the end of the instance. */
const LEAVING_MILLIS = 1_800_000;
/** Karpenter and Berth tolerate half an hour; what is replaced boots, and budgets let one go after the other. */
const NOT_READY_MILLIS = 3_600_000;
/** Share of a pool's nodes. */
const MOST_REPAIRED = 0.2;
/** A claim without a node is given up after 15 minutes. */
const UNREGISTERED_MILLIS = 1_500_000;

/** `patience` in milliseconds. */
type Watch = (name: string, what: string, patience: number) => void;

export function stuckNodes(bench: Bench): Judge {
  const { world, stage, report } = bench;
  const since = new Map<string, number>();
  const told = new Set<string>();
  const watch: Watch = (name, what, patience) => {
    const key = `${name} ${what}`;
    const begun = since.get(key) ?? stage.now;
    since.set(key, begun);
    if (told.has(key) || stage.workingMillis(begun) < patience) return;
    told.add(key);
    report({
      kind: 'stuckNodes',
      objects: [name],
      what: `${name} has been ${what} for ${String(Math.round((stage.now - begun) / 60_000))} min`,
    });
  };
  const lookAtClaims = (is: Watch): void => {
    for (const claim of world.api.list('nodeclaims.berth.sh') as readonly RawClaim[]) {
      const { name } = claim.metadata;
      const nodeName = claim.status?.nodeName;
      if (isLeaving(claim)) {
        if (!isKept(bench, nodeName)) is(name, 'leaving', LEAVING_MILLIS);
      } else if (nodeName === undefined) is(name, 'without a node', UNREGISTERED_MILLIS);
    }
  };
  const look = (): void => {
    const seen = new Set<string>();
    const is: Watch = (name, what, patience) => {
      seen.add(`${name} ${what}`);
      watch(name, what, patience);
    };
    lookAtClaims(is);
    const nodes = world.api.list('nodes') as readonly RawNode[];
    const spared = mostlyNotReady(nodes);
    for (const node of nodes) {
      const { name } = node.metadata;
      if (isLeaving(node)) {
        if (!isKept(bench, name)) is(name, 'leaving', LEAVING_MILLIS);
      } else if (!isReady(node) && !spared.has(poolOf(node)) && !isHeldUp(bench, poolOf(node), nodes))
        is(name, 'not Ready', NOT_READY_MILLIS);
    }
    for (const key of since.keys()) if (!seen.has(key)) since.delete(key);
  };
  return { look };
}

function poolOf({ metadata }: RawNode): string {
  return metadata.labels?.[POOL] ?? '';
}

/** Pools of which more than a fifth is not Ready, as with a bad image: as Karpenter, Berth replaces none there, for others would be no better. */
function mostlyNotReady(nodes: readonly RawNode[]): ReadonlySet<string> {
  const pools = [...groupBy(nodes, poolOf)].filter(([, ofPool]) => {
    const notReady = ofPool.filter((node) => !isReady(node)).length;
    return notReady > Math.ceil(ofPool.length * MOST_REPAIRED);
  });
  return new Set(pools.map(([pool]) => pool));
}

/** Whether as many nodes of the pool go that pods keep as budgets allow: as in Karpenter, these count whatever they go for. */
function isHeldUp(bench: Bench, pool: string, nodes: readonly RawNode[]): boolean {
  const claims = bench.world.api.list('nodeclaims.berth.sh') as readonly RawClaim[];
  const leaving = claims.filter((claim) => claim.spec.nodePool === pool && isLeaving(claim));
  const kept = leaving.filter((claim) => isKept(bench, claim.status?.nodeName)).length;
  const total = nodes.filter((node) => poolOf(node) === pool && isInitialized(node)).length;
  return kept > 0 && kept >= allowedNodes(bench.stage, pool, { reason: 'Unhealthy', total });
}

/** Whether a pod on the node may not be evicted: it is protected, or its PodDisruptionBudget lets none go. */
function isKept({ world }: Bench, nodeName: string | undefined): boolean {
  const budgets = world.api.list('poddisruptionbudgets.policy') as readonly PodDisruptionBudget[];
  return (world.api.list('pods') as readonly Pod[]).some(
    (pod) =>
      pod.spec.nodeName === nodeName &&
      !isOfDaemonSet(pod) &&
      (protects(pod) ||
        budgets.some(
          ({ spec, status, metadata }) =>
            metadata.namespace === pod.metadata.namespace &&
            selects(spec.selector, pod.metadata.labels) &&
            (status as { readonly disruptionsAllowed?: number } | undefined)?.disruptionsAllowed === 0,
        )),
  );
}
