/** The kinds of node class that documents may be of: those of all clouds of this program, which registers them as it starts. */
import type { NodeClassCodec } from './node-class-codec.js';

let codecs: readonly NodeClassCodec[] = [];

/** Makes documents of these kinds readable. A pool of an old version that names no kind means the first one. */
export function registerNodeClasses(kinds: readonly NodeClassCodec[]): void {
  codecs = kinds;
}

/** @throws Error when none was registered: then any policy would be refused for what is Berth's own mistake. */
export function nodeClassCodecs(): readonly [NodeClassCodec, ...NodeClassCodec[]] {
  const [first, ...others] = codecs;
  if (first === undefined) throw new Error('no kind of node class is registered: import src/app/clouds.ts');
  return [first, ...others];
}

/** @throws Error when no cloud of this program has the kind. */
export function nodeClassCodec(kind: string): NodeClassCodec {
  const codec = codecs.find((each) => each.kind === kind);
  if (codec === undefined) throw new Error(`no cloud has registered the kind ${kind}`);
  return codec;
}
