/** How Berth's own manifest and image run it: with which memory, and with which flags of Node. */
import { readFileSync } from 'node:fs';
import { parseAllDocuments } from 'yaml';
import { imageEntrypoint } from '../../../scripts/image/entrypoint.js';
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
const OLD = '--max-old-space-size=';
const SEMI = '--max-semi-space-size=';

export interface ContainerFiles {
  /** With the Deployment. */
  readonly manifest: string;
  readonly dockerfile: string;
}

/** @throws Error where the manifest has no Deployment with a memory limit. */
export function containerLimits({ manifest, dockerfile }: ContainerFiles): ContainerLimits {
  const documents = parseAllDocuments(readFileSync(manifest, 'utf8')).map(
    (document) => document.toJS() as Deployment,
  );
  const deployment = documents.find(({ kind }) => kind === 'Deployment');
  const container = deployment?.spec?.template.spec.containers[0];
  if (container === undefined) throw new Error(`${manifest} has no Deployment`);
  const { command = imageEntrypoint(dockerfile), env = [], resources } = container;
  const memoryMiB = parseAmount(MEMORY, resources.limits.memory) / MEBIBYTE;
  return {
    memoryMiB,
    nodeFlags: [...ownChoice(memoryMiB), ...command.filter((word) => word.startsWith('--'))],
    nodeOptions: env.find(({ name }) => name === 'NODE_OPTIONS')?.value ?? '',
  };
}

/** MiB that the main thread's heap may have with these flags, old objects and three semi-spaces of young ones (heap_size_limit). */
export function mainHeapMiB({ nodeFlags }: ContainerLimits): number {
  return lastOf(nodeFlags, OLD) + 3 * lastOf(nodeFlags, SEMI);
}

function lastOf(flags: readonly string[], name: string): number {
  const flag = flags.findLast((each) => each.startsWith(name)) ?? '';
  return Number(flag.slice(name.length));
}

/** The flags that make Node on a larger host what it is in the container: old objects may have half of it, and semi-spaces follow. */
function ownChoice(memoryMiB: number): readonly string[] {
  const old = Math.floor(memoryMiB / 2);
  return [`${OLD}${String(old)}`, `${SEMI}${String(Math.max(1, old >> 7))}`];
}
