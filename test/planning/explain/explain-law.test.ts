/** Random pods without a place: each reason names its constraint, its values and a change that is enough, or that it is not. */
import fc from 'fast-check';
import { ARCH, HOSTNAME, INSTANCE_PREFIX, ZONE } from '../../../src/domain/values/labels.js';
import type { Requirement } from '../../../src/domain/values/requirement.js';
import { describePoolReason } from '../../../src/planning/describe-reason.js';
import { effortOf } from '../../../src/planning/explain/nearest-first.js';
import type { PoolReason } from '../../../src/planning/plan.js';
import type { ReasonCode } from '../../../src/planning/reason.js';
import type { ClusterInput, PoolOffer } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import {
  nodeTerm,
  oneOf,
  podTerm,
  requiredTerms,
  spreadOver,
  taint,
  tolerateKey,
} from '../../support/builders/constraints.js';
import { daemonSet } from '../../support/builders/daemon-set.js';
import { smallCatalogue, ZONE_A, ZONE_B, ZONE_C } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { poolOffer } from '../../support/builders/node-pool.js';
import { pod, type PodOverrides } from '../../support/builders/pod.js';
import { persistentVolume, storageClass, volumeClaim } from '../../support/builders/volume.js';
import { requirement } from '../../../src/domain/values/requirement.js';
import { withChange } from './explain-apply.js';
import { planFor, reasonsFor } from '../read-plan.js';

const FAMILY = `${INSTANCE_PREFIX}family`;
const TEAM = 'example.com/team';
const web = { app: 'web' };
const RUNS = { numRuns: 100, seed: 20_261_122 };

/** Reasons whose change opens something that is not known before. */
const UNKNOWN: ReadonlySet<ReasonCode> = new Set(['StaticPool', 'NodeClassNotFound', 'NodeClassNotReady']);

const zones = fc.subarray([ZONE_A, ZONE_B, ZONE_C], { minLength: 1 });
const families = fc.subarray(['m5', 'm6g', 'c6i', 'g5'], { minLength: 1 });

const pools = fc
  .array(
    fc.record({
      zone: fc.option(zones, { freq: 2 }),
      family: fc.option(families, { freq: 2 }),
      arch: fc.option(fc.constantFrom('amd64', 'arm64'), { freq: 2 }),
      team: fc.constantFrom('none', 'none', 'none', 'red', 'open'),
      taints: fc.constantFrom([], [], [], ['gpu'], ['gpu', 'batch']),
      cpu: fc.option(fc.integer({ min: 0, max: 40 }), { freq: 2 }),
      nodes: fc.option(fc.integer({ min: 0, max: 2 }), { freq: 2 }),
      minValues: fc.constantFrom(0, 0, 0, 3, 9),
      state: fc.constantFrom('open', 'open', 'open', 'open', 'frozen', 'static', 'unready'),
      out: fc.constantFrom('', '', '', 'all', 'some'),
    }),
    { minLength: 1, maxLength: 3 },
  )
  .map((list) =>
    list.map(({ zone, family, arch, team, taints, cpu, nodes, minValues, state, out }, index): PoolOffer => {
      const requirements: Requirement[] = [
        ...(zone === null ? [] : [oneOf(ZONE, ...zone)]),
        ...(arch === null ? [] : [oneOf(ARCH, arch)]),
        ...(family === null
          ? minValues > 0
            ? [requirement(FAMILY, 'Exists', [], minValues)]
            : []
          : [oneOf(FAMILY, ...family)]),
        ...(team === 'open' ? [oneOf(TEAM, 'green')] : []),
      ];
      const types = smallCatalogue().map((type, at) =>
        out === '' || (out === 'some' && at % 2 === 0)
          ? type
          : { ...type, offerings: type.offerings.map((offering) => ({ ...offering, available: false })) },
      );
      const offer = poolOffer(
        {
          name: `pool-${String(index)}`,
          requirements,
          labels: team === 'red' ? { [TEAM]: team } : {},
          taints: taints.map((key) => taint(key, 'x')),
          limits: {
            ...(cpu === null ? {} : { cpu: String(cpu) }),
            ...(nodes === null ? {} : { nodes: String(nodes) }),
          },
          ...(state === 'static' ? { replicas: 1 } : {}),
        },
        types,
      );
      if (state === 'frozen') return { ...offer, frozen: true };
      return state === 'unready'
        ? { ...offer, instanceTypes: undefined, nodeClassProblem: 'no subnet' }
        : offer;
    }),
  );

