/** The thread's side of InputDelta: what it has been told, made into requests again. */
import type { InstanceType } from '../../domain/instance-type.js';
import type { Labels } from '../../domain/labels.js';
import type { DisruptionInput, DisruptionOptions } from '../../planning/disrupt/disruption.js';
import type { NodePool } from '../../domain/node-pool.js';
import type { PlanOptions } from '../../planning/plan-options.js';
import type { ClusterInput, PoolOffer } from '../../planning/snapshot/cluster-input.js';
import { editedList } from './list-edit.js';
import type { ListName, PlannerMessage, PlannerQuestion, PlannerTask } from './message.js';
import type { ObjectNews } from './sent-objects.js';
import type { ClusterRest, DisruptionRest, ToldOffer } from './told-lists.js';

export type MirroredTask = PlannerTask & { readonly id: number };

/** What the lists hold. */
interface Elements {
  readonly pods: ClusterInput['pods'];
  readonly nodes: ClusterInput['nodes'];
  readonly daemonSets: ClusterInput['daemonSets'];
  readonly pools: readonly NodePool[];
  readonly offers: readonly ToldOffer[];
  readonly persistentVolumeClaims: ClusterInput['persistentVolumeClaims'];
  readonly persistentVolumes: ClusterInput['persistentVolumes'];
  readonly storageClasses: ClusterInput['storageClasses'];
  readonly namespaces: readonly { readonly name: string; readonly labels: Labels }[];
  readonly clusterRest: readonly [ClusterRest];
  readonly planOptions: readonly [PlanOptions];
  readonly managedNodes: DisruptionInput['nodes'];
  readonly observedPods: DisruptionInput['pods'];
  readonly podDisruptionBudgets: DisruptionInput['podDisruptionBudgets'];
  readonly workloads: DisruptionInput['workloads'];
  readonly disruptionOptions: readonly [DisruptionOptions];
  readonly disruptionRest: readonly [DisruptionRest];
}

/**
 * What has not changed is the same object in one request as in the next: pods, specs, types and all else that is in a
 * list, and the lists themselves where nothing in them has.
 */
export class InputMirror {
  readonly #objects: (object | undefined)[] = [];
  readonly #lists = new Map<ListName, readonly unknown[]>();
  readonly #types: (readonly InstanceType[])[] = [];
  readonly #offers = new Memo<readonly PoolOffer[]>();
  readonly #namespaces = new Memo<ReadonlyMap<string, Labels>>();

  /** The task and the question's number, once all of it is told. */
  take({ news, question }: PlannerMessage): MirroredTask | undefined {
    this.#learn(news);
    if (question === undefined) return undefined;
    this.#edit(question);
    const { id, moment } = question;
    const input = this.#cluster();
    if (moment === undefined)
      return { id, kind: 'plan', request: { input, options: this.#list('planOptions')[0] } };
    const disruption: DisruptionInput = {
      cluster: input,
      nodes: this.#list('managedNodes'),
      pods: this.#list('observedPods'),
      podDisruptionBudgets: this.#list('podDisruptionBudgets'),
      workloads: this.#list('workloads'),
      ...moment,
      ...this.#list('disruptionRest')[0],
    };
    const options = this.#list('disruptionOptions')[0];
    return { id, kind: 'disrupt', request: { input: disruption, options } };
  }

  #learn({ forgotten, ids, objects, specs }: ObjectNews): void {
    for (const id of forgotten) this.#objects[id] = undefined;
    ids.forEach((id, index) => {
      const object = objects[index];
      const spec = this.#objects[specs[index] ?? -1];
      this.#objects[id] = spec === undefined ? object : Object.assign(object ?? {}, { spec });
    });
  }

  #edit({ edits, typeEdits }: PlannerQuestion): void {
    for (const [name, edit] of edits)
      this.#lists.set(name, editedList<unknown>(edit, this.#lists.get(name) ?? [], this.#objects));
    for (const [index, edit] of typeEdits) {
      const types = editedList<unknown>(edit, this.#types[index] ?? [], this.#objects);
      this.#types[index] = types as readonly InstanceType[];
    }
  }

  #list<Name extends ListName>(name: Name): Elements[Name] {
    return (this.#lists.get(name) ?? NOTHING) as unknown as Elements[Name];
  }

  #cluster(): ClusterInput {
    const pools = this.#list('pools');
    const offers = this.#list('offers');
    const namespaces = this.#list('namespaces');
    return {
      pods: this.#list('pods'),
      nodes: this.#list('nodes'),
      daemonSets: this.#list('daemonSets'),
      pools: this.#offers.of([pools, offers, ...this.#types], () =>
        pools.flatMap((pool, index) => this.#offer(pool, offers[index]) ?? []),
      ),
      persistentVolumeClaims: this.#list('persistentVolumeClaims'),
      persistentVolumes: this.#list('persistentVolumes'),
      storageClasses: this.#list('storageClasses'),
      namespaces: this.#namespaces.of(
        [namespaces],
        () => new Map(namespaces.map(({ name, labels }) => [name, labels])),
      ),
      ...this.#list('clusterRest')[0],
    };
  }

  #offer(pool: NodePool, told: ToldOffer | undefined): PoolOffer | undefined {
    if (told === undefined) return undefined;
    const { types, rest } = told;
    return {
      ...rest,
      pool,
      instanceTypes: types === undefined ? undefined : (this.#types[types] ?? NOTHING),
    };
  }
}

/** An empty list that is told of as unchanged from the first. */
const NOTHING: readonly never[] = [];

/** A value kept for as long as what it is made of stays. */
class Memo<T> {
  #sources: readonly unknown[] = [];
  #value: T | undefined;

  of(sources: readonly unknown[], make: () => T): T {
    const { length } = sources;
    const isKept = length === this.#sources.length && sources.every((each, i) => each === this.#sources[i]);
    if (this.#value !== undefined && isKept) return this.#value;
    this.#sources = sources;
    return (this.#value = make());
  }
}
