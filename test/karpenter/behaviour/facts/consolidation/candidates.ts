/** Which nodes disruption may choose from, whatever it is for. */
import { selecting } from '../../../../support/builders/constraints.js';
import {
  fleet,
  NOW,
  HOUR,
  podDisruptionBudget,
  type FleetNode,
} from '../../../../support/builders/disruption-input.js';
import type { ObservedPodOverrides } from '../../../../support/builders/observed-pod.js';
import type { Suite } from '../../fact.js';
import { going, SMALL, staying, wasteful } from '../../fleets.js';

const PROTECTED = { annotations: { 'karpenter.sh/do-not-disrupt': 'true' } };
const WEB = { app: 'web' };
const AGENT = { owner: { kind: 'DaemonSet', name: 'agent' } };
const BLOCKING = podDisruptionBudget({
  selector: selecting(WEB),
  maxUnavailable: { unit: 'pods', amount: 0 },
});

/** A wasteful node with one pod more. */
function beside(pod: ObservedPodOverrides): FleetNode {
  return wasteful('a', {}, [SMALL, pod]);
}

/** The same, where pods labelled app=web must not be evicted. */
function guarded(pod: ObservedPodOverrides) {
  return fleet([beside({ ...pod, labels: WEB })], { podDisruptionBudgets: [BLOCKING] });
}

const NODES: Suite['facts'] = [
  {
    fact: 'leaves out a node that a pod is nominated for',
    run: (): void => {
      const input = fleet([wasteful('a', { awaitedPods: ['default/late'] })]);
      expect(going(input)).toEqual([]);
      expect(staying(input)).toEqual(['a Underutilized AwaitsPods']);
    },
  },
  {
    fact: 'leaves out a node that is being deleted, and one whose disruption is decided',
    run: (): void => {
      expect(going(fleet([wasteful('a', { leaving: true }), wasteful('b')]))).toEqual(['Underutilized b']);
    },
  },
  {
    fact: 'leaves out a node that is not initialized',
    run: (): void => {
      const input = fleet([
        wasteful('a', { initialized: false }),
        { name: 'b', managed: { initialized: false } },
      ]);
      expect(staying(input)).toEqual(['a Underutilized NotInitialized', 'b Empty NotInitialized']);
    },
  },
  {
    fact: 'leaves out a node whose NodePool does not exist',
    run: (): void => {
      const input = fleet([{ ...wasteful('a'), nodePool: 'gone' }, wasteful('b')]);
      expect(going(input)).toEqual(['Underutilized b']);
      expect(staying(input)).toEqual(['a Underutilized NodePoolFrozen']);
    },
  },
];

const ANNOTATIONS: Suite['facts'] = [
  {
    fact: "leaves out a node with a DaemonSet's pod annotated do-not-disrupt",
    run: (): void => {
      expect(staying(fleet([beside({ ...AGENT, ...PROTECTED })]))).toEqual([
        'a Underutilized PodDoNotDisrupt',
      ]);
      expect(going(fleet([beside(AGENT)]))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'leaves out a node with a mirror pod annotated do-not-disrupt',
    run: (): void => {
      expect(staying(fleet([beside({ mirror: true, ...PROTECTED })]))).toEqual([
        'a Underutilized PodDoNotDisrupt',
      ]);
      expect(going(fleet([beside({ mirror: true })]))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'overlooks do-not-disrupt on pods that have ended',
    run: (): void => {
      for (const phase of ['Succeeded', 'Failed'] as const)
        expect(going(fleet([beside({ phase, ...PROTECTED })]))).toEqual(['Underutilized a']);
      expect(going(fleet([beside({ phase: 'Running', ...PROTECTED })]))).toEqual([]);
    },
  },
  {
    fact: 'overlooks do-not-disrupt on pods that are being deleted',
    run: (): void => {
      expect(going(fleet([beside({ terminating: true, ...PROTECTED })]))).toEqual(['Underutilized a']);
      expect(going(fleet([beside({ terminating: false, ...PROTECTED })]))).toEqual([]);
    },
  },
  {
    fact: 'takes any other value of do-not-disrupt than true and a duration for none',
    run: (): void => {
      const said = (value: string) =>
        fleet([beside({ annotations: { 'karpenter.sh/do-not-disrupt': value }, startedAt: NOW - HOUR })]);
      expect(going(said('false'))).toEqual(['Underutilized a']);
      expect(going(said('true'))).toEqual([]);
      expect(going(said('59m'))).toEqual(['Underutilized a']);
      expect(going(said('61m'))).toEqual([]);
    },
  },
];

const EVICTIONS: Suite['facts'] = [
  {
    fact: 'leaves out a node with a pod whose PodDisruptionBudget allows no eviction',
    run: (): void => {
      expect(staying(guarded({}))).toEqual(['a Underutilized PodDisruptionBudget']);
    },
  },
  {
    fact: "leaves out a node with a DaemonSet's pod whose PodDisruptionBudget allows no eviction",
    run: (): void => {
      expect(staying(guarded(AGENT))).toEqual(['a Underutilized PodDisruptionBudget']);
    },
  },
  {
    fact: 'overlooks the PodDisruptionBudgets of mirror pods, of pods that have ended, and of pods that are being deleted',
    run: (): void => {
      for (const pod of [{ mirror: true }, { phase: 'Succeeded' as const }, { terminating: true }])
        expect(going(guarded(pod))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'overlooks the PodDisruptionBudget of a pod that tolerates the taint of disrupted nodes, for it is not evicted',
    run: (): void => {
      const tolerations = [{ key: '', operator: 'Exists', value: '', effect: undefined }] as const;
      expect(going(guarded({ ...AGENT, tolerations }))).toEqual(['Underutilized a']);
    },
  },
  {
    fact: 'leaves out a node with a pod of two PodDisruptionBudgets, which cannot be evicted',
    run: (): void => {
      const loose = { ...BLOCKING, maxUnavailable: { unit: 'pods' as const, amount: 5 } };
      const input = (podDisruptionBudgets: (typeof loose)[]) =>
        fleet([beside({ labels: WEB })], { podDisruptionBudgets });
      expect(staying(input([loose, { ...loose, name: 'second' }]))).toEqual([
        'a Underutilized SeveralPodDisruptionBudgets',
      ]);
      expect(going(input([loose]))).toEqual(['Underutilized a']);
    },
  },
];

export const CANDIDATES: Suite = {
  name: 'Choice of candidates',
  facts: [...NODES, ...ANNOTATIONS, ...EVICTIONS],
};
