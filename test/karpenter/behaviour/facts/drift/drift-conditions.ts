/** What makes a NodeClaim Drifted, and what does not. */
import {
  driftOf,
  type Drift,
  type DriftQuestion,
} from '../../../../../src/controllers/disruption/conditions/drift.js';
import { hashAnnotations, nodePoolHash } from '../../../../../src/controllers/fingerprint/template-hash.js';
import type { NodeClaim } from '../../../../../src/domain/nodes/node-claim.js';
import type { NodePool } from '../../../../../src/domain/policies/node-pool.js';
import { requirement } from '../../../../../src/domain/values/requirement.js';
import type { Taint } from '../../../../../src/domain/values/taint.js';
import type { ResolvedNodeClass } from '../../../../../src/ports/cloud.js';
import { cloudInstance } from '../../../../support/builders/cloud-instance.js';
import { ec2NodeClass } from '../../../../support/builders/ec2-node-class.js';
import { instanceType, ZONE_A, ZONE_B } from '../../../../support/builders/instance-type.js';
import { launchStatus, nodeClaim } from '../../../../support/builders/node-claim.js';
import { nodePool, type NodePoolOverrides } from '../../../../support/builders/node-pool.js';
import { observedNode, type ObservedNodeOverrides } from '../../../../support/builders/observed-node.js';
import { labels } from '../../../../support/builders/pod.js';
import type { Suite } from '../../fact.js';

const TYPE = instanceType({ name: 'm5.large' });
const NODE_CLASS = ec2NodeClass();
const RESOLVED: ResolvedNodeClass = {
  zones: [ZONE_A],
  problems: [],
  imageIDs: ['ami-1', 'ami-2'],
  subnetIDs: ['subnet-1'],
  securityGroupIDs: ['sg-1', 'sg-2'],
  reservationIDs: ['cr-1'],
};
const INSTANCE = cloudInstance({ securityGroupIDs: ['sg-2', 'sg-1'] });
const TEMPLATE: NodePoolOverrides = {
  name: 'general',
  labels: { team: 'a' },
  taints: [taint('gpu'), taint('batch')],
  startupTaints: [taint('cni')],
  expireAfterSeconds: 300,
  terminationGracePeriodSeconds: 300,
};

/** The pool of the template, as it says by now. */
function poolOf(changes: NodePoolOverrides, owner = 'a'): NodePool {
  const pool = nodePool({ ...TEMPLATE, ...changes });
  return { ...pool, template: { ...pool.template, annotations: labels({ owner }) } };
}

function taint(key: string): Taint {
  return { key, value: '', effect: 'NoExecute' };
}

/** A running on-demand m5.large of the template; `changes` are what the pool says by now. */
function question(
  changes: NodePoolOverrides = {},
  {
    node = {},
    ...rest
  }: Partial<Omit<DriftQuestion, 'node'>> & { readonly node?: ObservedNodeOverrides } = {},
): DriftQuestion {
  const launch = launchStatus();
  const [override] = launch.request.overrides;
  const overrides =
    override === undefined
      ? []
      : [{ ...override, instanceType: 'm5.large', zone: ZONE_A, subnetID: 'subnet-1' }];
  return {
    claim: nodeClaim({
      annotations: hashAnnotations(poolOf({}), NODE_CLASS),
      status: {
        providerID: INSTANCE.providerID,
        ...{ instanceType: 'm5.large', zone: ZONE_A, capacityType: 'on-demand', imageID: 'ami-1' },
        launch: { ...launch, request: { ...launch.request, overrides } },
      },
    }),
    node: observedNode({ nodePool: 'general', ...node }),
    pool: poolOf(changes),
    nodeClass: NODE_CLASS,
    resolved: RESOLVED,
    instance: INSTANCE,
    types: [TYPE],
    ...rest,
  };
}

function reasonOf(asked: DriftQuestion): Drift['reason'] | undefined {
  return driftOf(asked)?.reason;
}

/** The reason, once the template has changed so. */
function after(changes: NodePoolOverrides, node: ObservedNodeOverrides = {}): Drift['reason'] | undefined {
  return reasonOf(question(changes, { node }));
}

function requiring(...requirements: NodePoolOverrides['requirements'] & object): NodePoolOverrides {
  return { requirements };
}

/** A claim whose annotations are as the function leaves them. */
function remembering(change: (annotations: Map<string, string>) => void): NodeClaim {
  const { claim } = question();
  const annotations = new Map(claim.annotations);
  change(annotations);
  return { ...claim, annotations };
}

const OTHER_TEMPLATE: NodePoolOverrides = { labels: { team: 'b' } };
const ZONE_LABEL = 'topology.kubernetes.io/zone';

