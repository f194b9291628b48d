/** Everything that could be launched: rows are template × instance type with equal room, columns are their offerings. */
import type { LabelLookup } from '../../../domain/values/labels.js';
import type { InstanceType, Offering } from '../../../domain/nodes/instance-type.js';
import { NO_RESOURCES, type ResourceList } from '../../../domain/values/resources.js';
import { labelsSatisfy } from '../../../domain/values/requirements.js';
import type { Snapshot } from '../../snapshot/snapshot.js';
import { roomRows } from '../../snapshot/volume-slots.js';
import { addDaemonOverhead } from './daemon-overhead.js';
import {
  admits,
  nodeConstraint,
  type NodeConstraint,
  type NodeView,
} from '../constraints/node-constraint.js';
import { OfferingLabels } from './offering-labels.js';
import { compileTemplates, type Template } from './template.js';

export interface Launchables {
  readonly templates: readonly Template[];
  /** Template → its rows, ascending and contiguous. */
  readonly templateRows: readonly (readonly number[])[];
  /** Row → its template, its pool (index into `Snapshot.pools`) and its type. */
  readonly rowTemplate: readonly Template[];
  readonly rowPool: Int32Array;
  readonly rowType: readonly InstanceType[];
  /** Row → the rows of the same template and type, itself among them: more than one where DaemonSets differ by zone. */
  readonly rowSiblings: readonly (readonly number[])[];
  /** Row → the columns of all its siblings. */
  readonly typeColumns: readonly (readonly number[])[];
  /** rows × R: allocatable less the DaemonSets that will run there. */
  readonly net: Float64Array;
  /** rows × R: what those DaemonSets request. */
  readonly daemons: Float64Array;
  /** Row → its columns, ascending and contiguous. */
  readonly rowColumns: readonly (readonly number[])[];
  readonly columnRow: Int32Array;
  /** Column → number of its zone × capacity type; rules that only look at these answer alike for all its columns. */
  readonly columnPlace: Int32Array;
  /** USD/h. */
  readonly price: Float64Array;
  readonly offerings: readonly Offering[];
  /** Column → how constraints see a node launched from it. */
  readonly views: readonly NodeView[];
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
export function compileLaunchables(
  snapshot: Snapshot,
  templates: readonly Template[] = compileTemplates(snapshot),
): Launchables {
  const daemonSets = snapshot.daemonSets.map(({ spec }) => nodeConstraint(spec, []));
  const rowsOf = templates.map((template) => compileRows(template, daemonSets));
  const rows = rowsOf.flat();
  const offerings = rows.flatMap((row) => row.offerings);
  const net = roomRows(
    snapshot.resources,
    rows.map(({ type }) => type),
  );
  const daemons = new Float64Array(net.length);
  const rowColumns = numbered(rows.map((row) => row.offerings.length));
  const rowSiblings = siblings(rows);
  const views = rows.flatMap((row) => row.views);
  addDaemonOverhead(snapshot, rows, { net, daemons });
  return {
    templates,
    templateRows: numbered(rowsOf.map(({ length }) => length)),
    rowTemplate: rows.map(({ template }) => template),
    rowPool: Int32Array.from(rows, ({ template }) => template.pool),
    rowType: rows.map(({ type }) => type),
    rowSiblings,
    typeColumns: rowSiblings.map((group, row) =>
      group.length === 1 ? (rowColumns[row] ?? []) : group.flatMap((each) => rowColumns[each] ?? []),
    ),
    net,
    daemons,
    rowColumns,
    columnRow: Int32Array.from(rows.flatMap((row, index) => row.offerings.map(() => index))),
    columnPlace: Int32Array.from(offerings, placeNumber()),
    price: Float64Array.from(offerings, ({ price }) => price),
    offerings,
    views,
  };
}

/** What a node of this row counts against its pool's limits. */
export function rowCapacity({ rowType }: Launchables, row: number): ResourceList {
  return rowType[row]?.capacity ?? NO_RESOURCES;
}

function siblings(rows: readonly Row[]): readonly (readonly number[])[] {
  const byType = new Map<Template, Map<InstanceType, number[]>>();
  return rows.map(({ template, type }, row) => {
    const ofTemplate = byType.get(template) ?? new Map<InstanceType, number[]>();
    byType.set(template, ofTemplate);
    const group = ofTemplate.get(type) ?? [];
    ofTemplate.set(type, group);
    group.push(row);
    return group;
  });
}

function placeNumber(): (offering: Offering) => number {
  const numbers = new Map<string, number>();
  // Pools share types, and with them their offerings.
  const known = new Map<Offering, number>();
  return (offering) => {
    const before = known.get(offering);
    if (before !== undefined) return before;
    const key = `${offering.zone} ${offering.capacityType}`;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    known.set(offering, number);
    return number;
  };
}

/** Consecutive numbers dealt out to groups of these lengths: [2, 1] → [[0, 1], [2]]. */
function numbered(lengths: readonly number[]): readonly (readonly number[])[] {
  let next = 0;
  return lengths.map((length) => Array.from({ length }, () => next++));
}

function compileRows(template: Template, daemons: readonly NodeConstraint[]): readonly Row[] {
  const types = [...template.types].sort((left, right) => (left.name < right.name ? -1 : 1));
  const { taints } = template.offer.pool.template;
  return types.flatMap((type) => {
    const offerings: Offering[] = [];
    const views: NodeView[] = [];
    const kind = {};
    for (const offering of type.offerings) {
      const labels = new OfferingLabels(template.labels, type, offering);
      // Those of a capacity reservation are counted: they come as nodes that exist.
      if (!offering.available || offering.reservation !== undefined) continue;
      if (!labelsSatisfy(template.requirements, labels)) continue;
      offerings.push(offering);
      views.push({ labels, fields: NO_FIELDS, taints, features: undefined, chosen: template.chosen, kind });
    }
    return splitByDaemons(daemons, { template, type, offerings, views });
  });
}

/** DaemonSets that run in some zones only leave less room there: such offerings are a row of their own. */
function splitByDaemons(
  daemons: readonly NodeConstraint[],
  { template, type, offerings, views }: Row,
): readonly Row[] {
  const rows = new Map<string, { offerings: Offering[]; views: NodeView[] }>();
  views.forEach((view, index) => {
    const key = daemons.map((constraint) => (admits(constraint, view) ? '1' : '0')).join('');
    const row = rows.get(key) ?? { offerings: [], views: [] };
    rows.set(key, row);
    row.offerings.push(...offerings.slice(index, index + 1));
    row.views.push(view);
  });
  return [...rows.values()].map((row) => ({ template, type, ...row }));
}
