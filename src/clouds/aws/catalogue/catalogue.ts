/** A catalogue: the instance types of one region with their offerings, as they are for a given node class. */
import type {
  Exclusion,
  InstanceType,
  Offering,
  UnpricedOffering,
} from '../../../domain/nodes/instance-type.js';
import type { Tenancy } from '../../../domain/nodes/tenancy.js';
import { INSTANCE_TENANCY, OS, WINDOWS_BUILD, type Labels } from '../../../domain/values/labels.js';
import { imageFamily, type AmiFamily } from '../families/families.js';
import { hasNodeSettings, type KubeletSettings, type NodeSettings } from '../families/node-settings.js';
import type { NodeClass } from '../../../domain/policies/node-class.js';
import { CPU, EPHEMERAL_STORAGE, MEMORY, PODS, type ResourceList } from '../../../domain/values/resources.js';
import { counted } from '../../../domain/values/text.js';
import {
  allocatableFor,
  allocatableWith,
  DEFAULT_INSTANCE_TERMS,
  EFA,
  gpuResource,
  kubeletOf,
  podsOf,
  type InstanceTerms,
  type NodeResources,
} from './allocatable.js';
import { DEFAULT_NODE_CLASS } from './default-node-class.js';
import type { InstanceFacts } from './instance-facts.js';
import { instanceLabels } from './instance-labels.js';
import { devicesOf } from './devices.js';
import { isMadeToMeasure } from './root-volume.js';
import { volumeLimitsOf } from './volume-limits.js';

export interface CatalogueEntry {
  readonly facts: InstanceFacts;
  /** Given in place of what would be computed, or undefined. */
  readonly allocatable: ResourceList | undefined;
  readonly offerings: readonly Offering[];
  /** See InstanceType. */
  readonly unpriced?: readonly UnpricedOffering[] | undefined;
}

/** What is known of all nodes, beside the facts of their types. */
export interface CatalogueKnowledge {
  readonly terms?: InstanceTerms | undefined;
  /** Name of a node class → instance type → bytes of memory that its nodes report; the same map until it changes. */
  readonly reported?: ((nodeClass: string) => ReadonlyMap<string, number>) | undefined;
}

/** What has prices of its own. */
export interface OtherPrices {
  readonly isWindows: boolean;
  readonly tenancy: Tenancy;
}

export interface CatalogueOptions extends CatalogueKnowledge {
  readonly region: string;
  readonly entries: readonly CatalogueEntry[];
  /**
   * Of a type with Windows, or for dedicated instances; asked for only where there are such. Unless given those of the entry, which
   * are for shared Linux instances.
   */
  readonly otherOfferings?: ((entry: CatalogueEntry, of: OtherPrices) => readonly Offering[]) | undefined;
}

export class Catalogue {
  readonly region: string;
  readonly entries: readonly CatalogueEntry[];
  readonly #otherOfferings: NonNullable<CatalogueOptions['otherOfferings']>;
  readonly #terms: InstanceTerms;
  readonly #reported: CatalogueKnowledge['reported'];
  readonly #labels: readonly Labels[];
  readonly #bySettings = new Map<string, readonly InstanceType[]>();
  readonly #expressionProblems = new Map<string, readonly string[]>();
  /** What nodes reported → settings → types. */
  readonly #byReports = new WeakMap<ReadonlyMap<string, number>, Map<string, readonly InstanceType[]>>();

  /** Entries keep their order; names must be distinct. */
  constructor({
    region,
    entries,
    terms = DEFAULT_INSTANCE_TERMS,
    reported,
    otherOfferings = ({ offerings }) => offerings,
  }: CatalogueOptions) {
    this.region = region;
    this.entries = entries;
    this.#terms = terms;
    this.#reported = reported;
    this.#otherOfferings = otherOfferings;
    this.#labels = entries.map(({ facts }) => instanceLabels(facts, region));
  }

  /** The types as they are for a node class that says nothing. */
  get instanceTypes(): readonly InstanceType[] {
    return this.forNodeClass(DEFAULT_NODE_CLASS);
  }

  /**
   * The types as they are for a node class: its kubelet settings, disks and AMI family decide capacity, allocatable and the
   * operating system's labels, the tenancy another label. Windows leaves arm64 out, and has prices of its own, as has the tenancy dedicated; types that lack what the node class launches with are excluded. An allocatable given in a catalog file is taken as it is, but for `maxPods` and `podsPerCore`, which may lower its pods.
   * Memory is what nodes of the class reported, else an estimate. Types for which an expression of the class has no value have no offerings.
   * Node classes with equal settings and reports get the same array; those of other clouds an empty one.
   */
  forNodeClass(nodeClass: NodeClass | NodeSettings, tenancy: Tenancy = 'default'): readonly InstanceType[] {
    if (!hasNodeSettings(nodeClass)) return [];
    const settings = `${tenancy} ${settingsOf(nodeClass)}`;
    const estimated = this.#bySettings.get(settings) ?? this.#typesOf(nodeClass, tenancy);
    this.#bySettings.set(settings, estimated);
    const reported = isNamed(nodeClass) ? this.#reported?.(nodeClass.name) : undefined;
    if (reported === undefined || reported.size === 0) return estimated;
    const made = this.#byReports.get(reported) ?? new Map<string, readonly InstanceType[]>();
    this.#byReports.set(reported, made);
    const types = made.get(settings) ?? this.#withReports(estimated, nodeClass, reported);
    made.set(settings, types);
    return types;
  }

