/** How Berth's own manifest runs it: with which memory, and with which flags of Node. */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { MEMORY, parseAmount } from '../../../src/domain/values/resources.js';

export interface ContainerLimits {
  /** MiB of the container's memory limit. */
  readonly memoryMiB: number;
  /** Flags of Node in front of the program. */
  readonly nodeFlags: readonly string[];
  /** The container's NODE_OPTIONS; empty when it has none. */
  readonly nodeOptions: string;
}

interface Deployment {
  readonly kind?: string;
  readonly spec?: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
}

interface Container {
  readonly command?: readonly string[];
  readonly env?: readonly { readonly name: string; readonly value?: string }[];
  readonly resources: { readonly limits: { readonly memory: string } };
}

const MEBIBYTE = 2 ** 20;

/** @throws Error where the file has no Deployment with a memory limit. */
export function containerLimits(file: string): ContainerLimits {
  const documents = parseAllDocuments(readFileSync(file, 'utf8')).map(
    (document) => document.toJS() as Deployment,
  );
  const deployment = documents.find(({ kind }) => kind === 'Deployment');
  const container = deployment?.spec?.template.spec.containers[0];
  if (container === undefined) throw new Error(`${file} has no Deployment`);
  const { command = [], env = [], resources } = container;
  const memoryMiB = parseAmount(MEMORY, resources.limits.memory) / MEBIBYTE;
  return {
    memoryMiB,
    nodeFlags: [...ownChoice(memoryMiB), ...command.filter((word) => word.startsWith('--'))],
    nodeOptions: env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '',
  };
}

/** MiB of the main thread's heap that Node chooses in a container of this size: half of it (v8.getHeapStatistics() says 524 of 1,024). */
export function mainHeapMiB(memoryMiB: number): number {
  return Math.floor(memoryMiB / 2);
}

/** The flags that make Node on a larger host what it is in the container; semi-spaces follow the heap there. */
function ownChoice(memoryMiB: number): readonly string[] {
  const heap = mainHeapMiB(memoryMiB);
  return [`--max-old-space-size=${String(heap)}`, `--max-semi-space-size=${String(Math.max(1, heap >> 7))}`];
}
