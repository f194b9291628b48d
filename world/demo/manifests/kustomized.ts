/** The objects of a kustomization, as `kubectl apply -k` would send them; only what Berth's own kustomizations use is known. */
import { posix } from 'node:path';
import { readDocuments } from '../../../src/apis/documents/read-documents.js';
import type { FileSource } from '../../../src/app/command/cli-io.js';
import { UsageError } from '../../../src/app/command/usage-error.js';
import type { KubeManifest } from './kube-objects.js';

interface Kustomization {
  readonly resources?: readonly string[];
  readonly labels?: readonly { readonly pairs: Readonly<Record<string, string>> }[];
}

const KNOWN_FIELDS = new Set(['apiVersion', 'kind', 'metadata', 'resources', 'labels']);

/**
 * @param directory one with a kustomization.yaml.
 * @throws UsageError where a file is missing or broken, or uses a field of kustomize that is not known here.
 */
export function kustomized(directory: string, files: FileSource): readonly KubeManifest[] {
  const [kustomization] = manifestsOf(posix.join(directory, 'kustomization.yaml'), files);
  if (kustomization === undefined) throw new UsageError(`${directory}: contains no kustomization`);
  for (const field of Object.keys(kustomization))
    if (!KNOWN_FIELDS.has(field))
      throw new UsageError(
        `${directory}/kustomization.yaml: ${field} is none of ${[...KNOWN_FIELDS].join(', ')}`,
      );
  const { resources = [], labels = [] } = kustomization as Kustomization;
  const pairs = Object.assign({}, ...labels.map((label) => label.pairs)) as Readonly<Record<string, string>>;
  return resources
    .flatMap((resource) => {
      const path = posix.join(directory, resource);
      return files.kind(path) === 'directory' ? kustomized(path, files) : manifestsOf(path, files);
    })
    .map((manifest) => labelled(manifest, pairs));
}

/** Every document of a file. @throws UsageError */
export function manifestsOf(path: string, files: FileSource): readonly KubeManifest[] {
  if (files.kind(path) !== 'file') throw new UsageError(`${path}: no such file`);
  const { documents, issues } = readDocuments({ source: path, text: files.read(path) });
  const [problem] = issues;
  if (problem !== undefined) throw new UsageError(`${path}: ${problem.message}`);
  return documents.map(({ value }) => value as unknown as KubeManifest);
}

function labelled(manifest: KubeManifest, pairs: Readonly<Record<string, string>>): KubeManifest {
  const { labels } = manifest.metadata as { readonly labels?: Readonly<Record<string, string>> };
  return {
    ...manifest,
    metadata: { ...manifest.metadata, labels: { ...labels, ...pairs } } as KubeManifest['metadata'],
  };
}
