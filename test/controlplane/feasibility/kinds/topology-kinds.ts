/** What pods ask about other pods: spread, affinity, anti-affinity. */
import type { Chance } from '../chance.js';
import { by, type Kind } from './kind.js';
import type { PodDraft } from '../pod-draft.js';
import {
  HOSTNAME,
  NAMESPACE_NAMES,
  namespaceSelector,
  podSelector,
  RACK,
  TOPOLOGY_KEYS,
  ZONE,
} from '../vocabulary.js';

type More = (chance: Chance, pod: PodDraft) => object;

function spreadOver(key: string, more: More = () => ({})): NonNullable<Kind['add']> {
  return (pod, chance) => {
    // One constraint per key and action is what the API server takes.
    const isTaken = pod.spread.some((other) => 'topologyKey' in other && other.topologyKey === key);
    if (isTaken) return;
    pod.spread.push({
      maxSkew: chance.number(1, 3),
      topologyKey: key,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: podSelector(chance, chance.often(0.7) ? pod.labels : undefined),
      ...more(chance, pod),
    });
  };
}

function spreadKind(name: string, key: (chance: Chance) => string, more?: More): Kind {
  return {
    name: `spread, ${name}`,
    add: (pod, chance) => {
      spreadOver(key(chance), more)(pod, chance);
    },
    refuses: by('PodTopologySpread'),
  };
}

function someKey(chance: Chance): string {
  return chance.one(TOPOLOGY_KEYS);
}

const SPREAD_KINDS: readonly Kind[] = [
  spreadKind('zone', () => ZONE),
  spreadKind('rack', () => RACK),
  spreadKind('host', () => HOSTNAME),
  spreadKind('minDomains', someKey, (chance) => ({ minDomains: chance.number(2, 6) })),
  spreadKind('matchLabelKeys', someKey, () => ({
    matchLabelKeys: ['version'],
    labelSelector: { matchExpressions: [{ key: 'app', operator: 'Exists' }] },
  })),
  spreadKind('nodeAffinityPolicy', someKey, (chance, pod) => {
    if (pod.nodeTerms.length === 0 && chance.often(0.7)) {
      const values = chance.some(['r1', 'r2', 'r3', 'r4', 'r5'], 3);
      pod.addExpression({ expression: { key: RACK, operator: 'In', values } });
    }
    return { nodeAffinityPolicy: chance.one(['Ignore', 'Ignore', 'Honor']) };
  }),
  spreadKind('nodeTaintsPolicy', someKey, (chance) => ({
    nodeTaintsPolicy: chance.one(['Honor', 'Honor', 'Ignore']),
  })),
  {
    name: 'spread, several',
    add: (pod, chance) => {
      for (const key of chance.some(TOPOLOGY_KEYS, 2)) spreadOver(key)(pod, chance);
      pod.spread.push({
        maxSkew: 1,
        topologyKey: 'example.com/nowhere',
        whenUnsatisfiable: 'ScheduleAnyway',
        labelSelector: {},
      });
    },
    refuses: by('PodTopologySpread'),
  },
];

type Direction = 'podAffinity' | 'podAntiAffinity';

function term(chance: Chance, pod: PodDraft, more: object): object {
  return {
    topologyKey: someKey(chance),
    labelSelector: podSelector(chance, chance.often(0.5) ? pod.labels : undefined),
    ...more,
  };
}

function termKind(direction: Direction, name: string, more: More): Kind {
  const what = direction === 'podAffinity' ? 'affinity' : 'anti-affinity';
  return {
    name: name === '' ? what : `${what}, ${name}`,
    add: (pod, chance) => {
      pod[direction].push(term(chance, pod, more(chance, pod)));
    },
    refuses: by('InterPodAffinity'),
  };
}

const ANY_APP = { matchExpressions: [{ key: 'app', operator: 'Exists' }] };

function termKinds(direction: Direction): readonly Kind[] {
  return [
    termKind(direction, '', () => ({})),
    termKind(direction, 'namespaces', (chance) => ({ namespaces: chance.some(NAMESPACE_NAMES, 2) })),
    termKind(direction, 'namespaceSelector', (chance) => ({
      namespaceSelector: namespaceSelector(chance),
      ...(chance.often(0.3) && { namespaces: [chance.one(NAMESPACE_NAMES)] }),
    })),
    termKind(direction, 'matchLabelKeys', () => ({
      labelSelector: ANY_APP,
      matchLabelKeys: ['version', 'role'],
    })),
    termKind(direction, 'mismatchLabelKeys', (chance) => ({
      labelSelector: ANY_APP,
      mismatchLabelKeys: ['version'],
      topologyKey: chance.one([RACK, HOSTNAME]),
    })),
  ];
}

/** Labels that no bound pod has, so that the pod is the first of its kind. */
function addFirstOfItsKind(pod: PodDraft, chance: Chance): void {
  const selector = { matchExpressions: [{ key: 'first', operator: 'Exists' }] };
  Object.assign(pod.labels, { first: 'yes' });
  pod.podAffinity.push({ topologyKey: chance.one([RACK, ZONE, HOSTNAME]), labelSelector: selector });
  if (chance.often(0.3)) pod.podAffinity.push({ topologyKey: RACK, labelSelector: {} });
}

export const TOPOLOGY_KINDS: readonly Kind[] = [
  ...SPREAD_KINDS,
  ...termKinds('podAffinity'),
  { name: 'affinity, first of its kind', add: addFirstOfItsKind, refuses: by('InterPodAffinity') },
  ...termKinds('podAntiAffinity'),
  {
    name: 'anti-affinity of others',
    refuses: ({ plugin }, pod) =>
      plugin === 'InterPodAffinity' && pod.podAffinity.length + pod.podAntiAffinity.length === 0,
  },
];
