/** From the modelled Karpenter to Berth, as docs/migrating.md has it: Karpenter stops, its policies are copied, its nodes are adopted. */
import { decodeAcceptedPolicy } from '../../../src/apis/berth/accepted-policy.js';
import type { HandoverContext } from '../../../src/app/handover/carry-out.js';
import { handOver } from '../../../src/app/handover/hand-over.js';
import { kubeObjects } from '../../../src/app/handover/kube-objects.js';
import type { ClaimTerms } from '../../../src/app/handover/own-claim.js';
import { ec2Handover } from '../../../src/clouds/aws/adapter/index.js';
import type { JsonObject, PolicyValue } from '../../../src/domain/policies/policy.js';
import { PortError } from '../../../src/ports/port-error.js';
import type { KubeObject } from '../../../world/kubernetes/objects/kube-object.js';
import { seededRandom } from '../../../world/seeded-random.js';
import { policy } from '../../scenario/objects.js';
import { clientsOf, settled } from '../../support/builders/aws-clients.js';
import type { SimulatedWorld } from '../simulated-world.js';
import { EC2_NODE_CLASSES, NODE_POOLS } from './karpenter-kinds.js';
import type { ModelledKarpenter } from './modelled-karpenter.js';

const CLUSTER = 'berth-demo';

/** Answers how many nodes were adopted. @throws Error, when one was not. */
export async function switchOver(world: SimulatedWorld, karpenter: ModelledKarpenter): Promise<number> {
  await karpenter.stop();
  const documents = [NODE_POOLS, EC2_NODE_CLASSES].flatMap((kind) => world.api.list(kind).map(documentOf));
  await world.apply(documents.map((document, index) => policy(`copied-${String(index)}`, document)));
  world.startBerth({});
  const isReady = async (): Promise<boolean> =>
    (await world.policies()).filter(({ conditions }) =>
      conditions.some(({ type, status }) => type === 'Ready' && status === 'True'),
    ).length >= documents.length;
  await world.until('the policies are ready', isReady, 12);
  const results = await settled(
    world.clock,
    handOver({
      wish: { direction: 'adopting', from: 'karpenter', nodePools: [], nodes: [] },
      context: contextOf(world, documents),
      isDryRun: false,
      check: () => Promise.resolve(),
      tell: () => undefined,
    }),
  );
  const left = results.filter(({ outcome }) => outcome !== 'done');
  if (left.length > 0)
    throw new Error(left.map(({ it, message }) => `${it.name}: ${message ?? ''}`).join('; '));
  return results.length;
}

function documentOf(object: KubeObject): JsonObject {
  const { apiVersion, kind, metadata, spec } = object as KubeObject & JsonObject;
  return { apiVersion, kind, metadata: { name: metadata.name }, spec };
}

function contextOf(world: SimulatedWorld, documents: readonly JsonObject[]): HandoverContext {
  const { api, aws, clock } = world;
  const values = documents.flatMap((document) => decodeAcceptedPolicy(document) ?? []);
  return {
    objects: kubeObjects(world.client),
    handover: ec2Handover(clientsOf(aws, { clock, random: seededRandom(1) }), CLUSTER),
    cluster: { uid: api.get('namespaces', { name: 'kube-system' })?.metadata.uid ?? '', name: CLUSTER },
    termsOf: (name) => termsOf(world, values, name),
    karpenterPool: (name) => {
      throw new PortError('NotFound', { operation: `find NodePool ${name}`, message: 'nothing is released' });
    },
    now: () => clock.now(),
  };
}

function termsOf(
  { catalogue, clock }: SimulatedWorld,
  values: readonly PolicyValue[],
  name: string,
): ClaimTerms {
  const [pool] = values.flatMap((value) =>
    value.kind === 'NodePool' && value.nodePool.name === name ? [value.nodePool] : [],
  );
  const [nodeClass] = values.flatMap((value) => ('nodeClass' in value ? [value.nodeClass] : []));
  if (pool === undefined || nodeClass === undefined)
    throw new PortError('NotFound', { operation: `find NodePool ${name}`, message: 'it was not copied' });
  return {
    pool,
    nodeClass,
    typesOf: (tenancy) => catalogue.forNodeClass(nodeClass, tenancy),
    now: clock.now(),
  };
}
