/** Makes the change that a reason names, on the pod or on its pool, as somebody who reads it would. */
import { requirement } from '../../../src/domain/values/requirement.js';
import { parseAmount } from '../../../src/domain/values/resources.js';
import type { PodAffinity } from '../../../src/domain/pods/affinity.js';
import type { Pod, PodSpec } from '../../../src/domain/pods/pod.js';
import type { Reason, ReasonCode } from '../../../src/planning/reason.js';
import type { ClusterInput, PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { tolerateKey } from '../../support/builders/constraints.js';
import { storageClass, volumeClaim } from '../../support/builders/volume.js';

type Of<Code extends ReasonCode> = Extract<Reason, { readonly code: Code }>;
type Changes = {
  readonly [Code in ReasonCode]?: (
    input: ClusterInput,
    reason: Of<Code>,
    pool: string,
  ) => ClusterInput | undefined;
};

/** undefined where the reason names nothing that could be made without knowing more. */
export function withChange(input: ClusterInput, pool: string, reason: Reason): ClusterInput | undefined {
  const change = CHANGES[reason.code] as
    ((input: ClusterInput, reason: Reason, pool: string) => ClusterInput | undefined) | undefined;
  return change?.(input, reason, pool);
}

function changePod(input: ClusterInput, change: (spec: PodSpec) => Partial<PodSpec>): ClusterInput {
  const isPending = ({ nodeName }: Pod): boolean => nodeName === undefined;
  return {
    ...input,
    pods: input.pods.map((each) =>
      isPending(each) ? { ...each, spec: { ...each.spec, ...change(each.spec) } } : each,
    ),
  };
}

function changePool(
  input: ClusterInput,
  name: string,
  change: (offer: PoolOffer) => PoolOffer,
): ClusterInput {
  return {
    ...input,
    pools: input.pools.map((offer) => (offer.pool.name === name ? change(offer) : offer)),
  };
}

/** The pool's requirement of a label dropped, or set to these values. */
function requiring(offer: PoolOffer, key: string, values?: readonly string[]): PoolOffer {
  const { template } = offer.pool;
  const others = template.requirements.filter((item) => item.key !== key);
  const own = values === undefined ? [] : [requirement(key, 'In', values)];
  const next = { ...template, requirements: [...others, ...own] };
  return { ...offer, pool: { ...offer.pool, template: next } };
}

const CHANGES: Changes = {
  PoolFrozen: (input, _, name) => changePool(input, name, (offer) => ({ ...offer, frozen: undefined })),
  ExcludedTypes: (input, _, name) =>
    changePool(input, name, (offer) => ({
      ...offer,
      instanceTypes: offer.instanceTypes?.map((type) =>
        type.excluded === undefined
          ? type
          : { ...type, offerings: type.excluded.offerings, excluded: undefined },
      ),
    })),
  OutOfStock: (input, _, name) =>
    changePool(input, name, (offer) => ({
      ...offer,
      instanceTypes: offer.instanceTypes?.map((type) => ({
        ...type,
        offerings: type.offerings.map((offering) => ({ ...offering, available: true })),
      })),
    })),
  LimitReached: (input, reason, name) =>
    changePool(input, name, (offer) => ({
      ...offer,
      pool: { ...offer.pool, limits: raised(offer, reason) },
    })),
  MinValues: (input, { key, available }, name) =>
    changePool(input, name, (offer) => {
      const { template } = offer.pool;
      const requirements = template.requirements.map((item) =>
        item.key === key ? { ...item, minValues: available } : item,
      );
      return { ...offer, pool: { ...offer.pool, template: { ...template, requirements } } };
    }),
  IncompatibleLabel: (input, { key, pool }, name) => {
    if (pool === undefined) return changePod(input, (spec) => withoutLabel(spec, key));
    const [value = ''] = pool.values;
    if (pool.kind === 'allow') return changePool(input, name, (offer) => requiring(offer, key, [value]));
    return changePool(input, name, (offer) => {
      const labels = new Map([...offer.pool.template.labels, [key, value]]);
      return { ...offer, pool: { ...offer.pool, template: { ...offer.pool.template, labels } } };
    });
  },
  NoOffering: (input, { of, widen: [key] = [] }, name) => {
    if (of === 'pool') return changePool(input, name, (offer) => requiring(offer, key ?? ''));
    if (of === 'terms')
      return changePod(input, (spec) => ({ nodeAffinity: { ...spec.nodeAffinity, required: undefined } }));
    return key === undefined ? undefined : changePod(input, (spec) => withoutLabel(spec, key));
  },
  PodAffinity: (input, { key, allow }, name) =>
    allow === true
      ? changePool(input, name, (offer) => requiring(offer, key))
      : changePod(input, ({ podAffinity }) => ({ podAffinity: without(podAffinity, key) })),
  PodAntiAffinity: (input, { key, allow }, name) =>
    allow === true
      ? changePool(input, name, (offer) => requiring(offer, key))
      : changePod(input, ({ podAntiAffinity }) => ({ podAntiAffinity: without(podAntiAffinity, key) })),
  VolumeTopology: (input, { wanted, allow }, name) =>
    allow === true
      ? changePool(input, name, (offer) => requiring(offer, wanted?.split(' ')[0] ?? ''))
      : changePod(input, () => ({ volumes: [] })),
  VolumeClaimNotFound: (input, { claim: name }) => ({
    ...input,
    persistentVolumeClaims: [
      ...input.persistentVolumeClaims,
      volumeClaim({ name, storageClassName: 'made-for-it' }),
    ],
    storageClasses: [...input.storageClasses, storageClass({ name: 'made-for-it' })],
  }),
  StorageClassNotFound: (input, { storageClass: name }) => ({
    ...input,
    storageClasses: [...input.storageClasses, storageClass({ name })],
  }),
  NoDefaultStorageClass: (input) => ({
    ...input,
    storageClasses: [...input.storageClasses, storageClass({ name: 'standard', isDefault: true })],
  }),
  UntoleratedTaint: (input, { taint, others = [] }) =>
    changePod(input, (spec) => ({
      tolerations: [...spec.tolerations, ...[taint, ...others].map(({ key }) => tolerateKey(key))],
    })),
  InsufficientResource: (input, { resource, needed, largest }) =>
    changePod(input, (spec) => less(spec, [[resource, needed - Math.max(0, largest)]])),
  InsufficientTogether: (input, { short }) =>
    changePod(input, (spec) =>
      less(
        spec,
        short.split(' and ').map((part) => {
          const [amount = '', resource = ''] = part.split(' ');
          return [resource, parseAmount(resource, amount)];
        }),
      ),
    ),
  TopologySpread: (input, { key, needed }) => {
    const relaxed =
      needed === undefined ? { whenUnsatisfiable: 'ScheduleAnyway' as const } : { maxSkew: needed };
    return changePod(input, (spec) => ({
      spread: spec.spread.map((each) => (each.topologyKey === key ? { ...each, ...relaxed } : each)),
    }));
  },
  HostPortConflict: (input, { port: taken }) =>
    changePod(input, ({ hostPorts }) => ({
      hostPorts: hostPorts.map((each) => (each.port === taken ? { ...each, port: 20_000 + taken } : each)),
    })),
};

function without(affinity: PodAffinity, key: string): PodAffinity {
  return { ...affinity, required: affinity.required.filter(({ topologyKey }) => topologyKey !== key) };
}

function raised({ pool }: PoolOffer, { others = [], ...first }: Of<'LimitReached'>) {
  const more = [first, ...others].map(({ resource, inUse, needed }) => [resource, inUse + needed] as const);
  return new Map([...pool.limits, ...more]);
}

function withoutLabel(spec: PodSpec, key: string): Partial<PodSpec> {
  const isNamed = spec.nodeAffinity.required?.some(({ labels }) => labels.has(key)) ?? false;
  if (!isNamed) return { nodeSelector: new Map([...spec.nodeSelector].filter(([name]) => name !== key)) };
  const required = spec.nodeAffinity.required?.map((term) => ({
    ...term,
    labels: new Map([...term.labels].filter(([name]) => name !== key)),
  }));
  const isEmpty = required?.every(({ labels, fields }) => labels.size + fields.size === 0) ?? true;
  return {
    nodeSelector: new Map([...spec.nodeSelector].filter(([name]) => name !== key)),
    nodeAffinity: { ...spec.nodeAffinity, required: isEmpty ? undefined : required },
  };
}

function less(spec: PodSpec, by: readonly (readonly [string, number])[]): Partial<PodSpec> {
  const requests = new Map(spec.requests);
  for (const [resource, amount] of by) requests.set(resource, (requests.get(resource) ?? 0) - amount);
  return { requests };
}
