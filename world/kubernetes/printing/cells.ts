/** Cells that the tables of several kinds share. */
import { isObject, listAt, numberAt, textAt, textsAt, valueAt } from '../objects/json.js';
import { formatLabelSelector } from '../objects/label-selector.js';
import { ageOf } from './human-duration.js';
import { column, wide, type Cell, type TableColumn } from './table-column.js';

export const NONE = '<none>';

export const NAME = column('Name', ({ metadata }) => metadata.name);
export const AGE = column('Age', ({ metadata }, now) => ageOf(metadata.creationTimestamp, now));
export const CREATED = column('Created At', ({ metadata }) => metadata.creationTimestamp);

/** A text; what stands for none where there is none. */
export function text(path: string, none = ''): Cell {
  const fields = path.split('.');
  return (object) => textAt(object, ...fields) || none;
}

export function count(path: string): Cell {
  const fields = path.split('.');
  return (object) => numberAt(object, ...fields);
}

/** A number or text as it is. */
export function value(path: string, none: string): Cell {
  const fields = path.split('.');
  return (object) => valueAt(object, ...fields) ?? none;
}

export function size(path: string): Cell {
  const fields = path.split('.');
  return (object) => {
    const found = valueAt(object, ...fields);
    if (Array.isArray(found)) return found.length;
    return isObject(found) ? Object.keys(found).length : 0;
  };
}

export function age(path: string, none = NONE): Cell {
  const fields = path.split('.');
  return (object, now) => {
    const time = valueAt(object, ...fields);
    return time === undefined ? none : ageOf(time, now);
  };
}

/** `a=b,c=d` */
export function pairs(path: string): Cell {
  const fields = path.split('.');
  return (object) => {
    const entries = Object.entries(textsAt(object, ...fields)).map(([key, each]) => `${key}=${each}`);
    return entries.length === 0 ? NONE : entries.join(',');
  };
}

/** Containers, images and selector of what makes pods. */
export const TEMPLATE_COLUMNS: readonly TableColumn[] = [
  wide('Containers', (object) =>
    containersOf(object)
      .map((each) => textAt(each, 'name'))
      .join(','),
  ),
  wide('Images', (object) =>
    containersOf(object)
      .map((each) => textAt(each, 'image'))
      .join(','),
  ),
  wide('Selector', (object) => formatLabelSelector(valueAt(object, 'spec', 'selector'))),
];

function containersOf(object: unknown): readonly unknown[] {
  return listAt(object, 'spec', 'template', 'spec', 'containers');
}
