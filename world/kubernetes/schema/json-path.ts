/** The JSON paths of printer columns: fields, items by index or by a field's value, all items. */
import { isObject } from '../objects/json.js';

const STEP =
  /\.([A-Za-z_][\w-]*)|\.?\['([^']+)'\]|\[(\d+)\]|\[\*\]|\[\?\(@\.([\w.]+)\s*==\s*(?:"([^"]*)"|'([^']*)')\)\]/y;

type Step = (values: readonly unknown[]) => readonly unknown[];

/** All values there; nothing for a path that cannot be read. */
export function readJsonPath(path: string): (object: unknown) => readonly unknown[] {
  const source = path.replaceAll(String.raw`\.`, '\u0000').replace(/^\{(.*)\}$/, '$1');
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < source.length) {
    const match = STEP.exec(source);
    if (match === null) return () => [];
    steps.push(stepOf(match));
  }
  return (object) => steps.reduce<readonly unknown[]>((values, step) => step(values), [object]);
}

function stepOf(match: readonly (string | undefined)[]): Step {
  const [, field, quoted, index, key, ...literals] = match;
  const name = field ?? quoted;
  if (name !== undefined) return fieldStep(name.replaceAll('\u0000', '.'));
  if (index !== undefined)
    return (values) => values.flatMap((value) => itemsOf(value).slice(Number(index), Number(index) + 1));
  if (key === undefined) return (values) => values.flatMap(itemsOf);
  const wanted = literals.find((each) => each !== undefined);
  const read = key.split('.').map(fieldStep);
  return (values) =>
    values.flatMap(itemsOf).filter((item) => {
      const [found] = read.reduce<readonly unknown[]>((at, step) => step(at), [item]);
      return found === wanted;
    });
}

function fieldStep(name: string): Step {
  return (values) =>
    values.flatMap((value) => (isObject(value) && Object.hasOwn(value, name) ? [value[name]] : []));
}

function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
