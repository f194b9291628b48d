/** Faults planted in plans by hand are refuted, their faultless twins proven; and a plan that is refuted is never used. */
import { HOSTNAME, ZONE } from '../../../src/domain/values/labels.js';
import { UNSCHEDULABLE_TAINT } from '../../../src/domain/values/taint.js';
import type { Plan } from '../../../src/planning/plan.js';
import { DEFAULT_PLAN_OPTIONS } from '../../../src/planning/plan-options.js';
import { provenPlan } from '../../../src/planning/engine/proven-plan.js';
import type { ProofMemory } from '../../../src/planning/prove/proof-memory.js';
import { provePlan } from '../../../src/planning/prove/prove-plan.js';
import { PROVEN_RULES, type ProvenRule } from '../../../src/planning/prove/refutation.js';
import { CompileCache } from '../../../src/planning/engine/compile-cache.js';
import { plan } from '../../../src/planning/engine/plan.js';
import { buildSnapshot } from '../../../src/planning/snapshot/build-snapshot.js';
import type { ClusterInput } from '../../../src/planning/snapshot/cluster-input.js';
import { clusterInput } from '../../support/builders/cluster-input.js';
import { podTerm, spreadOver } from '../../support/builders/constraints.js';
import { ZONE_B } from '../../support/builders/instance-type.js';
import { node } from '../../support/builders/node.js';
import { handMadePlan } from '../../support/builders/plan.js';
import { pod, replicas } from '../../support/builders/pod.js';
import { persistentVolume, volumeClaim } from '../../support/builders/volume.js';
import { limits, offers } from '../../support/plan-checker/planted/planted-lists.js';
import { nodeRules, room, volumes } from '../../support/plan-checker/planted/planted-fit.js';
import { topology } from '../../support/plan-checker/planted/planted-topology.js';
import type { ViolationKind } from '../../support/plan-checker/violation.js';

/** Which rule of the proof a fault of the plan checker breaks; the others are not about rules of placement. */
const RULE_OF: Partial<Record<ViolationKind, ProvenRule>> = {
  'node-affinity': 'nodeRules',
  taint: 'nodeRules',
  cordon: 'nodeRules',
  features: 'nodeRules',
  resources: 'resources',
  'host-port': 'hostPorts',
  limits: 'limits',
  offer: 'offering',
  'min-values': 'minValues',
  spread: 'topologySpread',
  'pod-affinity': 'podAffinity',
  'pod-anti-affinity': 'podAntiAffinity',
};

const cases = [...nodeRules(), ...room(), ...limits(), ...offers(), ...topology()].flatMap((planted) => {
  const rule = RULE_OF[planted.kind];
  // Reservations are counted where instances of them are offered; zones to launch into are planning's own wish.
  const isReserved = planted.fault.includes('reservation');
  // How long a list may be is a rule of the EC2 API, which refuses the launch.
  const isLength = planted.fault === 'more types than may be listed';
  const isOther = planted.options !== undefined || isReserved || isLength;
  return rule === undefined || isOther ? [] : [{ ...planted, rule }];
});

/** Of a planner that has just started. */
function memory(): ProofMemory {
  return new CompileCache().proof;
}

function rulesBroken(input: ClusterInput, made: Plan): readonly string[] {
  const { refutations } = provePlan(buildSnapshot(input), made, memory());
  return refutations.map(({ rule, detail }) => `${rule}: ${detail}`);
}

