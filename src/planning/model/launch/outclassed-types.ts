/**
 * Types of many pools. Where the pools together bring more rows than planning can look at, each pool leaves out types that
 * enough others of the same pool outclass: they have as much room, at no higher price anywhere, and are the same to all
 * that pods say of types.
 */
import type { NodeDevices } from '../../../domain/devices/device.js';
import type { InstanceType, Offering } from '../../../domain/nodes/instance-type.js';
import { NODEPOOL } from '../../../domain/values/labels.js';
import type { PodSpec } from '../../../domain/pods/pod.js';
import {
  labelsSatisfy,
  requirementsFromLabels,
  type Requirements,
} from '../../../domain/values/requirements.js';
import { typesOffered } from '../../snapshot/cluster-input.js';
import { areDevices } from '../../snapshot/device-slots.js';
import { roomRows } from '../../snapshot/volume-slots.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { requirementsKey } from '../../snapshot/spec-key.js';
import { offeringsWithin } from './offering-labels.js';
import { pendingSpecs } from './served-types.js';
import { tooComplex } from '../classes/spec-size.js';
import type { Template } from './template.js';

/** Rows (template × type) of all pools up to which nothing is left out: sixteen pools of some 760 types. */
const MOST_ROWS = 12_288;
/** A type that so many others outclass is needed neither for room nor, since claims list 60 types, for choice. */
const MOST_OUTCLASSING = 64;
/** Most distinct requirements of pods on types that are distinguished. */
const MOST_STATEMENTS = 256;

/** The templates with fewer types each, as few as must be left out; the same where they are few enough. */
export function withoutOutclassed(snapshot: Snapshot, templates: readonly Template[]): readonly Template[] {
  if (countRows(templates, ({ types }) => types.length) <= MOST_ROWS) return templates;
  const kindOf = typeKinds(snapshot, templates);
  if (kindOf === undefined) return templates;
  const rankings = new Map<string, Ranking>();
  const arrays = new Map<readonly InstanceType[], number>();
  const rankingOf = templates.map((template) => {
    if (template.types !== typesOffered(template.offer, template.chosen) || countsValues(template))
      return undefined;
    arrays.set(template.types, arrays.get(template.types) ?? arrays.size);
    const key = `${String(arrays.get(template.types))} ${likeness(template)}`;
    const ranking = rankings.get(key) ?? new Ranking(snapshot, template, kindOf);
    rankings.set(key, ranking);
    return ranking;
  });
  let alternatives = Infinity;
  const rows = (): number =>
    countRows(templates, ({ types, index }) => rankingOf[index]?.count(alternatives) ?? types.length);
  if (rows() <= MOST_ROWS) return templates;
  for (alternatives = MOST_OUTCLASSING; alternatives > 1 && rows() > MOST_ROWS;) alternatives--;
  return templates.map((template, index) => {
    const types = rankingOf[index]?.types(alternatives);
    return types === undefined ? template : { ...template, types };
  });
}

function countRows(templates: readonly Template[], count: (template: Template) => number): number {
  return templates.reduce((sum, template) => sum + count(template), 0);
}

function countsValues({ requirements }: Template): boolean {
  return [...requirements.values()].some(({ minValues }) => minValues > 0);
}

/** Equal for templates of the same types that differ in name, weight, taints and amounts of limits at most. */
function likeness({ requirements, labels, offer }: Template): string {
  const others = [...labels].filter(([key]) => key !== NODEPOOL || requirements.has(key));
  return JSON.stringify([requirementsKey(requirements), others, [...offer.pool.limits.keys()]]);
}

/** The types that a template may launch, by how many outclass each. */
class Ranking {
  readonly #types: readonly InstanceType[];
  /** Type → how many others outclass it, MOST_OUTCLASSING at most. */
  readonly #outclassing: Uint8Array;
  readonly #kept = new Map<number, readonly InstanceType[]>();

