/** Consolidation with replacement, live: what comes instead of a node, and for which node nothing does. */
import type { LiveFact } from '../live-fact.js';
import { BULK, LARGE, MEDIUM, SMALL } from '../stage/instance-types.js';
import { PASS, type Stage } from '../stage/stage.js';

/** Nearly all of a small node. */
const FULL = '1500m';
/** More than a small node has. */
const TOO_MUCH = '2500m';

/** A pod of this size on the node of a place, which may come to nodes of no other NodePool. */
async function alone(stage: Stage, place: string, pool = '', cpu = FULL): Promise<void> {
  await stage.pods(place, { cpu, pool: stage.poolName(pool) });
}

/** A large node `c` in a NodePool of its own, which a small one replaces. */
async function control(stage: Stage): Promise<void> {
  await stage.pool({ types: [SMALL, LARGE] }, 'control');
  await stage.nodes(['c'], { type: LARGE, pool: 'control' });
  await alone(stage, 'c', 'control');
}

/** Opens the NodePools; what was seen when the control was replaced, and a pass of Karpenter later. */
async function whenControlIsGone(stage: Stage): Promise<unknown> {
  await stage.open('', 'control');
  await stage.gone('c');
  await stage.seconds(PASS);
  return stage.seen();
}

const ONLY_CONTROL = { gone: ['c'], stayed: ['a'], launched: [SMALL] };

const REPLACEMENTS: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'replaces a node by a cheaper type that holds its pods, and lists no type that costs as much',
    play: async (stage) => {
      await stage.pool({ types: [SMALL, MEDIUM, LARGE] });
      await stage.nodes(['a'], { type: LARGE });
      await alone(stage, 'a', '', TOO_MUCH);
      await stage.open();
      await stage.gone('a');
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: [], launched: [MEDIUM] },
  },
  {
    fact: 'keeps a node that no type is cheaper than',
    play: async (stage) => {
      await stage.pool({ types: [SMALL, LARGE] });
      await stage.nodes(['a'], { type: SMALL });
      await alone(stage, 'a', '', '200m');
      await control(stage);
      return whenControlIsGone(stage);
    },
    seen: ONLY_CONTROL,
  },
  {
    fact: 'keeps a node that only types too small for its pods are cheaper than',
    play: async (stage) => {
      await stage.pool({ types: [SMALL, MEDIUM] });
      await stage.nodes(['a'], { type: MEDIUM });
      await alone(stage, 'a', '', TOO_MUCH);
      await control(stage);
      return whenControlIsGone(stage);
    },
    seen: ONLY_CONTROL,
  },
  {
    fact: 'keeps a node where fewer types are cheaper than minValues asks for',
    play: async (stage) => {
      await stage.pool({ types: [SMALL, MEDIUM, LARGE] });
      await stage.nodes(['a'], { type: MEDIUM });
      await alone(stage, 'a');
      await stage.change({ minValues: 2 });
      await control(stage);
      return whenControlIsGone(stage);
    },
    seen: ONLY_CONTROL,
  },
  {
    fact: 'deletes a node whatever minValues asks for, if nothing has to be launched',
    play: async (stage) => {
      await stage.pool({ types: [SMALL, MEDIUM, LARGE] });
      await stage.nodes(['a', 'b'], { type: SMALL });
      await alone(stage, 'a', '', '300m');
      for (const cpu of ['200m', '200m']) await alone(stage, 'b', '', cpu);
      await stage.change({ minValues: 3 });
      await stage.open();
      await stage.gone('a');
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: ['b'], launched: [] },
  },
  {
    fact: 'replaces a node in its zone where a spread over zones would be uneven otherwise',
    play: async (stage) => {
      await stage.pool({ types: [SMALL, LARGE] });
      await stage.nodes(['a'], { type: LARGE, zone: 'zone-b' });
      await stage.nodes(['b'], { type: SMALL, zone: 'zone-a' });
      await stage.nodes(['c'], { type: SMALL, zone: 'zone-c' });
      const labels = { spread: stage.key };
      const spread = {
        ...{ maxSkew: 1, topologyKey: 'topology.kubernetes.io/zone', whenUnsatisfiable: 'DoNotSchedule' },
        labelSelector: { matchLabels: labels },
      };
      const terms = { labels, cpu: FULL, spec: { topologySpreadConstraints: [spread] } };
      for (const place of ['a', 'b', 'c']) await stage.pods(place, terms);
      await stage.open();
      await stage.gone('a');
      const zones = stage
        .further()
        .map(({ object }) => object.metadata.labels?.['topology.kubernetes.io/zone']);
      return { ...stage.seen(), zones };
    },
    seen: { gone: ['a'], stayed: ['b', 'c'], launched: [SMALL], zones: ['zone-b'] },
  },
  {
    fact: 'replaces the node of one NodePool by one of another where only that is cheaper',
    play: async (stage) => {
      await stage.pool({ types: [LARGE] });
      await stage.pool({ types: [SMALL] }, 'other');
      await stage.nodes(['a'], { type: LARGE });
      await stage.pods('a', { cpu: FULL });
      await stage.open('', 'other');
      await stage.gone('a');
      const pools = stage.further().map(({ object }) => object.metadata.labels?.['karpenter.sh/nodepool']);
      return { ...stage.seen(), ofTheOther: pools.every((pool) => pool === stage.poolName('other')) };
    },
    seen: { gone: ['a'], stayed: [], launched: [SMALL], ofTheOther: true },
  },
];