describe('provePlan', () => {
  test.each(cases)('refutes a plan with $fault', ({ rule, bad: [input, made] }) => {
    expect(rulesBroken(input, made).join('\n')).toContain(rule);
  });

  test.each(cases)('has nothing against the twin without $fault', ({ good: [input, made] }) => {
    expect(rulesBroken(input, made)).toEqual([]);
  });

  test.each(volumes())('refutes a plan with volumes: $fault', ({ bad: [input, made] }) => {
    expect(rulesBroken(input, made)).not.toEqual([]);
  });

  test('is tried on every rule but those that the names of pods and volumes alone decide', () => {
    const tried = new Set(cases.map(({ rule }) => rule));
    expect(PROVEN_RULES.filter((rule) => !tried.has(rule))).toEqual(['answers', 'volumes']);
  });

  test('refutes a plan that forgets a pod, and one that places it twice', () => {
    const input = clusterInput({ pods: [pod()], nodes: [node()] });
    const whole = handMadePlan(input, { nodes: { node: ['default/pod'] } });
    const twice = { ...whole, placements: [...whole.placements, ...whole.placements] };
    expect(rulesBroken(input, { ...whole, placements: [] })).toEqual(['answers: not answered once']);
    expect(rulesBroken(input, twice)).toEqual(['answers: not answered once']);
  });

  test.each(['a-runs', 'z-runs'])(
    'refutes a plan that gives a ReadWriteOncePod claim which pod %s uses to another',
    (name) => {
      const running = pod({ name, nodeName: 'a', volumes: ['data'], requests: { cpu: '100m' } });
      const second = pod({ name: 'second', volumes: ['data'], requests: { cpu: '200m' } });
      const input = clusterInput({
        pods: [running, second],
        nodes: [node({ name: 'a' }), node({ name: 'b' })],
        persistentVolumeClaims: [volumeClaim({ volumeName: 'pv', readWriteOncePod: true })],
        persistentVolumes: [persistentVolume()],
      });
      const made = handMadePlan(input, { nodes: { b: ['default/second'] } });
      expect(rulesBroken(input, made)).toEqual(['volumes: b: default/data is in use']);
    },
  );

  test.each([
    { about: 'cordoned nodes without the taint of it', taints: [], rules: ['topologySpread'] },
    { about: 'no cordoned nodes with the taint of it', taints: [UNSCHEDULABLE_TAINT], rules: [] },
  ])('counts, for nodeTaintsPolicy Honor, $about', ({ taints, rules }) => {
    const web = { app: 'web' };
    const spread = [spreadOver(ZONE, web, { nodeTaintsPolicy: 'Honor' })];
    const cordoned = node({ name: 'b', zone: ZONE_B, unschedulable: true, taints });
    const input = clusterInput({
      pods: replicas(2, { name: 'web', labels: web, spread }),
      nodes: [node({ name: 'a' }), cordoned],
    });
    const made = handMadePlan(input, { nodes: { a: ['default/web-0', 'default/web-1'] } });
    expect(rulesBroken(input, made).map((text) => text.split(':')[0])).toEqual(rules);
  });

  test('has pods that would take the first place of a group wait for the pod that begins it', () => {
    const company = { required: [podTerm(HOSTNAME, { app: 'web' })] };
    const pods = [
      pod({ name: 'other', labels: { app: 'web' } }),
      pod({ name: 'web', labels: { app: 'web' }, podAffinity: company }),
    ];
    const input = clusterInput({ pods });
    const made = handMadePlan(input, { claims: [{ pods: ['default/other'] }, { pods: ['default/web'] }] });
    const { refutations, after } = provePlan(buildSnapshot(input), made, memory());
    expect(refutations).toEqual([]);
    expect([...after]).toEqual([['default/other', ['default/web']]]);
  });

  test('binds one pod after the other where pods that wait for spread are company for one that has it', () => {
    const web = { app: 'web' };
    const strict = pod({
      name: 'strict',
      podAffinity: { required: [podTerm(HOSTNAME, web)] },
      spread: [spreadOver(HOSTNAME, web)],
    });
    const pods = [strict, pod({ name: 'web-1', labels: web }), pod({ name: 'web-2', labels: web })];
    const input = clusterInput({ pods, nodes: [node({ name: 'a' }), node({ name: 'b' })] });
    const together = { a: ['default/strict', 'default/web-1', 'default/web-2'] };
    const made = handMadePlan(input, { nodes: together });
    const { refutations, after } = provePlan(buildSnapshot(input), made, memory());
    expect(refutations).toEqual([]);
    expect([...after]).toEqual([
      ['default/strict', ['default/web-1']],
      ['default/web-2', ['default/web-1', 'default/strict']],
    ]);
    const apart = { a: ['default/strict', 'default/web-1'], b: ['default/web-2'] };
    expect(rulesBroken(input, handMadePlan(input, { nodes: apart }))).toEqual([]);
  });

  test('refutes a plan in which the spread of a pod has no room beside the company that it looks for', () => {
    const labels = { app: 'web' };
    const strict = pod({
      name: 'strict',
      labels,
      podAffinity: { required: [podTerm(HOSTNAME, { role: 'cache' })] },
      spread: [spreadOver(HOSTNAME, labels)],
    });
    const cache = pod({ name: 'cache', labels: { ...labels, role: 'cache' } });
    const input = clusterInput({ pods: [strict, cache], nodes: [node({ name: 'a' }), node({ name: 'b' })] });
    const made = handMadePlan(input, { nodes: { a: ['default/strict', 'default/cache'] } });
    expect(rulesBroken(input, made).join()).toContain('podAffinity');
  });

  test('prefers an order in which spread holds beside an empty node that could be launched', () => {
    const web = { app: 'web' };
    const spread = (maxSkew: number) => [{ ...spreadOver(HOSTNAME, web), maxSkew }];
    const ruled = pod({
      name: 'ruled',
      labels: web,
      spread: spread(2),
      podAffinity: { required: [podTerm(HOSTNAME, { role: 'cache' })] },
    });
    const caches = replicas(3, { name: 'cache', labels: { ...web, role: 'cache' }, spread: spread(4) });
    const running = pod({ name: 'running', labels: web, nodeName: 'b' });
    const input = clusterInput({
      pods: [ruled, running, ...caches],
      nodes: [node({ name: 'a' }), node({ name: 'b' })],
    });
    const names = ['default/cache-0', 'default/cache-1', 'default/cache-2', 'default/ruled'];
    const made = handMadePlan(input, { nodes: { a: names } });
    const { refutations, after } = provePlan(buildSnapshot(input), made, memory());
    expect(refutations).toEqual([]);
    // Beside the nodes that exist, it may also come after two of them.
    expect(after.get('default/ruled')).toEqual(['default/cache-0']);
  });

  test('refutes a plan in which the first of a group needs a pod bound for its spread that waits for it', () => {
    const labels = { app: 'web', group: 'one' };
    const first = pod({
      name: 'first',
      labels,
      podAffinity: { required: [podTerm(HOSTNAME, { group: 'one' })] },
      spread: [spreadOver(HOSTNAME, { app: 'web' })],
    });
    const other = pod({ name: 'other', labels });
    const running = pod({ name: 'running', labels: { app: 'web' }, nodeName: 'a' });
    const nodes = [node({ name: 'a' }), node({ name: 'b' })];
    const plan = { nodes: { a: ['default/first'], b: ['default/other'] } };
    const stuck = clusterInput({ pods: [running, first, other], nodes });
    expect(rulesBroken(stuck, handMadePlan(stuck, plan))).toEqual([
      'topologySpread: each waits for another of them',
    ]);
    const free = clusterInput({ pods: [first, other], nodes });
    expect(rulesBroken(free, handMadePlan(free, plan))).toEqual([]);
  });

  test('has pods that a spread counts, but that do not have it, wait for those that do', () => {
    const labels = { app: 'web' };
    const pods = [
      ...replicas(3, { name: 'free', labels }),
      pod({ name: 'ruled', labels, spread: [spreadOver(HOSTNAME, labels)] }),
    ];
    const input = clusterInput({ pods, nodes: [node({ name: 'empty' })] });
    const names = ['default/free-0', 'default/free-1', 'default/free-2', 'default/ruled'];
    const made = handMadePlan(input, { claims: [{ pods: names }] });
    const { refutations, after } = provePlan(buildSnapshot(input), made, memory());
    expect(refutations).toEqual([]);
    expect([...after.keys()].sort()).toEqual(names.slice(0, 3));
    expect(after.get('default/free-0')).toEqual(['default/ruled']);
  });
});

