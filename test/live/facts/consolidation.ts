/** Consolidation, live: nodes that go because their pods fit elsewhere, and nodes that stay. */
import { NODES, PODS, PRIORITY_CLASSES } from '../../controlplane/fixture/api/kube-object.js';
import type { LiveFact } from '../live-fact.js';
import { LARGE, SMALL } from '../stage/instance-types.js';
import { FACT, PLACE } from '../stage/pool.js';
import { PROTECTED, type PodTerms } from '../stage/pods.js';
import { PASS, type Stage } from '../stage/stage.js';

const FIRST_GOES = { gone: ['a'], stayed: ['b'], launched: [] };
const SECOND_GOES = { gone: ['b'], stayed: ['a'], launched: [] };

/** Two alike nodes, `a` with one pod and `b` with two, so that `a` is the first to go unless something holds it. */
async function pair(stage: Stage, first: PodTerms = {}, second: PodTerms = {}): Promise<string> {
  await stage.nodes(['a', 'b']);
  await stage.pods('b', { count: 2, ...second });
  return stage.pods('a', first);
}

/** Opens the NodePool; what was seen when one of the nodes has gone. */
async function whenOneHasGone(stage: Stage): Promise<unknown> {
  await stage.open();
  await stage.until(() => stage.seen().gone.length > 0);
  return stage.seen();
}

const CANDIDATES: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: "leaves out a node with a DaemonSet's pod annotated do-not-disrupt",
    play: async (stage) => {
      await stage.pool();
      await pair(stage);
      await stage.daemonSet([PLACE, 'a'], { annotations: PROTECTED });
      return whenOneHasGone(stage);
    },
    seen: SECOND_GOES,
  },
  {
    fact: 'leaves out a node with a pod of two PodDisruptionBudgets, which cannot be evicted',
    play: async (stage) => {
      await stage.pool();
      const group = await pair(stage);
      await stage.disruptionBudget(group, { maxUnavailable: 1 });
      await stage.disruptionBudget(group, { maxUnavailable: 1 });
      return whenOneHasGone(stage);
    },
    seen: SECOND_GOES,
  },
  {
    fact: 'overlooks do-not-disrupt on pods that have ended',
    play: async (stage) => {
      await stage.pool();
      await pair(stage);
      const ended = await stage.pods('a', { annotations: PROTECTED, owner: 'none' });
      const body = { status: { phase: 'Succeeded' } };
      await stage.cluster.api.patchStatus(PODS, { name: `${ended}-0` }, { type: 'merge', body });
      return whenOneHasGone(stage);
    },
    seen: FIRST_GOES,
  },
];

const DELETIONS: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'deletes a node whose pods fit on the others, and launches nothing for it',
    play: async (stage) => {
      await stage.pool({ types: [SMALL] });
      await stage.pool({ types: [LARGE] }, 'large');
      await stage.nodes(['a']);
      await stage.nodes(['b'], { pool: 'large' });
      await stage.pods('a');
      // It fits on nothing smaller.
      await stage.pods('b', { cpu: '5' });
      await stage.open('', 'large');
      await stage.gone('a');
      return stage.seen();
    },
    seen: FIRST_GOES,
  },
  {
    fact: 'deletes of two alike the node with fewer pods',
    play: async (stage) => {
      await stage.pool();
      await pair(stage);
      return whenOneHasGone(stage);
    },
    seen: FIRST_GOES,
  },
  {
    fact: 'deletes the node whose pod has the lower pod-deletion-cost',
    play: async (stage) => {
      await stage.pool();
      const annotations = { 'controller.kubernetes.io/pod-deletion-cost': String(2 ** 28) };
      await pair(stage, { annotations }, { count: 1 });
      return whenOneHasGone(stage);
    },
    seen: SECOND_GOES,
  },
  {
    fact: 'deletes the node whose pod has the lower priority',
    play: async (stage) => {
      await stage.pool();
      await stage.make(PRIORITY_CLASSES, { metadata: { name: stage.key }, value: 2 ** 26 });
      await pair(stage, { spec: { priorityClassName: stage.key } }, { count: 1 });
      return whenOneHasGone(stage);
    },
    seen: SECOND_GOES,
  },
  {
    fact: 'deletes a node whose pods fit on a node that it does not manage',
    play: async (stage) => {
      await stage.pool();
      await stage.nodes(['a']);
      await stage.pods('a');
      const room = { cpu: '2', memory: '8Gi', pods: '110' };
      await stage.make(NODES, {
        metadata: { name: `${stage.key}-own`, labels: { [FACT]: stage.key } },
        status: { allocatable: room, capacity: room },
      });
      return whenOneHasGone(stage);
    },
    seen: { gone: ['a'], stayed: [], launched: [] },
  },
  {
    fact: 'evicts pods without an owner like others',
    play: async (stage) => {
      await stage.pool();
      await pair(stage, { owner: 'none' });
      return whenOneHasGone(stage);
    },
    seen: FIRST_GOES,
  },
  {
    fact: 'is not held by a PodDisruptionBudget of another namespace',
    play: async (stage) => {
      await stage.pool();
      await stage.disruptionBudget(await pair(stage), { maxUnavailable: 0 }, 'kube-system');
      return whenOneHasGone(stage);
    },
    seen: FIRST_GOES,
  },
];

