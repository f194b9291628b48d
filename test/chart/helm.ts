/** Runs helm on charts/berth, and finds the programs for it. */
import { execFile, execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';

const run = promisify(execFile);

export const ROOT = join(import.meta.dirname, '../..');
export const CHART = join(ROOT, 'charts/berth');
/** Where the release is, unless a test says otherwise. */
export const NAMESPACE = 'berth-system';

const VALUE_SETS = join(CHART, 'ci');

/** Names of the files of values that the chart has to take. */
export const valueSets: readonly string[] = readdirSync(VALUE_SETS).sort();

/** A rendered object, as far as tests look. */
export interface ChartObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export interface HelmValues {
  /** One of `valueSets`. */
  readonly set?: string;
  /** `--set name=value`. */
  readonly values?: Readonly<Record<string, string>>;
}

/** Path of helm or promtool, which is built first when the cache has none (minutes). Throws what the build script said. */
export function programPath(program: 'helm' | 'promtool'): string {
  return execFileSync(join(ROOT, 'scripts/go-tools/build.sh'), [program], { encoding: 'utf8' }).trim();
}

/** What helm prints; throws what it complains of. */
export async function helm(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  const { stdout } = await run(programPath('helm'), [...args], {
    env: { ...process.env, ...env },
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout;
}

/** Flags of helm for these values. */
export function valueFlags({ set, values = {} }: HelmValues): readonly string[] {
  const named = Object.entries(values).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  return [...(set === undefined ? [] : ['--values', join(VALUE_SETS, set)]), ...named];
}

/** Every object of a release, definitions and tests too, in helm's order. */
export async function rendered(
  values: HelmValues,
  kubeVersion = 'v1.34.4-eks-0123456',
): Promise<readonly ChartObject[]> {
  const place = ['--namespace', NAMESPACE, '--kube-version', kubeVersion];
  const text = await helm(['template', 'berth', CHART, ...place, ...valueFlags(values)]);
  return parseAllDocuments(text).map((document) => document.toJS() as ChartObject);
}

/** What the user reads after installing with these values. */
export async function notes(values: HelmValues): Promise<string> {
  const place = ['--namespace', NAMESPACE, '--dry-run=client'];
  const text = await helm(['install', 'berth', CHART, ...place, ...valueFlags(values)]);
  return text.slice(text.indexOf('\nNOTES:\n'));
}
