/** NodePools of live facts. */
import type { NodePool } from '../fixture/system.js';
import { SMALL } from './instance-types.js';

/** The label of everything that belongs to a fact, with its key. */
export const FACT = 'live.berth.sh/fact';
/** The label that a node is launched by: each node of a scene has its own value. */
export const PLACE = 'live.berth.sh/place';
const PLACES = 'abcdefghij'.split('');

export interface Taint {
  readonly key: string;
  readonly value?: string;
  readonly effect: string;
}

/** Of a NodePool; what is not given has the value that its comment says. */
export interface PoolTerms {
  /** Small. */
  readonly types?: readonly string[];
  /** On-demand. */
  readonly capacityTypes?: readonly string[];
  readonly requirements?: readonly unknown[];
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly taints?: readonly Taint[];
  readonly startupTaints?: readonly Taint[];
  /** Never. */
  readonly expireAfter?: string;
  readonly terminationGracePeriod?: string;
  /** WhenEmptyOrUnderutilized, after 0s. */
  readonly policy?: 'WhenEmpty' | 'WhenEmptyOrUnderutilized';
  readonly consolidateAfter?: string;
  /** None is disrupted until a scene is opened; `default`: the NodePool says nothing of budgets. */
  readonly budgets?: readonly unknown[] | 'default';
  readonly limits?: Readonly<Record<string, string>>;
  readonly weight?: number;
  readonly replicas?: number;
  readonly minValues?: number;
  /** The block that only Berth reads. */
  readonly berth?: unknown;
}

export const CLOSED = [{ nodes: '0' }];

/** A pool of a fact; `fact` is its key. */
export function nodePool(name: string, fact: string, terms: PoolTerms): NodePool {
  const { taints, startupTaints, expireAfter = 'Never', terminationGracePeriod } = terms;
  const { annotations, weight, limits, replicas, berth } = terms;
  const labels = { [FACT]: fact, ...terms.labels };
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      ...given({ weight, limits, replicas }),
      template: {
        metadata: { labels, ...given({ annotations }) },
        spec: {
          requirements: requirements(terms),
          nodeClassRef: { group: 'karpenter.kwok.sh', kind: 'KWOKNodeClass', name: 'default' },
          expireAfter,
          ...given({ terminationGracePeriod, taints, startupTaints }),
        },
      },
      disruption: {
        consolidationPolicy: terms.policy ?? 'WhenEmptyOrUnderutilized',
        consolidateAfter: terms.consolidateAfter ?? '0s',
        ...(terms.budgets !== 'default' && { budgets: terms.budgets ?? CLOSED }),
      },
    },
    ...given({ berth }),
  };
}

/** The fields that have a value. */
function given(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

function requirements(terms: PoolTerms): readonly unknown[] {
  const { types = [SMALL], capacityTypes = ['on-demand'], minValues, replicas } = terms;
  const places = replicas === undefined ? [among(PLACE, PLACES)] : [];
  return [
    { ...among('node.kubernetes.io/instance-type', types), ...(minValues !== undefined && { minValues }) },
    among('karpenter.sh/capacity-type', capacityTypes),
    ...places,
    ...(terms.requirements ?? []),
  ];
}

function among(key: string, values: readonly string[]): Readonly<Record<string, unknown>> {
  return { key, operator: 'In', values };
}
