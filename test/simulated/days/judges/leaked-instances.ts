/** Instances that run although no NodeClaim, or no Node, knows them. */
import { runningInstances } from '../record/instances.js';
import type { RawClaim } from '../record/raw.js';
import type { Bench, Judge } from './judge.js';

/**
 * Garbage is collected every two minutes at the latest, from instances that are older than half a minute; an instance that does not
 * register within 15 minutes is given up.
 */
const PATIENCE_MILLIS = { NodeClaim: 300_000, Node: 1_200_000 };
/** At the end of the day, when boots are as usual: an instance may just have been launched. */
const LAST_PATIENCE_MILLIS = { NodeClaim: 0, Node: 300_000 };

export function leakedInstances({ world, stage, report }: Bench): Judge {
  /** Instance → since when nobody knows it. */
  const without = { NodeClaim: new Map<string, number>(), Node: new Map<string, number>() };
  const told = new Set<string>();
  const look = (isEnd: boolean): void => {
    const claims = (world.api.list('nodeclaims.berth.sh') as readonly RawClaim[]).map(
      ({ status }) => status?.providerID,
    );
    const nodes = world.api
      .list('nodes')
      .map((node) => (node['spec'] as { readonly providerID?: string } | undefined)?.providerID);
    const known = { NodeClaim: idsOf(claims), Node: idsOf(nodes) };
    const patience = isEnd ? LAST_PATIENCE_MILLIS : PATIENCE_MILLIS;
    const running = runningInstances(world);
    for (const kind of ['NodeClaim', 'Node'] as const) {
      for (const { id, launchedAt, privateDnsName } of running) {
        if (known[kind].has(id)) {
          without[kind].delete(id);
          continue;
        }
        const since = without[kind].get(id) ?? Math.max(launchedAt, stage.now);
        without[kind].set(id, since);
        if (told.has(id) || stage.workingMillis(since) < patience[kind]) continue;
        told.add(id);
        report({
          kind: 'leakedInstances',
          objects: [id, privateDnsName],
          what: `instance ${id} runs and has had no ${kind} for ${String(Math.round((stage.now - since) / 1000))} s`,
        });
      }
    }
  };
  return {
    look: () => {
      look(false);
    },
    end: () => {
      look(true);
    },
  };
}

function idsOf(providerIDs: readonly (string | undefined)[]): ReadonlySet<string> {
  return new Set(providerIDs.flatMap((providerID) => providerID?.split('/').at(-1) ?? []));
}