const asked = fc
  .record({
    zone: fc.constantFrom(null, null, null, null, ZONE_A, 'us-east-1x'),
    family: fc.constantFrom(null, null, null, null, 'g5', 'p5'),
    team: fc.constantFrom(null, null, null, null, null, 'red', 'violet'),
    terms: fc.constantFrom(null, null, null, null, 'apart' as const, 'empty' as const, 'families' as const),
    tolerated: fc.constantFrom([], ['gpu'], ['gpu', 'batch']),
    cpu: fc.constantFrom('100m', '100m', '3', '14', '70'),
    gpu: fc.constantFrom('0', '0', '0', '0', '1', '9'),
    rule: fc.constantFrom('', '', 'spread', 'affinity', 'beside', 'anti', 'rack'),
    port: fc.boolean(),
    volume: fc.constantFrom('', '', '', '', '', '', 'zoned', 'gone', 'classless', 'defaultless', 'far'),
  })
  .map(({ zone, family, team, terms, tolerated, cpu, gpu, rule, port, volume }): PodOverrides => ({
    labels: web,
    nodeSelector: {
      ...(zone === null ? {} : { [ZONE]: zone }),
      ...(family === null ? {} : { [FAMILY]: family }),
      ...(team === null ? {} : { [TEAM]: team }),
    },
    ...(terms === null ? {} : { nodeAffinity: requiredTerms(...TERMS[terms]) }),
    tolerations: tolerated.map((key) => tolerateKey(key)),
    requests: { cpu, 'nvidia.com/gpu': gpu },
    ...(rule === 'spread' ? { spread: [spreadOver(ZONE, web)] } : {}),
    ...(rule === 'rack' ? { spread: [spreadOver('rack', web)] } : {}),
    ...(rule === 'affinity' ? { podAffinity: { required: [podTerm(ZONE, { app: 'db' })] } } : {}),
    ...(rule === 'beside' ? { podAffinity: { required: [podTerm(HOSTNAME, { app: 'db' })] } } : {}),
    ...(rule === 'anti' ? { podAntiAffinity: { required: [podTerm(ZONE, web)] } } : {}),
    hostPorts: port ? [{ hostIP: '0.0.0.0', protocol: 'TCP', port: 9100 }] : [],
    volumes: volume === '' ? [] : [volume],
  }));

const TERMS = {
  apart: [nodeTerm(oneOf(FAMILY, 'p5'), oneOf(ZONE, ZONE_A)), nodeTerm(oneOf(TEAM, 'violet'))],
  empty: [nodeTerm()],
  families: [nodeTerm(oneOf(FAMILY, 'p4d')), nodeTerm(oneOf(FAMILY, 'm5'))],
};

/** Nodes that are full, one in each zone, with the pods that rules look for. */
const cluster = fc.subarray([ZONE_A, ZONE_B, ZONE_C]).map((taken) => ({
  nodes: taken.map((zone, index) =>
    node({ name: `n${String(index)}`, zone, allocatable: { cpu: '100m', memory: '128Mi', pods: '1' } }),
  ),
  running: taken.map((_, index) =>
    pod({
      name: `old-${String(index)}`,
      labels: index === 0 ? { app: 'db' } : web,
      nodeName: `n${String(index)}`,
    }),
  ),
}));

const inputs = fc
  .tuple(pools, asked, cluster, fc.boolean())
  .map(([offers, wanted, { nodes, running }, agent]) =>
    clusterInput({
      pools: offers,
      nodes,
      pods: [...running, pod(wanted)],
      daemonSets: agent
        ? [daemonSet({ name: 'agent', hostPorts: [{ hostIP: '0.0.0.0', protocol: 'TCP', port: 9100 }] })]
        : [],
      persistentVolumeClaims: [
        volumeClaim({ name: 'default/zoned', volumeName: 'pv-b' }),
        volumeClaim({ name: 'default/far', volumeName: 'pv-x' }),
        volumeClaim({ name: 'default/classless', storageClassName: 'gone' }),
        volumeClaim({ name: 'default/defaultless', storageClassName: undefined }),
      ],
      persistentVolumes: [
        persistentVolume({ name: 'pv-b', zone: ZONE_B }),
        persistentVolume({ name: 'pv-x', zone: 'us-east-1x' }),
      ],
      storageClasses: [storageClass()],
    }),
  );

/** The cluster with one of its pools only, so that no other takes the pod once it is changed. */
function only(input: ClusterInput, pool: string): ClusterInput {
  return pool === '' ? input : { ...input, pools: input.pools.filter((offer) => offer.pool.name === pool) };
}

function expectWords(each: PoolReason): void {
  const text = describePoolReason(each);
  expect(text).toMatch(/^\S.*[;:] ?\S.*\S$/s);
  expect(text).not.toMatch(/ {2}|undefined|\[\]| has {1,}together/);
}

function expectTried(input: ClusterInput, { nodePool, reason, also = [], untried }: PoolReason): ReasonCode {
  if (UNKNOWN.has(reason.code)) expect(untried).toBe(true);
  if (untried === true) return reason.code;
  const changed = withChange(only(input, nodePool), nodePool, reason);
  if (changed === undefined) {
    // It says itself that no single change is enough.
    expect(also).not.toEqual([]);
    return reason.code;
  }
  const left = planFor(changed).unschedulable.length;
  expect({ reason, also, left }).toEqual({ reason, also, left: also.length > 0 ? 1 : 0 });
  return reason.code;
}

describe('every reason of a pod without a place', () => {
  test('names a change that is enough alone, or says what is in the way besides', () => {
    const seen = new Map<ReasonCode, number>();
    fc.assert(
      fc.property(inputs, (input) => {
        const reasons = reasonsFor(planFor(input));
        const efforts = reasons.map(effortOf);
        expect(efforts).toEqual([...efforts].sort((left, right) => left - right));
        for (const each of reasons) {
          expectWords(each);
          const code = expectTried(input, each);
          seen.set(code, (seen.get(code) ?? 0) + 1);
        }
      }),
      RUNS,
    );
    // The law is about many constraints, not about the one that the generator meets first.
    expect(seen.size).toBeGreaterThanOrEqual(12);
  });
});
