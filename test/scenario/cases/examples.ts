/** Every example of manifests/examples, applied as it is: the instances that its page promises, and nothing after them. */
import { join } from 'node:path';
import { folderManifests } from '../../../world/demo/manifests/manifest-set.js';
import { NODE_FILES } from '../../../src/app/process-io.js';
import { EXAMPLE_NAMES, EXAMPLES as FOLDER, SHARED } from '../../examples/example-files.js';
import { EXPECTED, type Expected, type Instance } from '../../examples/expected-instances.js';
import type { ScenarioCase } from '../scenario-case.js';
import { Scenario } from '../scenario.js';
import type { Manifest, SeenClaim, SeenPod, World } from '../world.js';

const TEN_MINUTES = 600;

export const EXAMPLES: readonly ScenarioCase[] = EXAMPLE_NAMES.map((name) => ({
  name: `example ${name} gets its instances, at its price, and nothing further happens for ten minutes`,
  run: (world) => run(world, name, EXPECTED[name] ?? { instances: [], hourly: '' }),
}));

async function run(world: World, name: string, { instances, hourly }: Expected): Promise<void> {
  const scenario = new Scenario(world);
  const pools = [...new Set(instances.map(({ nodePool }) => nodePool))];
  const namespace = `example-${name}`;
  await scenario.given(...exampleManifests(SHARED));
  await scenario.whenApplied(...exampleManifests(name).map(endless));
  const count = instances.reduce((sum, { pods }) => sum + pods, 0);
  const pods = await scenario.expectAllScheduled({ namespace, pods: count });
  const claims = await world.until(
    `all claims of ${name} are Ready`,
    async () => {
      const found = (await world.claims()).filter(({ nodePool }) => pools.includes(nodePool));
      return found.every(({ conditions }) => conditions.includes('Ready')) && found;
    },
    30,
  );
  expect(claims.map((claim) => bought(claim, instances, pods)).sort()).toEqual(instances.map(wanted).sort());
  expect(sum(claims).toFixed(6)).toBe(Number(hourly).toFixed(6));
  await scenario.expectQuiet(TEN_MINUTES, { pools, namespaces: [namespace] });
}

/** What one folder of the examples holds. */
export function exampleManifests(folder: string): readonly Manifest[] {
  return folderManifests(join(FOLDER, folder), NODE_FILES) as readonly Manifest[];
}

/** Simulated Jobs are done after a minute; here they go on, so that whatever happens is Berth's doing. */
function endless(manifest: Manifest): Manifest {
  if (manifest.kind !== 'Job') return manifest;
  const { template, ...spec } = manifest['spec'] as { readonly template: { readonly metadata?: object } };
  const annotations = { 'simulator.berth.sh/run-seconds': 'never' };
  const metadata = { ...template.metadata, annotations };
  return { ...manifest, spec: { ...spec, template: { ...template, metadata } } };
}

/** Where spot and on-demand are both allowed the price is spot's, so the instance is one. */
function wanted({ nodePool, type, zones, capacityTypes, hourlyPrice, pods }: Instance): string {
  const capacityType = capacityTypes.includes('spot') ? 'spot' : 'on-demand';
  return instanceText({ nodePool, type, zone: zoneText(zones), capacityType, hourlyPrice, pods });
}

function bought(claim: SeenClaim, instances: readonly Instance[], all: readonly SeenPod[]): string {
  const { nodePool, nodeName, instanceType = '?', zone = '?', capacityType = '?', hourlyPrice = NaN } = claim;
  const planned = instances.find((each) => each.nodePool === nodePool && each.zones.includes(zone));
  const isOpen = planned !== undefined && planned.zones.length > 1;
  return instanceText({
    ...{ nodePool, type: instanceType, capacityType, hourlyPrice },
    zone: isOpen ? zoneText(planned.zones) : zone,
    pods: all.filter((pod) => pod.nodeName === nodeName).length,
  });
}

/** The zone, or all among which the cloud may choose. */
function zoneText(zones: readonly string[]): string {
  return zones.join(' or ');
}

type InstanceText = Pick<Instance, 'nodePool' | 'type' | 'hourlyPrice' | 'pods'> & {
  readonly zone: string;
  readonly capacityType: string;
};

function instanceText({ nodePool, type, zone, capacityType, hourlyPrice, pods }: InstanceText): string {
  return `${nodePool}: ${type} ${capacityType} in ${zone} at ${String(hourlyPrice)} with ${String(pods)} pods`;
}

function sum(claims: readonly SeenClaim[]): number {
  return claims.reduce((total, { hourlyPrice = NaN }) => total + hourlyPrice, 0);
}
