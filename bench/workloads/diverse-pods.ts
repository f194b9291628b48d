/**
 * Pods as in the scheduling benchmark of Karpenter: generic ones, spread over zones and over hosts, drawn together in
 * zones and on hosts, and kept apart on hosts, a sixth each.
 */
import { HOSTNAME, ZONE } from '../../src/domain/values/labels.js';
import { Draw } from './draw.js';
import type { NeutralPod, Strings } from './workload.js';

const MILLICORES = [100, 250, 500, 1000, 1500];
const MEBIBYTES = [100, 256, 512, 1024, 2048, 4096];
const LETTERS = ['a', 'b', 'c', 'd', 'e', 'f', 'g'];
const HOST_GROUPS = 100;

interface Kind {
  readonly name: string;
  /** Draws what is particular to the kind; requests are drawn after it. */
  readonly make: (draw: Draw) => Omit<NeutralPod, 'name' | 'requests'>;
}

const GENERIC: Kind = { name: 'generic', make: (draw) => ({ labels: { 'my-label': draw.oneOf(LETTERS) } }) };

/** A pod counts pods of a label drawn apart from its own, so that most do not count themselves. */
function spread(name: string, topologyKey: string): Kind {
  return {
    name,
    make: (draw) => {
      const labels = { 'my-label': draw.oneOf(LETTERS) };
      return {
        labels,
        topologySpread: [{ maxSkew: 1, topologyKey, labels: { 'my-label': draw.oneOf(LETTERS) } }],
      };
    },
  };
}

function together(name: string, topologyKey: string, labelsOf: (draw: Draw) => Strings): Kind {
  return {
    name,
    make: (draw) => {
      const labels = labelsOf(draw);
      return { labels, podAffinity: [{ topologyKey, labels }] };
    },
  };
}

const KINDS: readonly Kind[] = [
  GENERIC,
  spread('spread-zone', ZONE),
  spread('spread-hostname', HOSTNAME),
  together('aff-zone', ZONE, (draw) => ({ zaff: draw.oneOf(LETTERS) })),
  together('aff-host', HOSTNAME, (draw) => ({ haff: `h${String(draw.below(HOST_GROUPS))}` })),
  {
    name: 'anti-host',
    make: () => {
      const labels = { app: 'nginx' };
      return { labels, podAntiAffinity: [{ topologyKey: HOSTNAME, labels }] };
    },
  },
];

/** `count` pods; what does not divide by six is generic. */
export function diversePods(count: number, seed: number): readonly NeutralPod[] {
  const draw = new Draw(seed);
  const each = Math.floor(count / KINDS.length);
  const pods: NeutralPod[] = [];
  const add = ({ name, make }: Kind): void => {
    const rest = make(draw);
    const [cpu, memory] = [draw.oneOf(MILLICORES), draw.oneOf(MEBIBYTES)];
    const requests = { cpu: `${String(cpu)}m`, memory: `${String(memory)}Mi` };
    pods.push({ name: `${name}-${String(pods.length)}`, ...rest, requests });
  };
  for (const kind of KINDS) for (let number = 0; number < each; number++) add(kind);
  while (pods.length < count) add(GENERIC);
  return pods;
}
