/**
 * Dedicated instances are for pods that ask for them. They hold every other pod as well, so that packing takes them for no worse
 * where they cost the same, as they do by a NodeOverlay that gives a price: what is on them then decides.
 */
import { labelledTenancy } from '../../domain/nodes/tenancy.js';
import { asksForDedicated } from '../../domain/pods/dedicated-demand.js';
import { INSTANCE_TENANCY } from '../../domain/values/labels.js';
import type { Launchables } from '../model/launch/launchables.js';
import { rowOf } from '../model/launch/room.js';
import type { Template } from '../model/launch/template.js';
import type { Problem } from '../model/problem.js';
import type { Packing } from '../rules/packing.js';
import type { Target } from '../rules/targets.js';

/** Makes claims without a pod that asks for dedicated instances usual ones of the same type and place, where these cost no more. */
export function preferUsualTenancy(packing: Packing): void {
  const { launchables, topology } = packing.problem;
  const twins = twinsOf(launchables);
  // Pods that are to be together or apart by tenancy have places that depend on it.
  if (twins.size === 0 || topology.groups.some(({ topologyKey }) => topologyKey === INSTANCE_TENANCY)) return;
  for (const target of packing.targets) {
    const twin = twins.get(target.column);
    if (twin !== undefined && target.content.size > 0 && mayBe(packing, target, twin))
      packing.retype(target, twin);
  }
}

function mayBe({ problem }: Packing, target: Target, twin: number): boolean {
  const { snapshot, classes, launchables, admission } = problem;
  const { price } = launchables;
  if ((price[twin] ?? Infinity) > (price[target.column] ?? 0)) return false;
  for (const index of target.content.keys()) {
    const spec = snapshot.specs[classes[index]?.spec ?? -1];
    if (spec === undefined || asksForDedicated(spec)) return false;
  }
  for (const { constraint } of target.asks) if (admission.columns(constraint)[twin] !== 1) return false;
  return hasNoLessRoom(problem, twin, target.column);
}

/** DaemonSets may select a tenancy. */
function hasNoLessRoom({ launchables, snapshot }: Problem, column: number, than: number): boolean {
  const { net, columnRow } = launchables;
  const width = snapshot.resources.length;
  const [own, other] = [column, than].map((each) => rowOf(net, width, columnRow[each] ?? 0));
  return own?.every((amount, axis) => amount >= (other?.[axis] ?? 0)) === true;
}

const KNOWN = new WeakMap<Launchables['templateRows'], ReadonlyMap<number, number>>();

/** Column of dedicated instances → the one that is the same but for the tenancy; launchables outlive a plan. */
function twinsOf(launchables: Launchables): ReadonlyMap<number, number> {
  const known = KNOWN.get(launchables.templateRows);
  if (known !== undefined) return known;
  const found = new Map<number, number>();
  KNOWN.set(launchables.templateRows, found);
  const { templates } = launchables;
  const dedicated = templates.filter(({ chosen }) => labelledTenancy(chosen) === 'dedicated');
  if (dedicated.length === 0) return found;
  const others = templates.filter((template) => !dedicated.includes(template));
  const usual = new Map(others.flatMap((template) => namedColumns(launchables, template)));
  for (const [name, column] of dedicated.flatMap((template) => namedColumns(launchables, template))) {
    const twin = usual.get(name);
    if (twin !== undefined) found.set(column, twin);
  }
  return found;
}

/** The template's columns, each with what it is but for the tenancy. */
function namedColumns(
  { templateRows, rowColumns, rowType, offerings }: Launchables,
  { index, pool, chosen }: Template,
): readonly (readonly [name: string, column: number])[] {
  const others = [...chosen].filter(([key]) => key !== INSTANCE_TENANCY);
  return (templateRows[index] ?? []).flatMap((row) =>
    (rowColumns[row] ?? []).map((column) => {
      const { zone, capacityType } = offerings[column] ?? {};
      return [JSON.stringify([pool, others, rowType[row]?.name, zone, capacityType]), column] as const;
    }),
  );
}