  #typesOf(nodeClass: NodeSettings, tenancy: Tenancy): readonly InstanceType[] {
    const isWindows = imageFamily(nodeClass.amiFamily).windowsBuild !== undefined;
    const isUsual = !isWindows && tenancy === 'default';
    const resourcesOf = allocatableWith(nodeClass, this.#terms);
    const hasExpressions = nodeClass.kubelet.expressions !== undefined;
    const types: InstanceType[] = [];
    for (const [index, entry] of this.entries.entries()) {
      if (!runsOn(nodeClass, entry)) continue;
      const computed = resourcesOf(entry.facts);
      const offered = isUsual
        ? entry
        : { ...entry, offerings: this.#otherOfferings(entry, { isWindows, tenancy }) };
      const labels = withTenancy(this.#labels[index] ?? new Map<string, string>(), tenancy);
      const type = instanceType(offered, labels, { nodeClass, computed });
      const isLaunchable = !hasExpressions || this.#problemsOf(nodeClass, entry).length === 0;
      types.push(isLaunchable ? type : { ...type, offerings: [], unpriced: undefined, excluded: undefined });
    }
    return types;
  }

  #problemsOf(nodeClass: NodeSettings, { facts }: CatalogueEntry): readonly string[] {
    return kubeletOf(facts, nodeClass, this.#terms).problems;
  }

  /** Types whose nodes have reported nothing stay the same objects. */
  #withReports(
    types: readonly InstanceType[],
    nodeClass: NodeSettings,
    reported: ReadonlyMap<string, number>,
  ): readonly InstanceType[] {
    const facts = new Map(
      this.entries.flatMap((entry): [string, InstanceFacts][] =>
        reported.has(entry.facts.name) && entry.allocatable === undefined
          ? [[entry.facts.name, entry.facts]]
          : [],
      ),
    );
    const resourcesOf = allocatableWith(nodeClass, this.#terms, reported);
    return types.map((type) => {
      const own = facts.get(type.name);
      return own === undefined ? type : { ...type, ...resourcesOf(own) };
    });
  }

  /** The kubelet's settings on such a node, and the most pods that it takes. */
  kubeletOf(
    facts: InstanceFacts,
    nodeClass: NodeSettings,
  ): { readonly kubelet: KubeletSettings; readonly maxPods: number } {
    const { amiFamily } = nodeClass;
    const { kubelet } = kubeletOf(facts, nodeClass, this.#terms);
    return { kubelet, maxPods: podsOf(facts, { amiFamily, kubelet }, this.#terms) };
  }

  /** Sentences on expressions of the node class that have no value for a type that it can be launched on. */
  expressionProblems(nodeClass: NodeSettings): readonly string[] {
    if (nodeClass.kubelet.expressions === undefined) return [];
    const settings = settingsOf(nodeClass);
    const known = this.#expressionProblems.get(settings);
    if (known !== undefined) return known;
    const problems = this.entries
      .filter((entry) => runsOn(nodeClass, entry) && exclusionOf(entry.facts, nodeClass) === undefined)
      .flatMap((entry) => this.#problemsOf(nodeClass, entry));
    this.#expressionProblems.set(settings, problems);
    return problems;
  }
}

/** Windows runs on amd64 only. */
function runsOn({ amiFamily }: NodeSettings, { facts }: CatalogueEntry): boolean {
  return imageFamily(amiFamily).windowsBuild === undefined || facts.arch === 'amd64';
}

function isNamed(nodeClass: NodeClass | NodeSettings): nodeClass is NodeClass & NodeSettings {
  return 'name' in nodeClass;
}

/** Everything of a node class that changes instance types, as text. */
function settingsOf(nodeClass: NodeSettings): string {
  const { amiFamily, kubelet, rootVolumeBytes, maxRootVolumeBytes, instanceStoreRaid0 } = nodeClass;
  const { volumes, nitroEnclaves, efaInterfaces } = nodeClass;
  const { maxPods, podsPerCore, systemReserved, kubeReserved, evictionHard, expressions } = kubelet;
  const maps = [
    ...[systemReserved, kubeReserved ?? new Map<string, number>(), evictionHard],
    ...(expressions === undefined ? [] : [expressions.kubeReserved, expressions.systemReserved]),
  ];
  return JSON.stringify([
    ...[amiFamily, rootVolumeBytes, maxRootVolumeBytes, instanceStoreRaid0, maxPods, podsPerCore],
    ...[volumes, nitroEnclaves, efaInterfaces],
    expressions?.maxPods,
    ...maps.map((map) => [...map].sort(([left], [right]) => (left < right ? -1 : 1))),
  ]);
}

function instanceType(
  { facts, allocatable, offerings, unpriced }: CatalogueEntry,
  labels: Labels,
  { nodeClass, computed }: { readonly nodeClass: NodeSettings; readonly computed: NodeResources },
): InstanceType {
  return {
    name: facts.name,
    arch: facts.arch,
    labels: systemLabels(labels, nodeClass.amiFamily),
    ...(allocatable ? givenResources(allocatable, computed, facts, nodeClass) : computed),
    ...(allocatable?.has(EPHEMERAL_STORAGE) !== true && leastStorageOf(facts, nodeClass)),
    ...volumeLimitsOf(facts, nodeClass),
    ...devicesOf(facts),
    ...(hasAdaptersOnRequest(facts, nodeClass) && { onRequest: ON_REQUEST }),
    ...sold({ facts, offerings, unpriced }, nodeClass),
  };
}

/** As the catalogue has it, or nothing where the node class excludes the type. */
function sold(
  { facts, offerings, unpriced }: Pick<CatalogueEntry, 'facts' | 'offerings' | 'unpriced'>,
  nodeClass: NodeSettings,
): Pick<InstanceType, 'offerings' | 'unpriced' | 'excluded'> {
  const excluded = exclusionOf(facts, nodeClass);
  if (excluded !== undefined) return { offerings: [], excluded: { ...excluded, offerings } };
  return { offerings, ...(unpriced !== undefined && { unpriced }) };
}

/** Karpenter leaves out all types that EC2 does not say to be supported. */
function exclusionOf(
  facts: InstanceFacts,
  { nitroEnclaves = false, efaInterfaces = 0 }: NodeSettings,
): Omit<Exclusion, 'offerings'> | undefined {
  if (nitroEnclaves && facts.nitroEnclaves !== true)
    return { setting: 'spec.enclaveOptions.enabled', lacks: 'Nitro Enclaves' };
  if (efaInterfaces <= facts.efaCards.length) return undefined;
  return { setting: 'spec.networkInterfaces', lacks: counted(efaInterfaces, 'Elastic Fabric Adapter') };
}

const ON_REQUEST: ReadonlySet<string> = new Set([EFA]);

/** Instances of a node class with interfaces of its own have these, whatever their pods request. */
function hasAdaptersOnRequest({ efaCards }: InstanceFacts, { efaInterfaces }: NodeSettings): boolean {
  return efaCards.length > 0 && efaInterfaces === undefined;
}

/** Nothing where storage is the same on every node. */
function leastStorageOf(facts: InstanceFacts, nodeClass: NodeSettings): Pick<InstanceType, 'leastStorage'> {
  if (!isMadeToMeasure(facts, nodeClass)) return {};
  const { capacity, allocatable } = allocatableFor(facts, { ...nodeClass, maxRootVolumeBytes: undefined });
  const of = (resources: ResourceList): number => resources.get(EPHEMERAL_STORAGE) ?? 0;
  return { leastStorage: { capacity: of(capacity), allocatable: of(allocatable) } };
}

function withTenancy(labels: Labels, tenancy: Tenancy): Labels {
  return tenancy === 'default' ? labels : new Map([...labels, [INSTANCE_TENANCY, tenancy]]);
}

function systemLabels(labels: Labels, amiFamily: AmiFamily): Labels {
  const build = imageFamily(amiFamily).windowsBuild;
  return build === undefined ? labels : new Map([...labels, [OS, 'windows'], [WINDOWS_BUILD, build]]);
}

/**
 * A given allocatable says all there is: only what every node has (cpu, memory, pods, disk) and the type's GPUs are
 * computed where it is silent. Capacity is never less.
 */
function givenResources(
  given: ResourceList,
  computed: NodeResources,
  facts: InstanceFacts,
  { kubelet }: NodeSettings,
): NodeResources {
  const always = [
    CPU,
    MEMORY,
    PODS,
    EPHEMERAL_STORAGE,
    ...(facts.gpu ? [gpuResource(facts.gpu.manufacturer)] : []),
  ];
  const allocatable = new Map(given);
  for (const name of always) {
    const amount = computed.allocatable.get(name);
    if (amount !== undefined && !allocatable.has(name)) allocatable.set(name, amount);
  }
  const { maxPods, podsPerCore, expressions } = kubelet;
  if (maxPods !== undefined || podsPerCore !== undefined || expressions?.maxPods !== undefined) {
    allocatable.set(PODS, Math.min(allocatable.get(PODS) ?? 0, computed.allocatable.get(PODS) ?? 0));
  }
  const capacity = [...allocatable].map(
    ([name, amount]) => [name, Math.max(amount, computed.capacity.get(name) ?? 0)] as const,
  );
  return { capacity: new Map(capacity), allocatable };
}
