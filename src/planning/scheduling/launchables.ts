/** Everything that could be launched, in columns: rows are template × instance type, columns are their offerings. */
import { CAPACITY_TYPE, ZONE, type LabelLookup } from '../../domain/labels.js';
import type { CapacityType, InstanceType, Offering } from '../../domain/instance-type.js';
import { labelsSatisfy } from '../../domain/requirements.js';
import type { Snapshot } from '../snapshot/snapshot.js';
import { amounts } from '../snapshot/build-snapshot.js';
import { addDaemonOverhead } from './daemon-overhead.js';
import type { NodeView } from './node-constraint.js';
import { compileTemplates, type Template } from './template.js';

export interface Launchables {
  readonly templates: readonly Template[];
  /** Template t has rows firstRow[t] up to firstRow[t + 1]. */
  readonly firstRow: Int32Array;
  /** Row → its template and type. */
  readonly rowTemplate: readonly Template[];
  readonly rowType: readonly InstanceType[];
  /** rows × R: allocatable less the DaemonSets that will run there. */
  readonly net: Float64Array;
  /** rows × R: what those DaemonSets request. */
  readonly daemons: Float64Array;
  /** Row r has columns firstColumn[r] up to firstColumn[r + 1]. */
  readonly firstColumn: Int32Array;
  readonly columnRow: Int32Array;
  /** USD/h. */
  readonly price: Float64Array;
  readonly offerings: readonly Offering[];
  /** Column → how constraints see a node launched from it. */
  readonly views: readonly NodeView[];
}

/** What a node of this offering will be labelled with, without building the map. */
class OfferingLabels implements LabelLookup {
  readonly #template: Template;
  readonly #type: InstanceType;
  readonly #zone: string;
  readonly #capacityType: CapacityType;

  constructor(template: Template, type: InstanceType, offering: Offering) {
    this.#template = template;
    this.#type = type;
    this.#zone = offering.zone;
    this.#capacityType = offering.capacityType;
  }

  get(key: string): string | undefined {
    if (key === ZONE) return this.#zone;
    if (key === CAPACITY_TYPE) return this.#capacityType;
    return this.#template.labels.get(key) ?? this.#type.labels.get(key);
  }
}

/** The name of a node yet to come is unknown. */
const NO_FIELDS: LabelLookup = { get: () => undefined };

interface Row {
  readonly template: Template;
  readonly type: InstanceType;
  readonly offerings: readonly Offering[];
  readonly views: readonly NodeView[];
}

/** Compiles the pools and their types. Offerings that are not available are left out. */
export function compileLaunchables(snapshot: Snapshot): Launchables {
  const templates = compileTemplates(snapshot);
  const rowsOf = templates.map((template) => templateRows(template));
  const rows = rowsOf.flat();
  const firstRow = starts(rowsOf.map(({ length }) => length));
  const firstColumn = starts(rows.map((row) => row.offerings.length));
  const offerings = rows.flatMap((row) => row.offerings);
  const net = amounts(
    snapshot.resources,
    rows.map(({ type }) => type.allocatable),
  );
  const daemons = new Float64Array(net.length);
  const views = rows.flatMap((row) => row.views);
  addDaemonOverhead(snapshot, rows, { net, daemons });
  return {
    templates,
    firstRow,
    rowTemplate: rows.map(({ template }) => template),
    rowType: rows.map(({ type }) => type),
    net,
    daemons,
    firstColumn,
    columnRow: Int32Array.from(rows.flatMap((row, index) => row.offerings.map(() => index))),
    price: Float64Array.from(offerings, ({ price }) => price),
    offerings,
    views,
  };
}

/** The members of group `index` where groups start as `firstRow` and `firstColumn` say. */
export function range(firsts: Int32Array, index: number): readonly number[] {
  const first = firsts[index] ?? 0;
  return Array.from({ length: Math.max(0, (firsts[index + 1] ?? 0) - first) }, (_, offset) => first + offset);
}

/** Running sums: where each of consecutive groups of these lengths starts, and where the last one ends. */
function starts(lengths: readonly number[]): Int32Array {
  const result = new Int32Array(lengths.length + 1);
  lengths.forEach((length, index) => (result[index + 1] = (result[index] ?? 0) + length));
  return result;
}

function templateRows(template: Template): readonly Row[] {
  const types = [...(template.offer.instanceTypes ?? [])].sort((left, right) =>
    left.name < right.name ? -1 : 1,
  );
  const { taints } = template.offer.pool.template;
  return types.flatMap((type) => {
    const offerings: Offering[] = [];
    const views: NodeView[] = [];
    for (const offering of type.offerings) {
      const labels = new OfferingLabels(template, type, offering);
      if (!offering.available || !labelsSatisfy(template.requirements, labels)) continue;
      offerings.push(offering);
      views.push({ labels, fields: NO_FIELDS, taints, features: undefined });
    }
    return offerings.length === 0 ? [] : [{ template, type, offerings, views }];
  });
}
