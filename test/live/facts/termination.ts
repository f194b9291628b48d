/** Termination, live: in which order pods leave a node, what is waited for, and when the node is gone. */
import { NODES, PODS, POD_DISRUPTION_BUDGETS } from '../../controlplane/fixture/api/kube-object.js';
import type { LiveFact } from '../live-fact.js';
import { PLACE } from '../stage/pool.js';
import { END_DELAY, PROTECTED } from '../stage/pods.js';
import type { SeenPod } from '../stage/sight.js';
import type { Stage } from '../stage/stage.js';

/** So long a pod is still there that is asked to end. */
const SLOW = { [END_DELAY]: '4s' };

/** The NodeClaim of `a` is deleted. */
async function terminate(stage: Stage): Promise<void> {
  await stage.system.deleteClaim((await stage.claim('a')).name);
}

async function node(stage: Stage): Promise<void> {
  await stage.pool();
  await stage.nodes(['a']);
}

/** Waits, and asks whether the node is still there, on its way out. */
async function isHeld(stage: Stage): Promise<boolean> {
  await stage.until(() => stage.at('a').disruptedAt !== undefined);
  await stage.seconds(12);
  return stage.at('a').goneAt === undefined;
}

/** The first pod of a group that there was. */
function podOf(stage: Stage, group: string): SeenPod {
  const found = stage.allPods().find(({ object }) => object.metadata.labels?.['group'] === group);
  if (found === undefined) throw new Error(`no pod of ${group} was seen`);
  return found;
}

/** Pods of the four tiers on `a`, which all end slowly; their groups in the order in which they should leave. */
async function fourTiers(stage: Stage): Promise<readonly string[]> {
  await node(stage);
  const critical = { priorityClassName: 'system-cluster-critical' };
  const onNode = [PLACE, 'a'] as const;
  return [
    await stage.pods('a', { owner: 'none', annotations: SLOW }),
    await stage.daemonSet(onNode, { annotations: SLOW }),
    await stage.pods('a', { owner: 'none', annotations: SLOW, spec: critical }),
    await stage.daemonSet(onNode, { annotations: SLOW, spec: critical }),
  ];
}

const TOLERANT = [
  { key: 'karpenter.sh/disrupted', operator: 'Exists' },
  { key: 'karpenter.sh/disrupted', operator: 'Equal', value: '', effect: 'NoSchedule' },
];