describe('provenPlan', () => {
  const alone = {
    podAntiAffinity: { required: [podTerm(HOSTNAME, { app: 'web' })] },
    labels: { app: 'web' },
  };
  const input = clusterInput({ pods: replicas(2, { name: 'web', ...alone }) });
  const snapshot = buildSnapshot(input);
  const together = handMadePlan(input, { claims: [{ pods: ['default/web-0', 'default/web-1'] }] });
  const apart = handMadePlan(input, { claims: [{ pods: ['default/web-0'] }, { pods: ['default/web-1'] }] });

  test('takes the first plan that holds, and tells which rule the one before it broke', () => {
    const simplest = (): Plan => apart;
    const made = provenPlan(snapshot, memory(), {
      plans: [() => together, () => apart],
      simplest,
    });
    expect(made.placements).toEqual(apart.placements);
    expect(made.repairs).toEqual([expect.objectContaining({ rule: 'podAntiAffinity', remedy: 'FirstFit' })]);
  });

  test('proves no plan again of which the proof is known', () => {
    const made = provenPlan(snapshot, memory(), {
      plans: [() => together, () => apart],
      proofs: new Map([
        [together, { refutations: [], after: new Map([['default/web-1', ['default/web-0']]]) }],
      ]),
      simplest: () => apart,
    });
    expect(made.placements.map(({ after }) => after)).toEqual([undefined, ['default/web-0']]);
    expect(made.repairs).toBeUndefined();
  });

  test('leaves pods out, with the reason, where every way to plan breaks a rule', () => {
    const made = provenPlan(snapshot, memory(), {
      plans: [() => together],
      simplest: (rest) => plan(rest, DEFAULT_PLAN_OPTIONS),
    });
    expect(made.placements.map(({ pod: key }) => key)).toEqual(['default/web-0']);
    expect(made.unschedulable).toEqual([
      {
        pod: 'default/web-1',
        reasons: [{ nodePool: '', reason: { code: 'PlanRefuted', rule: 'podAntiAffinity' } }],
      },
    ]);
    expect(rulesBroken(input, made)).toEqual([]);
  });

  test('places nothing where no plan holds at all', () => {
    const made = provenPlan(snapshot, memory(), {
      plans: [() => together],
      simplest: () => together,
    });
    expect(made.placements).toEqual([]);
    expect(made.claims).toEqual([]);
    expect(made.unschedulable).toHaveLength(2);
  });
});
