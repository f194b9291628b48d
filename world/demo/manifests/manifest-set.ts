/** The manifests that the demo applies: Berth's own without its Deployments, and the examples as they are. */
import { posix } from 'node:path';
import type { FileSource } from '../../../src/app/command/cli-io.js';
import { kustomized, manifestsOf } from './kustomized.js';
import type { KubeManifest } from './kube-objects.js';

/** Berth runs as a process beside the world, so nothing is there for these to watch over. */
const LEFT_OUT = new Set(['Deployment', 'PodDisruptionBudget']);

/** @throws UsageError where `directory` is not Berth's manifests folder. */
export function ownManifests(directory: string, files: FileSource): readonly KubeManifest[] {
  return kustomized(posix.join(directory, 'overlays/self-managed'), files).filter(
    ({ kind }) => !LEFT_OUT.has(kind),
  );
}

/** The folders of examples in the order of their names, the node class that all share first. */
export function exampleFolders(directory: string, files: FileSource): readonly string[] {
  const examples = posix.join(directory, 'examples');
  const folders = [...files.list(examples)]
    .sort()
    .filter((name) => files.kind(posix.join(examples, name)) === 'directory');
  return ['shared', ...folders.filter((name) => name !== 'shared')].map((name) => posix.join(examples, name));
}

/** What one folder holds, in the order of its files. @throws UsageError */
export function folderManifests(folder: string, files: FileSource): readonly KubeManifest[] {
  const names = [...files.list(folder)].sort().filter((name) => /\.ya?ml$/.test(name));
  return names.flatMap((name) => manifestsOf(posix.join(folder, name), files));
}
