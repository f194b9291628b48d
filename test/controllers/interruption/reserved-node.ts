/** A node of a capacity reservation, which may be over. */
import { CapacityTypeController } from '../../../src/controllers/interruption/capacity-type-controller.js';
import type { NodeClaimStatus } from '../../../src/domain/nodes/node-claim.js';
import type { Condition } from '../../../src/domain/values/condition.js';
import {
  CAPACITY_RESERVATION_ID,
  CAPACITY_RESERVATION_INTERRUPTIBLE,
  CAPACITY_RESERVATION_TYPE,
  CAPACITY_TYPE,
} from '../../../src/domain/values/labels.js';
import type { CloudInstance } from '../../../src/ports/cloud.js';
import { Cluster } from '../../../src/state/cluster/cluster.js';
import { cloudInstance } from '../../support/builders/cloud-instance.js';
import { instanceType, offering, ZONE_A } from '../../support/builders/instance-type.js';
import { nodeClaim } from '../../support/builders/node-claim.js';
import { observedNode } from '../../support/builders/observed-node.js';
import { acceptedPolicy, policyStatus } from '../../support/builders/policy-status.js';
import { InMemoryKube } from '../../support/in-memory/in-memory-kube.js';
import { recordedDecisions } from '../../support/recorded-decisions.js';
import { recordingLogger } from '../../support/recording-logger.js';
import { VirtualClock } from '../../support/virtual-clock.js';

const PROVIDER_ID = `aws:///${ZONE_A}/i-1`;
/** The labels that it has as one of a reservation. */
export const RESERVATION = new Map([
  [CAPACITY_RESERVATION_ID, 'cr-1'],
  [CAPACITY_RESERVATION_TYPE, 'default'],
  [CAPACITY_RESERVATION_INTERRUPTIBLE, 'false'],
]);
/** A label that it has anyhow. */
export const KEPT = ['team', 'a'] as const;

const REGISTERED: Condition = {
  type: 'Registered',
  status: 'True',
  reason: 'Registered',
  message: '',
  lastTransitionTime: 0,
};

const CLASS = {
  apiVersion: 'karpenter.k8s.aws/v1',
  kind: 'EC2NodeClass',
  metadata: { name: 'default' },
  spec: {
    amiSelectorTerms: [{ alias: 'al2023@latest' }],
    subnetSelectorTerms: [{ id: 'subnet-1' }],
    securityGroupSelectorTerms: [{ id: 'sg-1' }],
    role: 'r',
  },
};

export interface ReservedNode {
  readonly controller: CapacityTypeController;
  readonly kube: InMemoryKube;
  readonly clock: VirtualClock;
  /** Provider ids of the instances that the cloud was asked about. */
  readonly asked: readonly string[];
  readonly told: ReturnType<typeof recordedDecisions>;
  look(): Promise<void>;
  seen(): {
    /** Labels of the claim, and of the node. */
    readonly claim: Readonly<Record<string, string>>;
    readonly node: Readonly<Record<string, string>>;
    readonly capacityType: NodeClaimStatus['capacityType'];
    readonly hourlyPrice: NodeClaimStatus['hourlyPrice'];
  };
}

/** A reserved node with its claim, and what the cloud answers about its instance; tests say what differs. */
export function reservedNode(
  status: Partial<NodeClaimStatus> = {},
  instance: Partial<CloudInstance> = {},
): ReservedNode {
  const clock = new VirtualClock();
  const kube = new InMemoryKube({ clock });
  const claim = nodeClaim({
    name: 'a',
    labels: new Map([...RESERVATION, KEPT]),
    status: {
      ...{ providerID: PROVIDER_ID, nodeName: 'n', instanceType: 'm5.large', zone: ZONE_A },
      ...{ capacityType: 'reserved', hourlyPrice: 0, conditions: [REGISTERED] },
      ...status,
    },
  });
  kube.objects.put('NodeClaim', claim);
  const labels = Object.fromEntries([...RESERVATION, KEPT, [CAPACITY_TYPE, 'reserved']]);
  kube.objects.put('Node', observedNode({ name: 'n', providerID: PROVIDER_ID, labels }));
  const cluster = new Cluster();
  kube.objects.watch(cluster);
  cluster.put(
    'PolicyStatus',
    policyStatus({ kind: 'EC2NodeClass', policy: 'default', lastAccepted: acceptedPolicy(CLASS) }),
  );
  const told = recordedDecisions();
  const asked: string[] = [];
  const found = cloudInstance(instance);
  const types = [instanceType({ name: 'm5.large', offerings: [offering({ zone: ZONE_A, price: 0.096 })] })];
  const controller = new CapacityTypeController({
    ...{ cluster, kube, clock, recorder: told.recorder, logger: recordingLogger().logger },
    instances: {
      one: (id) => {
        asked.push(id);
        return Promise.resolve(found);
      },
    },
    overlaid: { typesOfClaim: () => types },
  });
  const look = (): Promise<void> => controller.look(new AbortController().signal);
  const seen: ReservedNode['seen'] = () => {
    const { labels: ofClaim, status: written } = kube.objects.list('NodeClaim')[0] ?? claim;
    return {
      claim: Object.fromEntries(ofClaim),
      node: Object.fromEntries(kube.objects.list('Node')[0]?.labels ?? []),
      capacityType: written.capacityType,
      hourlyPrice: written.hourlyPrice,
    };
  };
  return { controller, kube, clock, asked, told, look, seen };
}
