/** Nodes that are removed because their pods fit elsewhere, and what keeps them. */
import { spreadOver, podTerm, selecting } from '../../../../support/builders/constraints.js';
import { HOSTNAME } from '../../../../../src/domain/values/labels.js';
import {
  economics,
  fleet,
  HOUR,
  NOW,
  podDisruptionBudget,
  typeNamed,
  type FleetNode,
} from '../../../../support/builders/disruption-input.js';
import { node } from '../../../../support/builders/node.js';
import { observedPod, type ObservedPodOverrides } from '../../../../support/builders/observed-pod.js';
import { poolOffer } from '../../../../support/builders/node-pool.js';
import type { Suite } from '../../fact.js';
import { going, LARGE, SMALL, staying, wasteful } from '../../fleets.js';
import { HALF, launching, moving, onDemand } from '../../offers.js';

const M6I_LARGE = typeNamed('m6i.large');
const PROTECTED = { 'karpenter.sh/do-not-disrupt': 'true' };
const WEB = { app: 'web' };
const TINY = { requests: { cpu: '300m', memory: '512Mi' } };

/** An m6i.large, which nothing cheaper can replace; without pods given, half full. */
function full(name: string, pods: readonly ObservedPodOverrides[] = [HALF], rest: Partial<FleetNode> = {}) {
  return { name, type: M6I_LARGE, pods, ...rest };
}

/** Nodes of a pool that launches m6i.large only. */
function larges(nodes: readonly FleetNode[], rest: Parameters<typeof fleet>[1] = {}) {
  return fleet(nodes, { cluster: onDemand([M6I_LARGE], rest.terms), ...rest });
}

const BLOCKING = podDisruptionBudget({
  selector: selecting(WEB),
  maxUnavailable: { unit: 'pods', amount: 0 },
});

