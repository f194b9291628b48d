/** `--mode observe` of the chart on a real control plane, beside nodes of Karpenter: it changes nothing but its own records, and reports. */
import { setTimeout as sleep } from 'node:timers/promises';
import { deployment } from '../../scenario/objects.js';
import { Scenario } from '../../scenario/scenario.js';
import { forbiddenRequests, requestsOf } from '../berth/account-rights.js';
import { BerthCluster, NAMESPACE } from '../berth/berth-cluster.js';
import { berthCommand } from '../berth/berth-command.js';
import { RealWorld } from '../berth/real-world.js';
import type { AuditEvent } from '../fixture/audit.js';
import { DECISIONS, NODE_CLAIMS, RESERVATIONS } from '../berth/kinds.js';
import { NODES, PODS, type AnyObject } from '../fixture/api/kube-object.js';
import { eventually } from '../fixture/eventually.js';
import {
  applyKarpenterKinds,
  givePolicies,
  KARPENTER_NODE_CLAIMS,
  launchNodes,
} from '../karpenter/karpenter-model.js';

const SIZE = 3;
const ACCOUNT = 'berth-controller';
const REPORT_MILLIS = 240_000;
/** Actions of Decisions that change nothing. */
const TELLING = new Set(['Observe', 'Accept', 'Freeze', 'Refuse']);
const READING = new Set(['get', 'list', 'watch']);
const RECORDS = new Set([
  'berth.sh/policystatuses',
  'berth.sh/decisions',
  'events.k8s.io/events',
  'coordination.k8s.io/leases',
]);

interface Report {
  readonly system: string;
  readonly now: Readonly<Record<'currentNodes' | 'berthNodes' | 'savingHourly' | 'unpricedNodes', number>>;
  readonly actions: readonly { readonly reason: string; readonly nodes: readonly string[] }[];
}

/** `patch berth.sh/decisions`, with the subresource if there is one. */
function changeOf({ verb, objectRef }: AuditEvent): string {
  const { apiGroup = '', resource = '', subresource } = objectRef ?? {};
  return `${verb} ${apiGroup}/${resource}${subresource === undefined ? '' : `/${subresource}`}`;
}

function isRecord({ objectRef: ref }: AuditEvent): boolean {
  const kind = `${ref?.apiGroup ?? ''}/${ref?.resource ?? ''}`;
  if (!RECORDS.has(kind) || !['status', undefined].includes(ref?.subresource)) return false;
  return ref?.resource !== 'leases' || (ref.namespace === NAMESPACE && ref.name === 'berth');
}

/** Who wrote each of its fields. */
function managersOf({ metadata }: Pick<AnyObject, 'metadata'>): readonly string[] {
  const { managedFields = [] } = metadata as {
    readonly managedFields?: readonly { readonly manager: string }[];
  };
  return managedFields.map(({ manager }) => manager);
}

describe('--mode observe beside a Karpenter', () => {
  let berth: BerthCluster;
  let instances: readonly string[];
  let pods: readonly string[];
  let claims: readonly string[];
  let report: Report | undefined;

  beforeAll(async () => {
    berth = await BerthCluster.start({
      level: 'L0',
      chart: { values: { 'settings.mode': 'observe', 'settings.observeInterval': '30s' } },
      controlPlane: { audit: true },
    });
    await applyKarpenterKinds(berth.cluster);
    await givePolicies(berth.cluster);
    await launchNodes(berth, SIZE);
    const world = new RealWorld(berth);
    const scenario = new Scenario(world);
    await scenario.whenApplied(deployment({ name: 'web', replicas: SIZE, requests: { cpu: '300m' } }));
    await world.until('the pods run', async () => (await running()).length === SIZE, 60);
    [instances, pods, claims] = [runningInstances(), await running(), await claimVersions()];
    // Until now it knew of no kinds of Karpenter.
    await berth.berth.terminate();
    await berth.startBerth();
    const saving = async (): Promise<Report | false> => {
      const { stdout } = await berthCommand(['report', '--since', '1h', '-o', 'json'], berth.cluster);
      const found = stdout === '' ? undefined : (JSON.parse(stdout) as Report);
      return found !== undefined && found.now.savingHourly > 0 && found;
    };
    const patience = { timeoutMillis: REPORT_MILLIS, everyMillis: 5000 };
    report = await eventually('a saving is reported', saving, patience);
    await sleep(1000);
  }, 500_000);

  afterAll(async () => {
    await berth.stop();
  });

  function runningInstances(): readonly string[] {
    const up = berth.aws.instances().filter(({ state }) => state === 'running');
    return up.map(({ id }) => id).sort();
  }

  async function running(): Promise<readonly string[]> {
    const { items } = await berth.cluster.api.list(PODS, { namespace: 'default' });
    const up = items.filter(({ status }) => status.phase === 'Running');
    return up.map(({ metadata, spec }) => `${metadata.uid} on ${spec.nodeName ?? ''}`).sort();
  }

  /** Of Karpenter, each as it was last written. */
  async function claimVersions(): Promise<readonly string[]> {
    const { items } = await berth.cluster.api.list(KARPENTER_NODE_CLAIMS);
    return items.map(({ metadata }) => `${metadata.name} ${metadata.resourceVersion}`).sort();
  }

  test('a report compares both sides: the pods of three nodes would be on fewer', () => {
    expect(report).toMatchObject({ system: 'karpenter', now: { currentNodes: SIZE, unpricedNodes: 0 } });
    expect(report?.now.berthNodes).toBeLessThan(SIZE);
    expect(report?.actions.map(({ reason }) => reason)).toContain('Underutilized');
  });

  test('every change that it asked for is one of its own Lease, PolicyStatuses, Decisions and Events', () => {
    const changes = requestsOf(berth.cluster.auditEvents(), ACCOUNT).filter(({ verb }) => !READING.has(verb));
    expect(changes.filter((event) => !isRecord(event)).map(changeOf)).toEqual([]);
    const kinds = new Set(changes.map(({ objectRef }) => objectRef?.resource));
    expect([...kinds].sort()).toEqual(['decisions', 'events', 'leases', 'policystatuses']);
  });

  test('nothing that it asked for was forbidden, and nothing was stopped before it was sent', async () => {
    expect(forbiddenRequests(berth.cluster.auditEvents(), ACCOUNT)).toEqual([]);
    expect(await berth.berth.metric('berth_refused_changes_total')).toBe(0);
  });

  test('instances, nodes, NodeClaims and pods are as they were', async () => {
    expect(runningInstances()).toEqual(instances);
    expect(berth.aws.instances()).toHaveLength(SIZE);
    expect(await running()).toEqual(pods);
    expect(await claimVersions()).toEqual(claims);
    const nodes = (await berth.cluster.api.list(NODES)).items;
    expect(nodes.flatMap(managersOf).filter((manager) => manager.startsWith('berth'))).toEqual([]);
    expect(nodes.filter(({ spec }) => spec.unschedulable === true)).toEqual([]);
  });

  test('Berth has neither NodeClaims nor Reservations, and its Decisions only tell', async () => {
    const { api } = berth.cluster;
    expect((await api.list(NODE_CLAIMS)).items).toEqual([]);
    expect((await api.list(RESERVATIONS)).items).toEqual([]);
    const decisions = (await api.list(DECISIONS)).items.map(({ spec: { action, reason } }) => ({
      action,
      reason,
    }));
    expect(decisions).toContainEqual({ action: 'Observe', reason: 'Observed' });
    expect(decisions.filter(({ action }) => !TELLING.has(action))).toEqual([]);
  });
});
