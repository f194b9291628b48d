/** A column of `kubectl get`. */
import type { KubeObject } from '../objects/kube-object.js';

export interface TableColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'number' | 'date' | 'boolean';
  readonly format?: string | undefined;
  readonly description?: string | undefined;
  /** 0 is always shown, more only with `-o wide`. */
  readonly priority: number;
  readonly cell: Cell;
}

export type Cell = (object: KubeObject, nowMillis: number) => unknown;

export function column(name: string, cell: Cell, type: TableColumn['type'] = 'string'): TableColumn {
  return { name, type, priority: 0, cell, ...(name === 'Name' && { format: 'name' }) };
}

/** Shown with `-o wide` alone. */
export function wide(name: string, cell: Cell): TableColumn {
  return { ...column(name, cell), priority: 1 };
}