const DELETIONS: Suite['facts'] = [
  {
    fact: 'deletes a node whose pods fit on the others, and launches nothing for it',
    run: (): void => {
      const input = larges([full('a', [TINY]), full('b', [HALF, TINY])]);
      expect(going(input)).toEqual(['Underutilized a']);
      expect(launching(input)).toEqual([]);
      expect(moving(input)).toEqual(['default/a-0 → b']);
    },
  },
  {
    fact: 'deletes of two alike the node with fewer pods',
    run: (): void => {
      expect(going(larges([full('a', [TINY, TINY]), full('b', [TINY])]))).toEqual(['Underutilized b']);
      expect(going(larges([full('a', [TINY]), full('b', [TINY, TINY])]))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'deletes a node with more pods rather than another, if it has little of its lifetime left',
    run: (): void => {
      const life = { createdAt: NOW - 99 * HOUR, expiresAt: NOW + HOUR };
      const nodes = (managed: FleetNode['managed']): FleetNode[] => [
        full('a', [TINY, TINY], { ...(managed && { managed }) }),
        full('b', [TINY], { managed: { createdAt: NOW - HOUR, expiresAt: NOW + 99 * HOUR } }),
      ];
      expect(going(larges(nodes(life)))).toEqual(['Underutilized a']);
      expect(going(larges(nodes({ createdAt: NOW - HOUR, expiresAt: NOW + 99 * HOUR })))).toEqual([
        'Underutilized b',
      ]);
    },
  },
  {
    fact: 'deletes the node whose pod has the lower pod-deletion-cost',
    run: (): void => {
      const cost = (value: number): ObservedPodOverrides => ({
        ...TINY,
        annotations: { 'controller.kubernetes.io/pod-deletion-cost': String(value) },
      });
      const nodes = (first: number, second: number): FleetNode[] => [
        full('a', [cost(first)]),
        full('b', [cost(second)]),
      ];
      expect(going(larges(nodes(2 ** 28, 0)))).toEqual(['Underutilized b']);
      expect(going(larges(nodes(0, 2 ** 28)))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'deletes the node whose pod has the lower priority',
    run: (): void => {
      const nodes = (first: number, second: number): FleetNode[] => [
        full('a', [{ ...TINY, priority: first }]),
        full('b', [{ ...TINY, priority: second }]),
      ];
      expect(going(larges(nodes(2 ** 26, 0)))).toEqual(['Underutilized b']);
      expect(going(larges(nodes(0, 2 ** 26)))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'deletes a node whose pods fit on a node that it does not manage',
    run: (): void => {
      const cluster = { ...onDemand([M6I_LARGE]), nodes: [node({ name: 'own', type: LARGE })] };
      const input = fleet([full('a')], { cluster });
      expect(going(input)).toEqual(['Underutilized a']);
      expect(moving(input)).toEqual(['default/a-0 → own']);
      expect(going(larges([full('a')]))).toEqual([]);
    },
  },
  {
    fact: 'evicts pods without an owner like others',
    run: (): void => {
      const input = larges([full('a', [TINY, TINY]), full('b', [{ ...TINY, owner: undefined }])]);
      expect(going(input)).toEqual(['Underutilized b']);
      expect(moving(input)).toEqual(['default/b-0 → a']);
    },
  },
  {
    fact: 'deletes a node while a pod waits that fits nowhere',
    run: (): void => {
      const waiting = observedPod({ name: 'waiting', nodeSelector: { rack: '7' } });
      const cluster = { ...onDemand([M6I_LARGE]), pods: [waiting] };
      expect(going(fleet([full('a', [TINY, TINY]), full('b')], { cluster }))).toEqual(['Underutilized b']);
    },
  },
  {
    fact: 'deletes a node while another NodePool has no instance types, or cannot say which',
    run: (): void => {
      for (const types of [[], undefined]) {
        const cluster = onDemand([M6I_LARGE]);
        const pools = [...cluster.pools, { ...poolOffer({ name: 'other' }), instanceTypes: types }];
        expect(
          going(fleet([full('a', [TINY, TINY]), full('b')], { cluster: { ...cluster, pools } })),
        ).toEqual(['Underutilized b']);
      }
    },
  },
];

const PLACES: Suite['facts'] = [
  {
    fact: 'keeps a node whose pods would have to wait without it',
    run: (): void => {
      const pinned = (name: string, pods: number): FleetNode => {
        const pod = { ...TINY, nodeSelector: { rack: name } };
        return full(
          name,
          Array.from({ length: pods }, () => pod),
          { labels: { rack: name } },
        );
      };
      const input = larges([pinned('a', 2), pinned('b', 1)]);
      expect(going(input)).toEqual([]);
      expect(staying(input)).toEqual(['a Underutilized NoPlace', 'b Underutilized NoPlace']);
    },
  },
  {
    fact: 'keeps a node whose pods would need a node that is not initialized yet',
    run: (): void => {
      const nodes = (initialized: boolean): FleetNode[] => [
        full('a', [TINY]),
        full('b', [TINY, TINY], { managed: { initialized } }),
      ];
      expect(going(larges(nodes(false)))).toEqual([]);
      expect(going(larges(nodes(true)))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'moves pods to an initialized node where others are not initialized yet',
    run: (): void => {
      const young = 'bcdefghi'
        .split('')
        .map((name) => full(name, [TINY], { managed: { initialized: false } }));
      const input = larges([full('a', [TINY]), ...young, full('z', [HALF, TINY])]);
      expect(going(input)).toEqual(['Underutilized a']);
      expect(moving(input)).toEqual(['default/a-0 → z']);
    },
  },
  {
    fact: 'keeps nodes whose pods may not share one, by anti-affinity over hostnames',
    run: (): void => {
      const apart = { required: [podTerm(HOSTNAME, WEB)], preferred: [] };
      const nodes = (rules: ObservedPodOverrides): FleetNode[] =>
        ['a', 'b', 'c'].map((name) => full(name, [{ ...HALF, labels: WEB, ...rules }]));
      expect(going(larges(nodes({ podAntiAffinity: apart })))).toEqual([]);
      expect(going(larges(nodes({})))).toHaveLength(1);
    },
  },
  {
    fact: 'keeps nodes whose pods are spread over hostnames, where one less would be uneven',
    run: (): void => {
      const nodes = (rules: ObservedPodOverrides): FleetNode[] =>
        ['a', 'b'].map((name) =>
          full(
            name,
            [TINY, TINY].map((pod) => ({ ...pod, labels: WEB, ...rules })),
          ),
        );
      const spread = [spreadOver(HOSTNAME, WEB, { minDomains: 2 })];
      expect(going(larges(nodes({ spread })))).toEqual([]);
      expect(going(larges(nodes({})))).toHaveLength(1);
    },
  },
];

const PROTECTION: Suite['facts'] = [
  {
    fact: 'deletes another node than one annotated do-not-disrupt, though that has fewer pods',
    run: (): void => {
      const nodes = [full('a', [TINY, TINY]), full('b', [TINY], { managed: { doNotDisrupt: 'true' } })];
      expect(going(larges(nodes))).toEqual(['Underutilized a']);
      expect(staying(larges(nodes))).toEqual(['b Underutilized NodeDoNotDisrupt']);
    },
  },
  {
    fact: 'deletes another node than one with a pod annotated do-not-disrupt, though that has fewer pods',
    run: (): void => {
      const nodes = [full('a', [TINY, TINY]), full('b', [{ ...TINY, annotations: PROTECTED }])];
      expect(going(larges(nodes))).toEqual(['Underutilized a']);
      expect(staying(larges(nodes))).toEqual(['b Underutilized PodDoNotDisrupt']);
    },
  },
  {
    fact: 'keeps a node with a pod annotated do-not-disrupt even with a terminationGracePeriod',
    run: (): void => {
      const managed = { terminationGracePeriodSeconds: 300 };
      const nodes = (annotations: Record<string, string>): FleetNode[] => [
        wasteful('a', managed, [{ ...SMALL, annotations }]),
      ];
      expect(going(fleet(nodes(PROTECTED)))).toEqual([]);
      expect(going(fleet(nodes({})))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'keeps a node whose PodDisruptionBudget allows no eviction even with a terminationGracePeriod',
    run: (): void => {
      const managed = { terminationGracePeriodSeconds: 300 };
      const input = (budgets: (typeof BLOCKING)[]) =>
        fleet([wasteful('a', managed, [{ ...SMALL, labels: WEB }])], { podDisruptionBudgets: budgets });
      expect(going(input([BLOCKING]))).toEqual([]);
      expect(going(input([]))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'deletes another node than one whose PodDisruptionBudget allows no eviction, though that has fewer pods',
    run: (): void => {
      const nodes = [full('a', [TINY, TINY]), full('b', [{ ...TINY, labels: WEB }])];
      expect(going(larges(nodes, { podDisruptionBudgets: [BLOCKING] }))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'is not held by a PodDisruptionBudget of another namespace',
    run: (): void => {
      const input = (namespace: string) =>
        fleet([wasteful('a', {}, [{ ...SMALL, labels: WEB }])], {
          podDisruptionBudgets: [{ ...BLOCKING, namespace }],
        });
      expect(going(input('team'))).toEqual(['Underutilized a']);
      expect(going(input('default'))).toEqual([]);
    },
  },
  {
    fact: 'moves pods that are not ready where their PodDisruptionBudget always allows to evict such pods',
    run: (): void => {
      const input = (unhealthyPodEvictionPolicy: 'AlwaysAllow' | 'IfHealthyBudget') =>
        fleet(
          [
            wasteful(
              'a',
              {},
              [1, 2, 3].map(() => ({ ...SMALL, labels: WEB, ready: false })),
            ),
          ],
          {
            podDisruptionBudgets: [{ ...BLOCKING, unhealthyPodEvictionPolicy }],
          },
        );
      expect(going(input('AlwaysAllow'))).toEqual(['Underutilized a']);
      expect(going(input('IfHealthyBudget'))).toEqual([]);
    },
  },
];

const TERMS: Suite['facts'] = [
  {
    fact: 'keeps a node with pods until consolidateAfter has passed since a pod last came or left',
    run: (): void => {
      const input = (consolidateAfterSeconds: number) =>
        fleet([wasteful('a', { quietSince: NOW - HOUR })], { terms: { consolidateAfterSeconds } });
      expect(staying(input(3601))).toEqual(['a Underutilized NotQuiet']);
      expect(going(input(3600))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'keeps all nodes, empty or not, with consolidateAfter Never',
    run: (): void => {
      const input = fleet([wasteful('a'), { name: 'b', type: LARGE }], {
        terms: { consolidateAfterSeconds: undefined },
      });
      expect(going(input)).toEqual([]);
      expect(staying(input)).toEqual([
        'a Underutilized ConsolidationDisabled',
        'b Empty ConsolidationDisabled',
      ]);
    },
  },
  {
    fact: 'deletes only nodes without pods with the policy WhenEmpty',
    run: (): void => {
      const nodes = [wasteful('a'), { name: 'b', type: LARGE, managed: {} }];
      const input = fleet(nodes, { terms: { consolidationPolicy: 'WhenEmpty' } });
      expect(going(input)).toEqual(['Empty b']);
      expect(staying(input)).toEqual(['a Underutilized NotEmpty']);
    },
  },
  {
    fact: 'keeps a node with pods whose instance type, zone or capacity type has no known price, unless it is empty',
    run: (): void => {
      const unpriced = { hourlyPrice: undefined };
      const input = fleet([wasteful('a', unpriced), { name: 'b', type: LARGE, managed: unpriced }]);
      expect(going(input)).toEqual(['Empty b']);
      expect(staying(input)).toEqual(['a Underutilized UnknownPrice']);
    },
  },
  {
    fact: 'may move pods again as soon as consolidateAfter has passed on the node that they were moved to',
    differs:
      'a node that consolidation moved pods to is not consolidated for an hour, so that no move is undone; with berth.consolidation.moveAgainAfter 0s it is as in Karpenter',
    run: (): void => {
      const input = (moveAgainAfterSeconds: number) =>
        fleet([wasteful('a', { movedToAt: NOW - 60_000 })], { terms: economics({ moveAgainAfterSeconds }) });
      expect(staying(input(3600))).toEqual(['a Underutilized MovedTo']);
      expect(going(input(0))).toEqual(['Underutilized a']);
    },
  },
];

export const CONSOLIDATION: Suite = {
  name: 'Consolidation',
  facts: [...DELETIONS, ...PLACES, ...PROTECTION, ...TERMS],
};
