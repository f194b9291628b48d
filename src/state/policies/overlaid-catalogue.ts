/** The catalogue's instance types as the NodeOverlays in force make them and as nodes have shown them, for the nodes of each pool. */
import type { InstanceType } from '../../domain/nodes/instance-type.js';
import { tenancyOf, tenancyOfClaim, type LaunchedAs, type Tenancy } from '../../domain/nodes/tenancy.js';
import { NO_LABELS } from '../../domain/values/labels.js';
import { isSameList } from '../../domain/values/same.js';
import { describeNodeClass, type NodeClass } from '../../domain/policies/node-class.js';
import type { NodeOverlay } from '../../domain/policies/node-overlay.js';
import { overlaidTypes, overlaysOfPool, type OverlaidPool } from '../../domain/nodes/overlaid-types.js';
import {
  decideOverlays,
  overlaidTenancies,
  type DecidedOverlays,
  type OverlayConflict,
  type PoolTypes,
} from '../../domain/nodes/overlay-conflicts.js';
import type { InstanceCatalogue } from '../../ports/cloud.js';
import { acceptedPolicies, type AcceptedPolicies } from './accepted-policies.js';
import type { Cluster } from '../cluster/cluster.js';
import { ObservedVolumeLimits } from '../nodes/observed-volume-limits.js';

/** The catalogue, as far as it is asked here. */
type TypesByNodeClass = Pick<InstanceCatalogue, 'forNodeClass'>;

export interface OverlaidCatalogueOptions {
  readonly cluster: Pick<Cluster, 'policyConfigMaps' | 'policyStatuses' | 'nodes'>;
  /** As it is now: prices change. */
  readonly catalogue: () => TypesByNodeClass;
}

/** Overlays that concern a pool, in the order of precedence, and their names in one text. */
interface Concerned {
  readonly overlays: readonly NodeOverlay[];
  readonly names: string;
}

/** What was decided about some overlays, and what came of it. */
interface Decided extends DecidedOverlays {
  /** What it was decided from: content of overlays and pools, and the lists of types as they are. */
  readonly text: string;
  readonly lists: readonly (readonly InstanceType[])[];
  /** Name of a pool → the overlays that concern it. */
  readonly concerned: Map<string, Concerned>;
  /** List of types → names of overlays → the list with them. */
  readonly made: WeakMap<readonly InstanceType[], Map<string, readonly InstanceType[]>>;
}

/** Lives as long as its cluster. For equal policies and the same catalogue the types are the same objects. */
export class OverlaidCatalogue {
  readonly #options: OverlaidCatalogueOptions;
  readonly #volumeLimits: ObservedVolumeLimits;
  #accepted: AcceptedPolicies | undefined;
  /** Name of a pool → the tenancy of its instances, of these pools. */
  #tenancies:
    { readonly pools: AcceptedPolicies['pools']; readonly byName: ReadonlyMap<string, Tenancy> } | undefined;
  /** What `#decided` was last found to hold for. */
  #decidedFor: { readonly accepted: AcceptedPolicies; readonly catalogue: TypesByNodeClass } | undefined;
  #decided: Decided = { text: '', lists: [], inForce: [], conflicts: [], ...nothingMade() };

  constructor(options: OverlaidCatalogueOptions) {
    this.#options = options;
    this.#volumeLimits = new ObservedVolumeLimits(options.cluster);
    const forget = (): void => {
      this.#accepted = undefined;
    };
    options.cluster.policyConfigMaps.subscribe(forget);
    options.cluster.policyStatuses.subscribe(forget);
  }

  /** All types under a node class, for nodes of the pool of this name, whether or not they are available. */
  typesFor(
    nodeClass: NodeClass,
    poolName: string,
    tenancy = this.tenancy(poolName),
  ): readonly InstanceType[] {
    return this.#volumeLimits.of(this.#overlaid(nodeClass, poolName, tenancy), poolName);
  }

  /** The same of the tenancy that the claim is launched with. */
  typesOfClaim(nodeClass: NodeClass, claim: LaunchedAs): readonly InstanceType[] {
    return this.typesFor(nodeClass, claim.spec.nodePool, tenancyOfClaim(claim));
  }