const KEPT: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'deletes another node than one annotated do-not-disrupt, though that has fewer pods',
    play: async (stage) => {
      await stage.pool();
      await pair(stage);
      await stage.mark('a', { annotations: PROTECTED });
      return whenOneHasGone(stage);
    },
    seen: SECOND_GOES,
  },
  {
    fact: 'deletes another node than one with a pod annotated do-not-disrupt, though that has fewer pods',
    play: async (stage) => {
      await stage.pool();
      await pair(stage, { annotations: PROTECTED });
      return whenOneHasGone(stage);
    },
    seen: SECOND_GOES,
  },
  {
    fact: 'keeps a node whose PodDisruptionBudget allows no eviction even with a terminationGracePeriod',
    play: async (stage) => {
      await stage.pool({ terminationGracePeriod: '30s' });
      await stage.disruptionBudget(await pair(stage));
      return whenOneHasGone(stage);
    },
    seen: SECOND_GOES,
  },
  {
    fact: 'keeps nodes whose pods may not share one, by anti-affinity over hostnames',
    play: async (stage) => {
      await stage.pool();
      await stage.pool({}, 'control');
      await stage.nodes(['a', 'b']);
      await stage.nodes(['c', 'd'], { pool: 'control' });
      const labels = { apart: stage.key };
      const term = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: labels } };
      const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } };
      for (const place of ['a', 'b'])
        await stage.pods(place, { labels, pool: stage.key, spec: { affinity } });
      await stage.pods('c', { count: 2, pool: stage.poolName('control') });
      await stage.pods('d', { count: 3, pool: stage.poolName('control') });
      await stage.open('', 'control');
      await stage.gone('c');
      await stage.seconds(PASS);
      return stage.seen();
    },
    seen: { gone: ['c'], stayed: ['a', 'b', 'd'], launched: [] },
  },
  {
    fact: 'keeps a node with pods until consolidateAfter has passed since a pod last came or left',
    play: async (stage) => {
      await stage.pool({ consolidateAfter: '40s' });
      await pair(stage);
      await stage.open();
      const from = stage.now();
      await Promise.all(['a', 'b'].map((place) => stage.pods(place)));
      await stage.until(() => stage.seen().gone.length > 0);
      const waited = (stage.at('a').goneAt ?? 0) - from;
      return { ...stage.seen(), waited: waited >= 39 };
    },
    seen: { ...FIRST_GOES, waited: true },
  },
  {
    fact: 'keeps all nodes, empty or not, with consolidateAfter Never',
    play: async (stage) => {
      await stage.pool({ consolidateAfter: 'Never' });
      await stage.pool({}, 'control');
      await stage.nodes(['c', 'd', 'e'], { pool: 'control' });
      await stage.pods('d', { pool: stage.poolName('control') });
      await stage.pods('e', { count: 2, pool: stage.poolName('control') });
      await pair(stage);
      await stage.nodes(['f']);
      await stage.open('', 'control');
      await stage.gone('c', 'd');
      return stage.seen();
    },
    seen: { gone: ['c', 'd'], stayed: ['a', 'b', 'e', 'f'], launched: [] },
  },
  {
    fact: 'deletes only nodes without pods with the policy WhenEmpty',
    play: async (stage) => {
      await stage.pool({ policy: 'WhenEmpty' });
      await stage.pool({}, 'control');
      await stage.nodes(['c', 'd'], { pool: 'control' });
      await stage.pods('c', { count: 2, pool: stage.poolName('control') });
      await stage.pods('d', { count: 3, pool: stage.poolName('control') });
      await pair(stage, { pool: stage.key }, { pool: stage.key });
      await stage.nodes(['f']);
      await stage.open('', 'control');
      await stage.gone('c', 'f');
      return stage.seen();
    },
    seen: { gone: ['c', 'f'], stayed: ['a', 'b', 'd'], launched: [] },
  },
];

export const CONSOLIDATION: readonly LiveFact[] = [
  ...CANDIDATES.map((fact) => ({ suite: 'Choice of candidates', ...fact })),
  ...[...DELETIONS, ...KEPT].map((fact) => ({ suite: 'Consolidation', ...fact })),
];
