/** Inputs whose price is judged by a bound, one for each kind of rule that the compared workloads leave out. */
import type { InstanceType } from '../../src/domain/nodes/instance-type.js';
import {
  CAPACITY_TYPE,
  HOSTNAME,
  INSTANCE_PREFIX,
  INSTANCE_TYPE,
  ZONE,
} from '../../src/domain/values/labels.js';
import type { Pod } from '../../src/domain/pods/pod.js';
import { requirement } from '../../src/domain/values/requirement.js';
import type { ClusterInput } from '../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../test/support/builders/cluster-input.js';
import {
  oneOf,
  podTerm,
  selecting,
  spreadOver,
  tolerateKey,
} from '../../test/support/builders/constraints.js';
import { daemonSet } from '../../test/support/builders/daemon-set.js';
import { node } from '../../test/support/builders/node.js';
import { poolOffer, type NodePoolOverrides } from '../../test/support/builders/node-pool.js';
import { replicas, type PodOverrides } from '../../test/support/builders/pod.js';
import { BLOWUPS } from './blowups.js';
import { Draw } from './draw.js';
import { AGENTS } from './pools.js';

export interface QualityKind {
  readonly name: string;
  readonly make: (types: readonly InstanceType[]) => ClusterInput;
}

const SEED = 2026;
const DEPLOYMENTS = 300;
const REPLICAS = 10;
const ON_DEMAND = oneOf(CAPACITY_TYPE, 'on-demand');
const RACK = 'example.com/rack';

type Rules = Pick<PodOverrides, 'namespace' | 'spread' | 'podAntiAffinity' | 'hostPorts'>;

/** Deployments, each with rules of its own. */
function deployments(
  rulesOf: (name: string, index: number) => Rules = () => ({}),
  of: { readonly count: number; readonly each: number } = { count: DEPLOYMENTS, each: REPLICAS },
): readonly Pod[] {
  const draw = new Draw(SEED);
  return Array.from({ length: of.count }, (_, index) => {
    const name = `app-${String(index)}`;
    const cpu = draw.oneOf([100, 250, 500, 1000, 2000, 4000]);
    const memory = draw.oneOf([256, 512, 1024, 2048, 4096, 8192]);
    return replicas(of.each, {
      name,
      labels: { app: name, tier: tierOf(index) },
      requests: { cpu: `${String(cpu)}m`, memory: `${String(memory)}Mi` },
      ...rulesOf(name, index),
    });
  }).flat();
}

function tierOf(index: number): string {
  return index % 2 === 0 ? 'web' : 'cache';
}

/** One pool that buys on demand. */
function onDemand(
  pods: readonly Pod[],
  { requirements = [], ...overrides }: NodePoolOverrides = {},
  others: Partial<ClusterInput> = {},
): QualityKind['make'] {
  return (types) => {
    const pool = poolOffer({ requirements: [ON_DEMAND, ...requirements], ...overrides }, types);
    return clusterInput({ pools: [pool], pods, ...others });
  };
}

/** An input that once made planning slow, at a size that the judge can bound. */
function blowup(name: string, size: number): QualityKind['make'] {
  return (types) => BLOWUPS.find((each) => each.name === name)?.make(size, types) ?? clusterInput();
}

/** Every namespace of team a keeps off the hosts of team b, and the other way round. */
function teamsApart(): QualityKind['make'] {
  const teams = ['a', 'b'];
  const pods = deployments((_, index) => {
    const [own = '', other = ''] = index % 2 === 0 ? teams : [...teams].reverse();
    return {
      namespace: `team-${own}`,
      podAntiAffinity: { required: [podTerm(HOSTNAME, {}, selecting({ team: other }))] },
    };
  });
  const namespaces = new Map(teams.map((team) => [`team-${team}`, new Map([['team', team]])]));
  return onDemand(pods, {}, { namespaces });
}

/** Nodes that take a part of the pods, of the middle type that is offered on demand with four cores. */
function besideNodes(): QualityKind['make'] {
  return (types) => {
    const type = types.find(({ name }) => name === 'm6i.xlarge') ?? types[0];
    const zone = type?.offerings[0]?.zone ?? '';
    const nodes = Array.from({ length: 50 }, (_, index) =>
      node({ name: `node-${String(index)}`, zone, ...(type === undefined ? {} : { type }) }),
    );
    return onDemand(deployments(), {}, { nodes })(types);
  };
}

const AGENT = daemonSet({ requests: { cpu: '500m', memory: '1Gi' } });
const OVER_RACKS = oneOf(RACK, 'r1', 'r2', 'r3');
const FIFTEEN_TYPES = requirement(INSTANCE_TYPE, 'Exists', [], 15);
const ALONE = { count: 2_000, each: 1 };

const KINDS: readonly QualityKind[] = [
  { name: 'min-values', make: onDemand(deployments(), { requirements: [FIFTEEN_TYPES] }) },
  { name: 'odd-shapes', make: blowup('odd-shapes', 1000) },
  { name: 'volumes', make: blowup('volumes', 750) },
  { name: 'daemon-sets', make: onDemand(deployments(), {}, { daemonSets: [AGENT] }) },
  {
    name: 'zone-and-host-spread',
    make: onDemand(
      deployments((app) => ({ spread: [spreadOver(ZONE, { app }), spreadOver(HOSTNAME, { app })] })),
    ),
  },
  { name: 'namespaces-apart', make: teamsApart() },
  {
    name: 'rack-spread',
    make: onDemand(
      deployments((app) => ({ spread: [spreadOver(RACK, { app })] })),
      { requirements: [OVER_RACKS] },
    ),
  },
  {
    name: 'host-ports',
    make: onDemand(
      deployments((_, index) =>
        index % 5 === 0 ? { hostPorts: [{ port: 8000 + index, protocol: 'TCP', hostIP: '' }] } : {},
      ),
    ),
  },
  {
    name: 'tiers-apart',
    make: onDemand(
      deployments((_, index) =>
        index % 2 === 0 ? {} : { podAntiAffinity: { required: [podTerm(HOSTNAME, { tier: 'web' })] } },
      ),
    ),
  },
  {
    name: 'all-apart',
    make: onDemand(deployments(() => ({ podAntiAffinity: { required: [podTerm(HOSTNAME, {})] } }), ALONE)),
  },
  { name: 'strangers', make: blowup('strangers', 240) },
  { name: 'weighted-pools', make: blowup('weighted-pools', 20) },
  { name: 'tainted-pools', make: blowup('tainted-pools', 20) },
  { name: 'soft', make: blowup('soft', 1500) },
  { name: 'open-label', make: blowup('open-label', 25) },
  { name: 'nodes-beside', make: besideNodes() },
  { name: 'priorities', make: blowup('priorities', 2000) },
  { name: 'gangs', make: blowup('gangs', 20) },
];

const CATEGORIES: readonly string[] = ['c', 'm', 'r'];

/** With what every node runs, over the types that most pools buy: on the smallest types no bound says much. */
export const QUALITY: readonly QualityKind[] = KINDS.map(({ name, make }) => ({
  name,
  make: (types) => {
    const input = make(
      types.filter(({ labels }) => CATEGORIES.includes(labels.get(`${INSTANCE_PREFIX}category`) ?? '')),
    );
    const agents = AGENTS.map((agent) =>
      daemonSet({ name: agent.name, requests: agent.requests, tolerations: [tolerateKey()] }),
    );
    return { ...input, daemonSets: [...input.daemonSets, ...agents] };
  },
}));