const SPOT: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'deletes a spot node whose pods fit on others, however few types there are',
    play: async (stage) => {
      await stage.pool({ capacityTypes: ['spot'] });
      await stage.nodes(['a', 'b'], { capacityType: 'spot' });
      await stage.pods('a');
      await stage.pods('b', { count: 2 });
      await stage.open();
      await stage.gone('a');
      return stage.seen();
    },
    seen: { gone: ['a'], stayed: ['b'], launched: [] },
  },
  {
    fact: 'replaces an on-demand node by spot, however few types there are',
    play: async (stage) => {
      await stage.pool({ capacityTypes: ['spot', 'on-demand'] });
      await stage.nodes(['a'], { capacityType: 'on-demand' });
      await alone(stage, 'a');
      await stage.open();
      await stage.gone('a');
      const types = stage
        .further()
        .map(({ object }) => object.metadata.labels?.['karpenter.sh/capacity-type']);
      return { ...stage.seen(), types };
    },
    seen: { gone: ['a'], stayed: [], launched: [SMALL], types: ['spot'] },
  },
  {
    // The gate is off for both. Together with nodes of other facts, which are on demand, it would be replaced all the same.
    alone: true,
    fact: 'leaves spot nodes alone unless the feature gate SpotToSpotConsolidation is on',
    play: async (stage) => {
      await stage.pool({ types: [SMALL, LARGE], capacityTypes: ['spot'] });
      await stage.nodes(['a'], { type: LARGE, capacityType: 'spot' });
      await alone(stage, 'a');
      await control(stage);
      return whenControlIsGone(stage);
    },
    seen: ONLY_CONTROL,
  },
];

const SEVERAL: readonly Omit<LiveFact, 'suite'>[] = [
  {
    fact: 'merges three nodes into one that is cheaper than they are',
    alone: true,
    play: async (stage) => {
      await stage.pool({ types: [SMALL, BULK] });
      await stage.nodes(['a', 'b', 'c'], { type: SMALL });
      for (const place of ['a', 'b', 'c']) await alone(stage, place, '', '1100m');
      await stage.open();
      await stage.gone('a', 'b', 'c');
      return stage.seen();
    },
    seen: { gone: ['a', 'b', 'c'], stayed: [], launched: [BULK] },
  },
  {
    fact: 'deletes all nodes but one where that has room for the pods of all',
    play: async (stage) => {
      await stage.pool();
      await stage.pool({ types: [LARGE] }, 'large');
      await stage.nodes(['a', 'b']);
      await stage.nodes(['c'], { pool: 'large' });
      await stage.pods('a', { count: 2 });
      await stage.pods('b', { count: 2 });
      // It fits on nothing smaller.
      await stage.pods('c', { cpu: '5' });
      await stage.open('', 'large');
      await stage.gone('a', 'b');
      return stage.seen();
    },
    seen: { gone: ['a', 'b'], stayed: ['c'], launched: [] },
  },
];

export const REPLACEMENT: readonly LiveFact[] = [
  ...REPLACEMENTS.map((fact) => ({ suite: 'Consolidation with replacement', ...fact })),
  ...SPOT.map((fact) => ({ suite: 'Spot-to-spot consolidation', ...fact })),
  ...SEVERAL.map((fact) => ({ suite: 'Multi-node consolidation', ...fact })),
];
