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
  return {
    memoryMiB: parseAmount(MEMORY, resources.limits.memory) / MEBIBYTE,
    nodeFlags: command.filter((word) => word.startsWith('--')),
    nodeOptions: env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '',
  };
}