const DRAINS: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'taints the node karpenter.sh/disrupted:NoSchedule and takes it out of load balancers before it evicts',
    play: async (stage) => {
      await node(stage);
      const group = await stage.pods('a', { owner: 'none', annotations: SLOW });
      await terminate(stage);
      await stage.until(() => podOf(stage, group).deletedAt !== undefined);
      const { object, disruptedAt = Infinity } = stage.at('a');
      return {
        taintedFirst: disruptedAt <= (podOf(stage, group).deletedAt ?? 0),
        taints: object.spec.taints?.map(({ key, effect }) => `${key}:${effect}`),
        label:
          object.metadata.labels?.['node.kubernetes.io/exclude-from-external-load-balancers'] !== undefined,
      };
    },
    seen: { taintedFirst: true, taints: ['karpenter.sh/disrupted:NoSchedule'], label: true },
  },
  {
    fact: 'evicts pods of DaemonSets after the others, and critical pods after all that are not, in four tiers',
    play: async (stage) => {
      const groups = await fourTiers(stage);
      await terminate(stage);
      await stage.gone('a');
      const asked = (group: string): number => podOf(stage, group).deletedAt ?? Infinity;
      return groups.toSorted((one, other) => asked(one) - asked(other)).map((group) => groups.indexOf(group));
    },
    seen: [0, 1, 2, 3],
  },
  {
    fact: 'evicts no pod of the next tier until the pods of this one have ended',
    play: async (stage) => {
      const pods = (await fourTiers(stage)).map((group) => podOf(stage, group));
      await terminate(stage);
      await stage.gone('a');
      return pods.slice(1).map(({ deletedAt = 0 }, index) => deletedAt >= (pods[index]?.goneAt ?? Infinity));
    },
    seen: [true, true, true],
  },
  {
    fact: 'leaves pods alone that tolerate karpenter.sh/disrupted, by Exists or by Equal',
    play: async (stage) => {
      await node(stage);
      const groups: string[] = [];
      for (const toleration of TOLERANT)
        groups.push(await stage.pods('a', { owner: 'none', spec: { tolerations: [toleration] } }));
      const other = await stage.pods('a', { owner: 'none' });
      await terminate(stage);
      await stage.gone('a');
      const gone = stage.at('a').goneAt ?? 0;
      const wasEvicted = (group: string): boolean => (podOf(stage, group).deletedAt ?? Infinity) < gone;
      return { tolerant: groups.map(wasEvicted), other: wasEvicted(other) };
    },
    seen: { tolerant: [false, false], other: true },
  },
  {
    fact: 'does not wait for pods that have succeeded or failed',
    play: async (stage) => {
      await node(stage);
      for (const phase of ['Succeeded', 'Failed']) {
        const group = await stage.pods('a', { owner: 'none', annotations: PROTECTED });
        const patch = { type: 'merge', body: { status: { phase } } } as const;
        await stage.cluster.api.patchStatus(PODS, { name: `${group}-0` }, patch);
      }
      await terminate(stage);
      await stage.gone('a');
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: [], launched: [] },
  },
  {
    fact: 'asks again for an eviction that a PodDisruptionBudget forbids, and keeps the instance until then',
    play: async (stage) => {
      await node(stage);
      const budget = await stage.disruptionBudget(await stage.pods('a', { owner: 'none' }));
      await terminate(stage);
      const held = await isHeld(stage);
      await stage.cluster.api.delete(POD_DISRUPTION_BUDGETS, { name: budget });
      await stage.gone('a');
      return { held, gone: stage.seen().gone };
    },
    seen: { held: true, gone: ['a'] },
  },
  {
    fact: 'keeps the node until the last of its pods has ended',
    play: async (stage) => {
      await node(stage);
      const quick = await stage.pods('a', { owner: 'none' });
      const slow = await stage.pods('a', { owner: 'none', annotations: { [END_DELAY]: '12s' } });
      await terminate(stage);
      await stage.gone('a');
      const endOf = (group: string): number => podOf(stage, group).goneAt ?? Infinity;
      return { quickFirst: endOf(quick) < endOf(slow), nodeLast: (stage.at('a').goneAt ?? 0) >= endOf(slow) };
    },
    seen: { quickFirst: true, nodeLast: true },
  },
  {
    fact: 'never evicts a pod annotated do-not-disrupt without a termination grace period, and evicts it once it is not',
    play: async (stage) => {
      await node(stage);
      const group = await stage.pods('a', { owner: 'none', annotations: PROTECTED });
      await terminate(stage);
      const held = await isHeld(stage);
      const body = { metadata: { annotations: { 'karpenter.sh/do-not-disrupt': null } } };
      await stage.cluster.api.patch(PODS, { name: `${group}-0` }, { type: 'merge', body });
      await stage.gone('a');
      return { held, gone: stage.seen().gone };
    },
    seen: { held: true, gone: ['a'] },
  },
  {
    fact: 'deletes pods whatever protects them, early enough before the termination grace period ends for their own',
    play: async (stage) => {
      await stage.pool({ terminationGracePeriod: '40s' });
      await stage.nodes(['a']);
      const spec = { terminationGracePeriodSeconds: 20 };
      const group = await stage.pods('a', {
        owner: 'none',
        annotations: { ...PROTECTED, [END_DELAY]: '2s' },
        spec,
      });
      await stage.disruptionBudget(group);
      const from = stage.now();
      await terminate(stage);
      await stage.gone('a');
      const waited = (podOf(stage, group).deletedAt ?? Infinity) - from;
      return { gone: stage.seen().gone, inTime: waited > 17 && waited < 25 };
    },
    seen: { gone: ['a'], inTime: true },
  },
];

const ENDS: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'says in the condition Drained that a node is being drained',
    play: async (stage) => {
      await node(stage);
      await stage.disruptionBudget(await stage.pods('a', { owner: 'none' }));
      await terminate(stage);
      await isHeld(stage);
      const { conditions } = await stage.claim('a');
      return { drained: conditions.find(({ type }) => type === 'Drained')?.status ?? 'none' };
    },
    seen: { drained: 'Unknown' },
    berth: { drained: 'none' },
  },
  {
    fact: 'deletes the NodeClaim of a Node that is deleted, and the instance with it',
    play: async (stage) => {
      await node(stage);
      await stage.cluster.api.delete(NODES, { name: stage.nodeName('a') });
      await stage.gone('a');
      const none = await stage.until(async () => (await stage.system.claims(stage.key)).length === 0, 30);
      return { ...stage.seen(), claims: none ? 0 : 1 };
    },
    seen: { gone: ['a'], stayed: [], launched: [], claims: 0 },
  },
];

export const TERMINATION: readonly LiveFact[] = [
  ...DRAINS.map((fact) => ({ suite: 'Termination, draining', ...fact })),
  ...ENDS.map((fact) => ({ suite: 'Termination', ...fact })),
];
