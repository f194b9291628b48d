/** Which functions of which files a CPU profile of the bundle is made of. */
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapping } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

interface CallFrame {
  readonly functionName: string;
  readonly url: string;
  /** From 0. */
  readonly lineNumber: number;
  readonly columnNumber: number;
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: CallFrame;
  readonly children?: readonly number[];
}

export interface Profile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds. */
  readonly timeDeltas: readonly number[];
}

export interface TopFunctions {
  /** Milliseconds that the thread was busy. */
  readonly busyMillis: number;
  /** Milliseconds in the function itself, most first: `parse src/adapters/kube/transport/kube-client.ts 812`. */
  readonly self: readonly string[];
  /** Together with what it calls. */
  readonly total: readonly string[];
}

const SHOWN = 15;
/** What V8 calls the time in which nothing runs. */
const IDLE = new Set(['(idle)', '(program)', '(root)']);

export function topFunctions(file: string, root: string): TopFunctions {
  const sources = new Sources(root);
  return topOf(JSON.parse(readFileSync(file, 'utf8')) as Profile, (frame) => sources.nameOf(frame));
}

/** @param nameOf a function's name and file. */
export function topOf(profile: Profile, nameOf: (frame: CallFrame) => string): TopFunctions {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]));
  const parents = new Map(
    profile.nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id] as const)),
  );
  const millisOf = new Map<number, number>();
  for (const [index, id] of profile.samples.entries())
    millisOf.set(id, (millisOf.get(id) ?? 0) + (profile.timeDeltas[index] ?? 0) / 1000);
  const self = new Map<string, number>();
  const total = new Map<string, number>();
  let busyMillis = 0;
  for (const [id, millis] of millisOf) {
    const frame = nodes.get(id)?.callFrame;
    if (frame === undefined || IDLE.has(frame.functionName)) continue;
    busyMillis += millis;
    add(self, nameOf(frame), millis);
    for (const name of namesAbove(id, nodes, parents, nameOf)) add(total, name, millis);
  }
  return { busyMillis: Math.round(busyMillis), self: largest(self), total: largest(total) };
}

/** The names of a sample's stack, each once. */
function namesAbove(
  from: number,
  nodes: ReadonlyMap<number, ProfileNode>,
  parents: ReadonlyMap<number, number>,
  nameOf: (frame: CallFrame) => string,
): ReadonlySet<string> {
  const names = new Set<string>();
  for (let id: number | undefined = from; id !== undefined; id = parents.get(id)) {
    const frame = nodes.get(id)?.callFrame;
    if (frame !== undefined && !IDLE.has(frame.functionName)) names.add(nameOf(frame));
  }
  return names;
}

function add(to: Map<string, number>, name: string, millis: number): void {
  to.set(name, (to.get(name) ?? 0) + millis);
}

function largest(of: ReadonlyMap<string, number>): readonly string[] {
  return [...of]
    .sort(([, left], [, right]) => right - left)
    .slice(0, SHOWN)
    .map(([name, millis]) => `${name} ${millis.toFixed(0)}`);
}

/** Leads from places in the bundle to the files that it was made of. */
class Sources {
  readonly #root: string;
  readonly #maps = new Map<string, SourceMap | undefined>();
  readonly #names = new Map<string, string>();

  constructor(root: string) {
    this.#root = root;
  }

  nameOf({ functionName, url, lineNumber, columnNumber }: CallFrame): string {
    // Functions of V8 itself have no place.
    const place = `${functionName} ${url}:${String(lineNumber)}:${String(columnNumber)}`;
    const known = this.#names.get(place);
    if (known !== undefined) return known;
    const name = `${functionName === '' ? '(anonymous)' : functionName} ${this.#fileOf(url, lineNumber, columnNumber)}`;
    this.#names.set(place, name.trimEnd());
    return name.trimEnd();
  }

  #fileOf(url: string, line: number, column: number): string {
    if (!url.startsWith('file:')) return url;
    const bundled = fileURLToPath(url);
    const entry = this.#mapOf(bundled)?.findEntry(line, column) as Partial<SourceMapping> | undefined;
    const source = entry?.originalSource;
    return relative(this.#root, source === undefined ? bundled : join(dirname(bundled), source));
  }

  #mapOf(bundled: string): SourceMap | undefined {
    if (!this.#maps.has(bundled)) this.#maps.set(bundled, readMap(`${bundled}.map`));
    return this.#maps.get(bundled);
  }
}

function readMap(file: string): SourceMap | undefined {
  try {
    return new SourceMap(
      JSON.parse(readFileSync(file, 'utf8')) as ConstructorParameters<typeof SourceMap>[0],
    );
  } catch {
    return undefined;
  }
}