  #overlaid(nodeClass: NodeClass, poolName: string, tenancy: Tenancy): readonly InstanceType[] {
    const types = this.#options.catalogue().forNodeClass(nodeClass, tenancy);
    const { inForce, made } = this.#current();
    if (inForce.length === 0) return types;
    const { overlays, names } = this.#concerned(poolName);
    const known = made.get(types) ?? new Map<string, readonly InstanceType[]>();
    made.set(types, known);
    const found = known.get(names) ?? overlaidTypes(types, overlays);
    known.set(names, found);
    return found;
  }

  /** Of nodes for which no pod asks otherwise; that of a pool that is not there is the usual one. */
  tenancy(poolName: string): Tenancy {
    const { pools } = this.#policies();
    if (this.#tenancies?.pools !== pools) {
      const byName = new Map(pools.map(({ nodePool: { name, template } }) => [name, tenancyOf(template)]));
      this.#tenancies = { pools, byName };
    }
    return this.#tenancies.byName.get(poolName) ?? 'default';
  }

  /** Overlays that are accepted and yet not applied. */
  conflicts(): readonly OverlayConflict[] {
    return this.#current().conflicts;
  }

  #policies(): AcceptedPolicies {
    const { policyConfigMaps, policyStatuses } = this.#options.cluster;
    return (this.#accepted ??= acceptedPolicies(policyConfigMaps.values(), policyStatuses.values()));
  }

  #concerned(poolName: string): Concerned {
    const { inForce, concerned } = this.#current();
    const known = concerned.get(poolName);
    if (known !== undefined) return known;
    const overlays = overlaysOfPool(inForce, this.#pool(poolName));
    const made = { overlays, names: overlays.map(({ name }) => name).join(' ') };
    concerned.set(poolName, made);
    return made;
  }

  #pool(name: string): OverlaidPool {
    const pool = this.#policies().pools.find(({ nodePool }) => nodePool.name === name);
    return { name, labels: pool?.nodePool.template.labels ?? NO_LABELS };
  }

  #current(): Decided {
    const accepted = this.#policies();
    const catalogue = this.#options.catalogue();
    const known = this.#decidedFor;
    if (known?.accepted !== accepted || known.catalogue !== catalogue) {
      this.#decide(accepted, catalogue);
      this.#decidedFor = { accepted, catalogue };
    }
    return this.#decided;
  }

  /** Decides again if anything relevant has changed; statuses are written far more often than policies. */
  #decide({ nodeOverlays, pools, nodeClasses }: AcceptedPolicies, catalogue: TypesByNodeClass): void {
    const classes = new Map(nodeClasses.map((nodeClass) => [describeNodeClass(nodeClass), nodeClass]));
    const poolTypes = pools.flatMap(({ nodePool: { name, template } }): PoolTypes[] => {
      const nodeClass = classes.get(describeNodeClass(template.nodeClassRef));
      if (nodeClass === undefined || nodeOverlays.length === 0) return [];
      const pool = { name, labels: template.labels };
      return overlaidTenancies(template, nodeOverlays).map((tenancy) => ({
        pool,
        types: catalogue.forNodeClass(nodeClass, tenancy),
      }));
    });
    const known = pools.map(({ nodePool: { name, template } }) => [name, template.labels]);
    const text = textOf([nodeOverlays, known]);
    const lists = poolTypes.map(({ types }) => types);
    const before = this.#decided;
    if (text === before.text && isSameList(lists, before.lists)) return;
    this.#decided = { text, lists, ...nothingMade(), ...decideOverlays(nodeOverlays, poolTypes) };
  }
}

function nothingMade(): Pick<Decided, 'concerned' | 'made'> {
  return { concerned: new Map(), made: new WeakMap() };
}

/** Equal for equal content: maps and sets by their content, infinite bounds by name. */
function textOf(content: unknown): string {
  return JSON.stringify(content, (_, value: unknown) => {
    if (value instanceof Map || value instanceof Set) return [...(value as Iterable<unknown>)];
    return typeof value === 'number' && !Number.isFinite(value) ? String(value) : value;
  });
}