export const DRIFT_CONDITIONS: Suite = {
  name: 'Drift of NodeClaims',
  facts: [
    {
      fact: 'finds a node that is what its NodePool and node class ask for, not drifted',
      run: (): void => {
        expect(reasonOf(question())).toBeUndefined();
      },
    },
    {
      fact: 'finds drift when a label or an annotation of the template changes',
      run: (): void => {
        expect(after({ labels: { team: 'a', tier: 'web' } })).toBe('NodePoolDrifted');
        expect(after({ labels: {} })).toBe('NodePoolDrifted');
        expect(reasonOf(question({}, { pool: poolOf({}, 'b') }))).toBe('NodePoolDrifted');
      },
    },
    {
      fact: 'finds drift when a taint or a startup taint is added, and none when their order changes',
      run: (): void => {
        expect(after({ taints: [taint('gpu'), taint('batch'), taint('more')] })).toBe('NodePoolDrifted');
        expect(after({ startupTaints: [taint('cni'), taint('more')] })).toBe('NodePoolDrifted');
        expect(after({ taints: [taint('batch'), taint('gpu')] })).toBeUndefined();
      },
    },
    {
      fact: 'finds drift when the template names another node class, expireAfter or terminationGracePeriod',
      run: (): void => {
        const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'other' };
        expect(after({ nodeClassRef })).toBe('NodePoolDrifted');
        expect(after({ expireAfterSeconds: 6000 })).toBe('NodePoolDrifted');
        expect(after({ terminationGracePeriodSeconds: 6000 })).toBe('NodePoolDrifted');
      },
    },
    {
      fact: 'does not find drift when the weight, limits, replicas or the disruption block of the NodePool change',
      run: (): void => {
        const { disruption } = nodePool();
        const budgets = [{ nodes: { count: 0 }, reasons: undefined, window: undefined }];
        const changes = {
          weight: 9,
          limits: { cpu: '8' },
          replicas: 3,
          disruption: { ...disruption, budgets },
        };
        expect(after(changes)).toBeUndefined();
        expect(nodePoolHash(nodePool({ ...TEMPLATE, ...changes }))).toBe(nodePoolHash(nodePool(TEMPLATE)));
      },
    },
    {
      fact: 'finds drift when a requirement no longer allows what the node is',
      run: (): void => {
        expect(after(requiring(requirement('karpenter.sh/capacity-type', 'In', ['spot'])))).toBe(
          'RequirementsDrifted',
        );
        expect(after(requiring(requirement(ZONE_LABEL, 'NotIn', [ZONE_A])))).toBe('RequirementsDrifted');
      },
    },
    {
      fact: 'finds drift when a requirement is added for a label that the node does not have',
      run: (): void => {
        expect(after(requiring(requirement('team-zone', 'In', ['north'])))).toBe('RequirementsDrifted');
        const node = { labels: { 'team-zone': 'north' } };
        expect(after(requiring(requirement('team-zone', 'In', ['north'])), node)).toBeUndefined();
      },
    },
    {
      fact: 'does not find drift when a requirement allows more, or only asks that the label exists',
      run: (): void => {
        const types = ['karpenter.sh/capacity-type', 'In', ['spot', 'on-demand']] as const;
        expect(after(requiring(requirement(...types)))).toBeUndefined();
        expect(after(requiring(requirement(ZONE_LABEL, 'Exists')))).toBeUndefined();
      },
    },
    {
      fact: 'finds drift when the NodePool requires that a label of the node is not there',
      run: (): void => {
        expect(after(requiring(requirement(ZONE_LABEL, 'DoesNotExist')))).toBe('RequirementsDrifted');
      },
    },
    {
      fact: 'finds drift when the number of a label is out of the bounds that Gt and Lt set',
      run: (): void => {
        const node = { labels: { 'rack-number': '5' } };
        const bounded = (operator: 'Gt' | 'Lt', bound: string) =>
          after(requiring(requirement('rack-number', operator, [bound])), node);
        expect([bounded('Gt', '2'), bounded('Lt', '9')]).toEqual([undefined, undefined]);
        expect([bounded('Gt', '10'), bounded('Lt', '1')]).toEqual([
          'RequirementsDrifted',
          'RequirementsDrifted',
        ]);
      },
    },
    {
      fact: 'finds those NodeClaims of a changed NodePool drifted that no longer match, and no others',
      run: (): void => {
        const narrowed = requiring(requirement('node-os', 'In', ['linux']));
        const found = ['linux', 'windows'].map((os) => after(narrowed, { labels: { 'node-os': os } }));
        expect(found).toEqual([undefined, 'RequirementsDrifted']);
      },
    },
    {
      fact: 'gives a changed template, then unmet requirements, as the reason before what the cloud finds',
      run: (): void => {
        const resolved = { ...RESOLVED, imageIDs: ['ami-9'] };
        const unmet = requiring(requirement(ZONE_LABEL, 'In', [ZONE_B]));
        expect(reasonOf(question({ ...OTHER_TEMPLATE, ...unmet }, { resolved }))).toBe('NodePoolDrifted');
        expect(reasonOf(question(unmet, { resolved }))).toBe('RequirementsDrifted');
        expect(reasonOf(question({}, { resolved }))).toBe('AMIDrift');
      },
    },
    {
      fact: 'finds drift when the instance type is no longer in the catalogue, or not offered in the zone of the node',
      run: (): void => {
        const gone = { types: [instanceType({ name: 'c5.large' })] };
        const elsewhere = { types: [instanceType({ name: 'm5.large', zones: [ZONE_B] })] };
        const nowhere = { types: [{ ...TYPE, offerings: [] }] };
        for (const known of [gone, elsewhere, nowhere])
          expect(reasonOf(question({}, known))).toBe('InstanceTypeNotFound');
      },
    },
    {
      fact: 'finds drift when no instance types are known at all',
      differs:
        'what is not known is no drift: an empty catalogue says that the cloud did not answer, not that all nodes have to go',
      run: (): void => {
        expect(reasonOf(question({}, { types: [] }))).toBeUndefined();
      },
    },
    {
      fact: 'finds drift when the NodeClaim does not say its instance type',
      differs:
        'what is not known is no drift: the instance type of a NodeClaim is read from its status, not from a label',
      run: (): void => {
        const { claim } = question();
        const unknown = { ...claim, status: { ...claim.status, instanceType: undefined } };
        expect(reasonOf(question({}, { claim: unknown }))).toBeUndefined();
      },
    },
    {
      fact: 'does not find drift in a NodeClaim that has not been launched',
      run: (): void => {
        const { claim } = question();
        const launching = { ...claim, status: { ...claim.status, providerID: undefined } };
        expect(reasonOf(question(OTHER_TEMPLATE))).toBe('NodePoolDrifted');
        expect(reasonOf(question(OTHER_TEMPLATE, { claim: launching }))).toBeUndefined();
      },
    },
    {
      fact: 'does not find drift of the template when the hash, or the version of the hash, is missing on the NodeClaim',
      run: (): void => {
        for (const key of ['berth.sh/nodepool-hash', 'berth.sh/nodepool-hash-version']) {
          const claim = remembering((annotations) => annotations.delete(key));
          expect(claim.annotations.size).toBe(question().claim.annotations.size - 1);
          expect(reasonOf(question(OTHER_TEMPLATE, { claim }))).toBeUndefined();
        }
      },
    },
    {
      fact: 'does not find drift of the template when the hash was made by another version',
      run: (): void => {
        const claim = remembering((annotations) => annotations.set('berth.sh/nodepool-hash-version', 'v0'));
        expect(reasonOf(question(OTHER_TEMPLATE, { claim }))).toBeUndefined();
      },
    },
    {
      fact: 'finds drift when a field of the EC2NodeClass changes that instances are launched with, and none for its selectors',
      run: (): void => {
        const launchedWith = ec2NodeClass({ userData: 'echo' });
        const selecting = ec2NodeClass({ subnetSelectorTerms: [{ id: 'subnet-1' }] });
        expect(reasonOf(question({}, { nodeClass: launchedWith }))).toBe('NodeClassDrifted');
        expect(reasonOf(question({}, { nodeClass: selecting }))).toBeUndefined();
      },
    },
    {
      fact: 'finds drift when the image is no longer among those that the EC2NodeClass selects, and none while it is one of several',
      run: (): void => {
        const selected = (...imageIDs: readonly string[]) =>
          question({}, { resolved: { ...RESOLVED, imageIDs } });
        expect(reasonOf(selected('ami-3', 'ami-1'))).toBeUndefined();
        expect(reasonOf(selected('ami-3', 'ami-2'))).toBe('AMIDrift');
      },
    },
    {
      fact: 'finds drift when the subnet of the instance is no longer selected',
      run: (): void => {
        const selected = (...subnetIDs: readonly string[]) =>
          question({}, { resolved: { ...RESOLVED, subnetIDs } });
        expect(reasonOf(selected('subnet-2', 'subnet-1'))).toBeUndefined();
        expect(reasonOf(selected('subnet-2'))).toBe('SubnetDrift');
      },
    },
    {
      fact: 'finds drift when a security group is added or removed, and none for another order',
      run: (): void => {
        const selected = (...securityGroupIDs: readonly string[]) =>
          reasonOf(question({}, { resolved: { ...RESOLVED, securityGroupIDs } }));
        expect(selected('sg-1', 'sg-2')).toBeUndefined();
        expect([selected('sg-1'), selected('sg-1', 'sg-2', 'sg-3')]).toEqual([
          'SecurityGroupDrift',
          'SecurityGroupDrift',
        ]);
      },
    },
    {
      fact: 'finds drift when a reserved instance is in a reservation that is no longer selected; one on demand never has',
      run: (): void => {
        const resolved = { ...RESOLVED, reservationIDs: ['cr-2'] };
        const reserved = { ...INSTANCE, capacityType: 'reserved' as const, reservationID: 'cr-1' };
        expect(reasonOf(question({}, { instance: reserved }))).toBeUndefined();
        expect(reasonOf(question({}, { instance: reserved, resolved }))).toBe('CapacityReservationDrift');
        expect(reasonOf(question({}, { resolved }))).toBeUndefined();
      },
    },
  ],
};
