/** Berth's CustomResourceDefinitions, as its manifests have them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { NewObject } from '../../../world/kubernetes/objects/kube-object.js';
import type { SimulatedApi } from '../../../world/kubernetes/simulated-api.js';

const FOLDER = join(import.meta.dirname, '../../../manifests/crds');

export async function installDefinitions(api: SimulatedApi): Promise<void> {
  for (const file of readdirSync(FOLDER).filter((name) => name !== 'kustomization.yaml')) {
    const definition = parse(readFileSync(join(FOLDER, file), 'utf8')) as NewObject;
    await api.create('customresourcedefinitions.apiextensions.k8s.io', definition);
  }
}