  constructor(snapshot: Snapshot, template: Template, kindOf: (type: InstanceType) => number) {
    const sized = template.types
      .map((type) => ({ type, offerings: offeringsWithin(template.requirements, template.labels, type) }))
      .filter(({ offerings }) => offerings.length > 0)
      .map(({ type, offerings }) => ({ type, offerings, price: cheapest(offerings) }))
      .sort((left, right) => left.price - right.price || (left.type.name < right.type.name ? -1 : 1));
    this.#types = sized.map(({ type }) => type);
    const costs = costsOf(
      this.#types,
      sized.map(({ offerings }) => offerings),
      template,
    );
    const rooms = roomRows(snapshot.resources, this.#types);
    this.#outclassing = countOutclassing(this.#types.map(kindOf), rooms, costs);
  }

  /** How many types are left when those are left out that so many others outclass. */
  count(alternatives: number): number {
    return this.types(alternatives).length;
  }

  types(alternatives: number): readonly InstanceType[] {
    const known = this.#kept.get(alternatives);
    if (known !== undefined) return known;
    const kept = this.#types.filter((_, index) => (this.#outclassing[index] ?? 0) < alternatives);
    this.#kept.set(alternatives, kept);
    return kept;
  }
}

function cheapest(offerings: readonly Offering[]): number {
  return offerings.reduce((least, { price }) => Math.min(least, price), Infinity);
}

/** Types × what a type that outclasses another has no more of: its price in every place, and what limits count. */
function costsOf(
  types: readonly InstanceType[],
  offerings: readonly (readonly Offering[])[],
  { offer }: Template,
): Float64Array {
  const places = new Map<string, number>();
  const placeOf = ({ zone, capacityType }: Offering): number => {
    const key = `${zone} ${capacityType}`;
    const place = places.get(key) ?? places.size;
    places.set(key, place);
    return place;
  };
  for (const offering of offerings.flat()) placeOf(offering);
  const limited = [...offer.pool.limits.keys()];
  const width = places.size + limited.length;
  const costs = new Float64Array(types.length * width).fill(Infinity);
  types.forEach((type, row) => {
    for (const offering of offerings[row] ?? []) costs[row * width + placeOf(offering)] = offering.price;
    limited.forEach((resource, index) => {
      costs[row * width + places.size + index] = type.capacity.get(resource) ?? 0;
    });
  });
  return costs;
}

/** Of types by ascending price, how many before each are of its kind, with as much room at no higher costs. */
function countOutclassing(kinds: readonly number[], rooms: Float64Array, costs: Float64Array): Uint8Array {
  const counts = new Uint8Array(kinds.length);
  const [roomWidth, costWidth] = [rooms.length / kinds.length, costs.length / kinds.length];
  for (let type = 0; type < kinds.length; type++) {
    let count = 0;
    for (let other = 0; other < type && count < MOST_OUTCLASSING; other++) {
      if (kinds[other] !== kinds[type]) continue;
      if (!isNoLess(rooms, roomWidth, other, type) || !isNoLess(costs, costWidth, type, other)) continue;
      count++;
    }
    counts[type] = count;
  }
  return counts;
}

/** Whether no amount of row `left` is less than that of row `right`. */
function isNoLess(matrix: Float64Array, width: number, left: number, right: number): boolean {
  for (let index = 0; index < width; index++)
    if ((matrix[left * width + index] ?? 0) < (matrix[right * width + index] ?? 0)) return false;
  return true;
}

/** Numbers types by what pending pods and DaemonSets say of them; undefined where they say too much. */
function typeKinds(
  snapshot: Snapshot,
  templates: readonly Template[],
): ((type: InstanceType) => number) | undefined {
  const keys = new Set<string>();
  for (const types of new Set(templates.map((template) => template.types)))
    for (const { labels } of types) for (const key of labels.keys()) keys.add(key);
  const pending = pendingSpecs(snapshot).flatMap(({ spec }) => (tooComplex(spec) === undefined ? spec : []));
  const specs = [...pending, ...snapshot.daemonSets.map(({ spec }) => spec)];
  const statements = statementsOf(specs, keys);
  if (statements === undefined) return undefined;
  const told = [...topologyKeys(specs)].filter((key) => keys.has(key));
  // Which devices are as good as others is for the pods' claims to say, one by one.
  const hasDevices = snapshot.resources.some(areDevices);
  const known = new Map<NodeDevices, number>();
  const numberOf = (devices: NodeDevices): number => {
    const number = known.get(devices) ?? known.size;
    known.set(devices, number);
    return number;
  };
  const numbers = new Map<string, number>();
  const kinds = new Map<InstanceType, number>();
  return (type) => {
    const kind = kinds.get(type);
    if (kind !== undefined) return kind;
    const met = statements.map((statement) => (labelsSatisfy(statement, type.labels) ? '1' : '0'));
    const own = hasDevices && type.devices !== undefined ? numberOf(type.devices) : -1;
    const key = JSON.stringify([met.join(''), told.map((each) => type.labels.get(each)), own]);
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    kinds.set(type, number);
    return number;
  };
}

/** What the specs require, and as far as there is room for it prefer, of labels with these keys. */
function statementsOf(
  specs: readonly PodSpec[],
  keys: ReadonlySet<string>,
): readonly Requirements[] | undefined {
  const found = new Map<string, Requirements>();
  const add = (requirements: Requirements): void => {
    const stated = new Map([...requirements].filter(([key]) => keys.has(key)));
    if (stated.size > 0) found.set(requirementsKey(stated), stated);
  };
  for (const { nodeSelector, nodeAffinity } of specs) {
    if (nodeSelector.size > 0) add(requirementsFromLabels(nodeSelector));
    for (const { labels } of nodeAffinity.required ?? []) add(labels);
  }
  if (found.size > MOST_STATEMENTS) return undefined;
  for (const { nodeAffinity } of specs)
    for (const { term } of nodeAffinity.preferred) if (found.size < MOST_STATEMENTS) add(term.labels);
  return [...found.values()];
}

/** Labels by which pods are to be together or apart. */
function topologyKeys(specs: readonly PodSpec[]): ReadonlySet<string> {
  const keys = new Set<string>();
  for (const { spread, podAffinity, podAntiAffinity } of specs) {
    for (const { topologyKey } of spread) keys.add(topologyKey);
    for (const { required, preferred } of [podAffinity, podAntiAffinity]) {
      for (const { topologyKey } of required) keys.add(topologyKey);
      for (const { term } of preferred) keys.add(term.topologyKey);
    }
  }
  return keys;
}
