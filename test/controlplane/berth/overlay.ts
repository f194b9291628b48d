/**
 * Applies the manifests as users do, through a kustomize overlay that changes only what depends on where this test runs:
 * the webhooks' addresses; and that leaves the Deployments out, since Berth runs as processes beside the control plane.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseAllDocuments, stringify } from 'yaml';
import type { ControlPlane } from '../fixture/control-plane.js';
import { eventually } from '../fixture/eventually.js';
import { clusterScoped } from '../fixture/api/kube-object.js';
import { DECISIONS, NODE_CLAIMS, POLICY_STATUSES, RESERVATIONS } from './kinds.js';

const MANIFESTS = join(import.meta.dirname, '../../../manifests');

/** What the overlay puts in the place of the Services. */
export interface OverlayAddresses {
  /** `https://127.0.0.1:PORT`. */
  readonly webhooks: string;
}

/** Those that users choose from. */
export type ShippedOverlay = 'self-managed' | 'eks';

/** `kubectl apply -k` of an overlay, and waits until the API server serves Berth's kinds. */
export async function applyManifests(
  cluster: ControlPlane,
  shipped: ShippedOverlay,
  addresses: OverlayAddresses,
): Promise<void> {
  const folder = join(cluster.folder, 'overlay');
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'kustomization.yaml'), stringify(overlay(folder, shipped, addresses)));
  await cluster.kubectl(['apply', '-k', folder]);
  await waitForKinds(cluster);
}

/** Resolves when the API server serves Berth's kinds, whose definitions were just applied. */
export async function waitForKinds(cluster: ControlPlane): Promise<void> {
  // Established is not enough: the API server answers 429 while it prepares the storage.
  for (const { kind, plural } of [NODE_CLAIMS, RESERVATIONS, POLICY_STATUSES, DECISIONS]) {
    const resource = clusterScoped('berth.sh/v1', kind, plural);
    await eventually(`${plural} are served`, () => cluster.api.list(resource));
  }
}

/** Has the API server judge every object of an overlay just as it is shipped, strictly; throws what it complains of. */
export async function judgeManifests(cluster: ControlPlane, shipped: ShippedOverlay): Promise<void> {
  const folder = join(MANIFESTS, 'overlays', shipped);
  await cluster.kubectl(['apply', '--dry-run=server', '--validate=strict', '-k', folder]);
}

/** The pods that the Deployments of an overlay would make, by the Deployment's name. */
export async function shippedPods(
  cluster: ControlPlane,
  shipped: ShippedOverlay,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const text = await cluster.kubectl(['kustomize', join(MANIFESTS, 'overlays', shipped)]);
  const objects = parseAllDocuments(text).map((document) => document.toJS() as ShippedObject);
  const deployments = objects.filter(({ kind }) => kind === 'Deployment');
  return new Map(deployments.map(({ metadata, spec }) => [metadata.name, spec?.template ?? {}]));
}

interface ShippedObject {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec?: { readonly template?: Readonly<Record<string, unknown>> };
}

/** Applies files of manifests/, unchanged: `examples/gpu`. */
export async function applyFolder(cluster: ControlPlane, folder: string): Promise<void> {
  await cluster.kubectl(['apply', '-R', '-f', join(MANIFESTS, folder)]);
}

function overlay(folder: string, shipped: ShippedOverlay, addresses: OverlayAddresses): unknown {
  return {
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: [relative(folder, join(MANIFESTS, 'overlays', shipped))],
    patches: [
      {
        target: { kind: 'Deployment' },
        patch: stringify({
          apiVersion: 'apps/v1',
          kind: 'Deployment',
          metadata: { name: 'any' },
          $patch: 'delete',
        }),
      },
      byAddress('MutatingWebhookConfiguration', `${addresses.webhooks}/mutate-pods`),
      byAddress('ValidatingWebhookConfiguration', `${addresses.webhooks}/validate-policies`),
    ],
  };
}

function byAddress(kind: string, url: string): unknown {
  const patch = [{ op: 'replace', path: '/webhooks/0/clientConfig', value: { url } }];
  return { target: { kind }, patch: JSON.stringify(patch) };
}
