/** The manifests that documents show, as they are applied: policies in a ConfigMap, parts of a pod in one, and other objects as they are. */
import { parse, parseAllDocuments } from 'yaml';
import { fencedBlocks } from '../../../architecture/documents/code-blocks.js';
import { pod, policy } from '../../../scenario/objects.js';
import type { Manifest } from '../../../scenario/world.js';

const isKustomization = (text: string): boolean => /^kind: Kustomization$/m.test(text);
const isBuffer = (text: string): boolean => /^kind: CapacityBuffer$/m.test(text);
const isPart = (text: string): boolean => !/^kind: /m.test(text);

const blocks = fencedBlocks().filter(({ language }) => language === 'yaml');

/** A row for `test.each` for each block but those that kustomize reads. */
export const shownManifests: readonly (readonly [place: string, manifest: Manifest])[] = blocks
  .filter(({ text }) => !isKustomization(text))
  .map(({ place, text }) => [place, manifestOf(text)]);

/** The overlay of docs/install.md. */
export function shownKustomization(): string {
  const found = blocks.find(({ text }) => isKustomization(text));
  if (found === undefined) throw new Error('no document shows a kustomization');
  return found.text;
}

function manifestOf(text: string): Manifest {
  if (isPart(text)) return pod({ pod: parse(text) as Readonly<Record<string, unknown>> });
  if (isBuffer(text)) return parse(text) as Manifest;
  return policy('documented', ...parseAllDocuments(text).map((document) => document.toJS() as unknown));
}
