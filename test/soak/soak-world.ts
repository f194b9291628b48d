/** An embedded world with Berth as a process beside it, on ports and in a folder of its own, for one round of a soak test. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../src/ports/clock.js';
import { KubeClient, KubeconfigSource } from '../../src/adapters/kube/transport/index.js';
import { BerthProcess } from '../../world/demo/berth-process.js';
import { berthArguments } from '../../world/demo/berth-arguments.js';
import { PREFERRED_PORTS, type DemoAddresses } from '../../world/demo/embedded/demo-addresses.js';
import {
  startEmbeddedWorld,
  type EmbeddedWorld,
  type EmbeddedWorldOptions,
} from '../../world/demo/embedded/embedded-world.js';
import { kubeconfigText } from '../../world/demo/embedded/kubeconfig-text.js';
import { KubeObjects, type KubeManifest } from '../../world/demo/manifests/kube-objects.js';
import { ownManifests } from '../../world/demo/manifests/manifest-set.js';
import { NODE_FILES } from '../../src/app/process-io.js';
import { systemClock } from '../../src/runtime/time/system-clock.js';
import { WorldTime } from '../../world/clock/world-time.js';
import { freePorts } from '../controlplane/fixture/process/free-port.js';

const ROOT = join(import.meta.dirname, '../..');
const SPEED = 14;
/** Longer than a round takes. */
const BEGAN_MILLIS_AGO = 24 * 3600 * 1000;
const LOOK_MILLIS = 500;

export interface SoakWorld {
  readonly world: EmbeddedWorld;
  readonly clock: Clock;
  readonly berth: BerthProcess;
  apply(manifests: readonly KubeManifest[]): Promise<void>;
  /** @throws Error naming what was waited for. */
  until(what: string, seconds: number, look: () => boolean | Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

export interface SoakOptions {
  readonly seed: number;
  /** As of the embedded world; told of Berth's process, to kill it. */
  readonly around?: (berth: () => BerthProcess) => NonNullable<EmbeddedWorldOptions['around']>;
}

/** Resolves when Berth's manifests are applied and Berth leads. */
export async function startSoakWorld({ seed, around }: SoakOptions): Promise<SoakWorld> {
  const directory = mkdtempSync(join(tmpdir(), 'berth-soak-'));
  const start = systemClock.now() - BEGAN_MILLIS_AGO;
  const time = new WorldTime({ wall: systemClock, start, speed: SPEED });
  const { clock } = time;
  const addresses = await freeAddresses();
  // The world is asked by nobody before Berth runs, so that there is one by then.
  const running = (): BerthProcess => berth;
  const world = await startEmbeddedWorld({
    time,
    seed,
    addresses,
    around: around?.(running),
  });
  const kubeconfig = join(directory, 'kubeconfig');
  writeFileSync(kubeconfig, kubeconfigText(world.kubernetesURL), { mode: 0o600 });
  const { kubernetesURL, awsURL } = world;
  const berth = new BerthProcess({
    program: join(ROOT, 'dist/berth.js'),
    args: berthArguments({ addresses, kubeconfig, awsURL }),
    logFile: process.env['SOAK_LOG'] ?? join(directory, 'berth.log'),
    clock,
    wall: systemClock,
    started: (ended) => {
      void time.awaitFollower('Berth to start', ended);
    },
    ended: () => undefined,
  });
  const connection = new KubeconfigSource({ clock, file: kubeconfig, context: undefined });
  const client = new KubeClient({ connection, clock, userAgent: 'soak', qps: 200, burst: 400 });
  const objects = new KubeObjects(client);
  const soak: SoakWorld = {
    world,
    clock,
    berth,
    apply: async (manifests) => {
      for (const manifest of manifests) await objects.apply(manifest, AbortSignal.timeout(60_000));
    },
    until: (what, seconds, look) => until(clock, { what, seconds, look }),
    close: async () => {
      await berth.stop();
      client.close();
      await world.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await soak.apply(ownManifests(join(ROOT, 'manifests'), NODE_FILES));
  berth.start();
  await soak.until(`Berth leads the cluster at ${kubernetesURL}`, 600, () => isLed(world));
  return soak;
}

/** Of one world among several that start at the same time, which would all find the usual ports free. */
async function freeAddresses(): Promise<DemoAddresses> {
  const names = Object.keys(PREFERRED_PORTS);
  const ports = await freePorts(names.length);
  return Object.fromEntries(
    names.map((name, index) => [name, { host: '127.0.0.1', port: ports[index] }]),
  ) as DemoAddresses;
}

function isLed({ api }: EmbeddedWorld): boolean {
  const lease = api.get('leases.coordination.k8s.io', { namespace: 'berth-system', name: 'berth' });
  const spec = lease?.['spec'] as { readonly holderIdentity?: string } | undefined;
  return (spec?.holderIdentity ?? '') !== '';
}

interface Awaited {
  readonly what: string;
  readonly seconds: number;
  readonly look: () => boolean | Promise<boolean>;
}

async function until(clock: Clock, { what, seconds, look }: Awaited): Promise<void> {
  const end = clock.monotonic() + seconds * 1000;
  while (!(await look())) {
    if (clock.monotonic() > end)
      throw new Error(`not within ${String(seconds)} s of the world's time: ${what}`);
    await clock.sleep(LOOK_MILLIS);
  }
}
