/** The second stage: less is asked for, and what is not needed any more goes, or is replaced by something smaller. */
import { usdPerHour } from '../../../src/domain/values/text.js';
import { hourlyPrice, isCalm, liveClaims, livePods } from './cluster-view.js';
import { finding, type Finding, type Stage, type StageContext } from './stage.js';

/** Two workloads go, one shrinks; see the manifests of the same names. */
const SCALED = [
  { namespace: 'example-inflate-arm', name: 'inflate-arm', replicas: 0, pool: 'inflate-arm' },
  { namespace: 'example-minimal-m5', name: 'web', replicas: 0, pool: 'minimal-m5' },
  { namespace: 'example-flexible', name: 'api', replicas: 3, pool: 'flexible' },
] as const;

/** consolidateAfter is a minute in the example that waits longest, and replacements have to boot. */
const MOST_SECONDS = 600;
/** Nothing may happen for so long before the cluster counts as settled. */
const CALM_SECONDS = 90;

export const SCALE_DOWN: Stage = {
  name: 'shrink',
  announcement: SCALED.map(({ name, replicas }) => `${name} is scaled to ${String(replicas)}`).join(', '),
  run,
};

async function run(context: StageContext): Promise<readonly Finding[]> {
  const { cluster, objects } = context;
  const before = hourlyPrice(cluster);
  const flexibleBefore = priceOfPool(context, 'flexible');
  for (const { namespace, name, replicas } of SCALED)
    await objects.scale(
      { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { namespace, name } },
      replicas,
    );
  const isEmpty = (pool: string): boolean => instancesOf(context, pool) === 0;
  const isSmaller = (): boolean => priceOfPool(context, 'flexible') < flexibleBefore;
  await context.until(MOST_SECONDS, () => isEmpty('inflate-arm') && isEmpty('minimal-m5') && isSmaller());
  let calmSince = context.clock.monotonic();
  await context.until(MOST_SECONDS, () => {
    if (!isCalm(cluster)) calmSince = context.clock.monotonic();
    return context.clock.monotonic() - calmSince > CALM_SECONDS * 1000;
  });
  const left = livePods(cluster).filter(({ namespace }) => namespace === 'example-flexible');
  const after = hourlyPrice(cluster);
  return [
    finding('nodes of NodePool inflate-arm', 0, instancesOf(context, 'inflate-arm')),
    finding('nodes of NodePool minimal-m5', 0, instancesOf(context, 'minimal-m5')),
    finding('pods of api bound', 3, left.filter(({ nodeName }) => nodeName !== undefined).length),
    {
      what: 'price of NodePool flexible',
      expected: `less than ${usdPerHour(flexibleBefore)}`,
      seen: usdPerHour(priceOfPool(context, 'flexible')),
      isMet: isSmaller(),
    },
    {
      what: 'price of the cluster',
      expected: `less than ${usdPerHour(before)}`,
      seen: usdPerHour(after),
      isMet: after < before,
    },
  ];
}

function instancesOf({ cluster }: StageContext, pool: string): number {
  return [...cluster.nodeClaims.values()].filter(({ spec }) => spec.nodePool === pool).length;
}

function priceOfPool({ cluster }: StageContext, pool: string): number {
  return liveClaims(cluster)
    .filter(({ spec }) => spec.nodePool === pool)
    .reduce((sum, { status }) => sum + (status.hourlyPrice ?? 0), 0);
}
