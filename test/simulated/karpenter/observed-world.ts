/** The simulated world with a modelled Karpenter and a Berth that observes it. */
import type { Observation } from '../../../src/domain/records/observation.js';
import { decodeObservation } from '../../../src/apis/berth/policy-status.js';
import { OBSERVATION_NAME } from '../../../src/domain/records/observation.js';
import type { Catalogue } from '../../../src/clouds/aws/catalogue/index.js';
import { withAutoModeLabels } from '../../../src/clouds/aws/api/auto-mode.js';
import { SimulatedWorld } from '../simulated-world.js';
import { Bill } from './bill.js';
import { applyKarpenterKinds, createAutoModeClass, createNodeClass, createPool } from './karpenter-kinds.js';
import { ModelledKarpenter } from './modelled-karpenter.js';

export interface ObservedWorld {
  readonly world: SimulatedWorld;
  readonly karpenter: ModelledKarpenter;
  readonly bill: Bill;
  /** When the world began, in milliseconds since 1970. */
  readonly midnight: number;
  /** What Berth asked for that is not a mere read: `PUT /apis/…`, `ec2 CreateFleet`. */
  readonly changes: readonly string[];
  /** What Berth found so far. */
  readonly observation: () => Observation | undefined;
}

export interface ObservedWorldOptions {
  readonly seed: number;
  /** Beside --mode observe. */
  readonly flags?: Readonly<Record<string, string>>;
  readonly catalogue?: Catalogue;
  /** Whether AWS runs the Karpenter, as EKS Auto Mode. */
  readonly isAutoMode?: boolean;
}

/** Writing its own records. */
const RECORD =
  /^(?:PUT \/apis\/coordination\.k8s\.io\/v1\/namespaces\/berth-system\/leases\/berth|POST \/apis\/coordination\.k8s\.io\/v1\/namespaces\/berth-system\/leases|[A-Z]+ \/apis\/berth\.sh\/v1\/(?:policystatuses|decisions)(?:\/.*)?|(?:POST|PATCH) \/apis\/events\.k8s\.io\/v1\/namespaces\/[^/]+\/events(?:\/.*)?)$/;

const REQUIREMENTS = {
  'karpenter.sh/capacity-type': ['on-demand'],
  'topology.kubernetes.io/zone': ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'],
  'kubernetes.io/arch': ['amd64'],
  'karpenter.k8s.aws/instance-size': ['large', 'xlarge', '2xlarge'],
};
/** Of a pool of EKS Auto Mode. */
const AUTO_MODE_REQUIREMENTS = {
  'karpenter.sh/capacity-type': ['on-demand'],
  'topology.kubernetes.io/zone': ['eu-west-3a', 'eu-west-3b', 'eu-west-3c'],
  'kubernetes.io/arch': ['amd64'],
  'eks.amazonaws.com/instance-category': ['m'],
  'eks.amazonaws.com/instance-size': ['large', 'xlarge', '2xlarge'],
};
/** Karpenter's defaults but for the budget, which a small cluster would hardly feel. */
const DISRUPTION = {
  consolidationPolicy: 'WhenEmptyOrUnderutilized',
  consolidateAfter: '60s',
  budgets: [{ nodes: '20%' }],
};

export async function observedWorld({
  seed,
  flags,
  catalogue,
  isAutoMode = false,
}: ObservedWorldOptions): Promise<ObservedWorld> {
  const changes: string[] = [];
  const world = await SimulatedWorld.start({
    seed,
    ...(catalogue && { catalogue }),
    flags: { mode: 'observe', ...flags },
    onRequest: (to, request) => {
      const change = to === 'aws' ? awsChange(request) : kubernetesChange(request);
      if (change !== undefined) changes.push(change);
    },
  });
  await applyKarpenterKinds(world);
  await (isAutoMode ? createAutoModeClass(world) : createNodeClass(world));
  await createPool(world, {
    ...{ name: 'general', disruption: DISRUPTION },
    requirements: isAutoMode ? AUTO_MODE_REQUIREMENTS : REQUIREMENTS,
    ...(isAutoMode && { nodeClassRef: { group: 'eks.amazonaws.com', kind: 'NodeClass', name: 'default' } }),
  });
  const bill = new Bill(world.aws, world.clock, world.catalogue.instanceTypes);
  const karpenter = new ModelledKarpenter(world, seed + 50, isAutoMode ? withAutoModeLabels : undefined);
  karpenter.start();
  return {
    ...{ world, karpenter, bill, changes },
    midnight: world.clock.now(),
    observation: () => {
      const ref = { name: OBSERVATION_NAME };
      return decodeObservation(world.api.get('policystatuses.berth.sh', ref)).value;
    },
  };
}

/** What a process that only observes must not ask for. */
export function forbidden(changes: readonly string[]): readonly string[] {
  return changes.filter((change) => !RECORD.test(change));
}

interface Request {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

function kubernetesChange({ method, path }: Request): string | undefined {
  return method === 'GET' ? undefined : `${method} ${path.split('?', 1)[0] ?? ''}`;
}

/** By the protocols of AWS: query parameters, a header, or REST. */
function awsChange({ method, path, headers, body }: Request): string | undefined {
  const action = new URLSearchParams(body).get('Action') ?? headers['x-amz-target']?.split('.').at(-1);
  if (action === undefined) return method === 'GET' ? undefined : `${method} ${path}`;
  return /^(?:Describe|Get)/.test(action) ? undefined : action;
}
