/**
 * Installs charts/berth with helm, as users do. Its Deployments have pods on nodes outside of Berth's pools, where stand-in kubelets run
 * them without programs; the programs are processes beside the control plane, with the arguments and variables of those pods.
 */
import { CHART, helm, valueFlags, type HelmValues } from '../../chart/helm.js';
import type { ControlPlane } from '../fixture/control-plane.js';
import { namespaced, type KubeObject } from '../fixture/api/kube-object.js';
import type { StandInKubelet } from '../kubelet/stand-in-kubelet.js';
import { waitForKinds } from './overlay.js';

const RELEASE = 'berth';
const NAMESPACE = 'berth-system';
const WAIT = ['--wait', '--timeout', '120s'];

interface Container {
  readonly args: readonly string[];
  readonly env: readonly { readonly name: string; readonly value?: string }[];
}

interface Deployment extends KubeObject {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly [Container] } } };
}

const DEPLOYMENTS = namespaced<Deployment>('apps/v1', 'Deployment');

/** A namespace for restricted pods, and two nodes that a managed node group would have. */
export async function prepareForChart(cluster: ControlPlane, kubelet: StandInKubelet): Promise<void> {
  const metadata = { name: NAMESPACE, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } };
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata };
  await cluster.kubectl(['apply', '-f', '-'], { input: JSON.stringify(namespace) });
  for (const zone of ['a', 'b'])
    kubelet.addNode({
      name: `system-${zone}`,
      labels: { 'topology.kubernetes.io/zone': `eu-west-3${zone}` },
      taints: [{ key: 'CriticalAddonsOnly', value: 'true', effect: 'NoSchedule' }],
    });
}

/** `helm install --wait`, of a package instead where one is given: resolves when every Deployment of the chart is available. */
export async function installChart(cluster: ControlPlane, values: HelmValues, chart = CHART): Promise<void> {
  await release(cluster, ['install', RELEASE, chart, ...WAIT], values);
  await waitForKinds(cluster);
}

/** `helm upgrade --wait` with other values. */
export async function upgradeChart(cluster: ControlPlane, values: HelmValues): Promise<void> {
  await release(cluster, ['upgrade', RELEASE, CHART, ...WAIT], values);
}

/** `helm upgrade` to charts/berth as docs/install.md has it, with the values of the installation; answers what helm prints. */
export function upgradeWithSameValues(cluster: ControlPlane): Promise<string> {
  const same = ['--reset-then-reuse-values', ...WAIT];
  return helm(['upgrade', RELEASE, CHART, ...same, ...placeOf(cluster)]);
}

/** `helm uninstall --wait`. */
export async function uninstallChart(cluster: ControlPlane): Promise<void> {
  await helm(['uninstall', RELEASE, ...WAIT, ...placeOf(cluster)]);
}

async function release(cluster: ControlPlane, args: readonly string[], values: HelmValues): Promise<void> {
  await helm([...args, ...placeOf(cluster), ...valueFlags(values)]);
}

function placeOf(cluster: ControlPlane): readonly string[] {
  return ['--namespace', NAMESPACE, '--kubeconfig', cluster.kubeconfig()];
}

/** How the chart's Deployment starts Berth: arguments after the command, and variables but those about the pod. */
export async function shippedCommand({ api }: ControlPlane): Promise<{
  readonly flags: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}> {
  const { spec } = await api.get(DEPLOYMENTS, { namespace: NAMESPACE, name: 'berth' });
  const [container] = spec.template.spec.containers;
  const [, ...flags] = container.args;
  const given = container.env.flatMap(({ name, value }) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { flags, env: Object.fromEntries(given) };
}
