/** One examination of `berth doctor`: what there is to look at, and all checks on it. */
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { KubeconfigSource } from '../../adapters/kube/transport/index.js';
import type { SourceText } from '../../apis/documents/document.js';
import { systemClock } from '../../runtime/time/system-clock.js';
import { UsageError } from '../command/usage-error.js';
import { CHECK_GROUPS } from './checks.js';
import type { SchedulerConfiguration } from './doctor-check.js';
import { runChecks, type CheckOutcome } from './run-checks.js';
import { supportFiles } from './support-bundle.js';
import { tarOf, type TarFile } from './tar.js';
import { liveSubject } from './subject/live-subject.js';
import { manifestSubject } from './subject/manifest-subject.js';

export interface Examination {
  /** Berth's own. */
  readonly namespace: string;
  readonly schedulerConfigurations: readonly SchedulerConfiguration[];
  /** Checked instead of a cluster. */
  readonly manifests: readonly SourceText[] | undefined;
  /** undefined: kubectl's order. */
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  /** The file that a support bundle is written to. */
  readonly bundle?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

export async function examine(examination: Examination): Promise<readonly CheckOutcome[]> {
  const { manifests, kubeconfig: file, context, bundle } = examination;
  const clock = systemClock;
  const { signal } = new AbortController();
  if (manifests !== undefined) {
    const subject = manifestSubject({ ...examination, texts: manifests });
    return runChecks(CHECK_GROUPS, subject, { clock, signal });
  }
  const connection = new KubeconfigSource({ clock, file, context });
  const { subject, close } = liveSubject({ ...examination, connection, clock });
  // The clock's timers do not keep a process alive.
  const awake = setInterval(() => undefined, 60_000);
  try {
    const outcomes = await runChecks(CHECK_GROUPS, subject, { clock, signal });
    if (bundle !== undefined) writeBundle(bundle, await supportFiles(subject, outcomes, platform()));
    return outcomes;
  } finally {
    clearInterval(awake);
    close();
  }
}

/** Never over a file that is there. @throws UsageError, when it cannot be written. */
function writeBundle(path: string, files: readonly TarFile[]): void {
  try {
    writeFileSync(path, tarOf(files, systemClock.now() / 1000), { mode: 0o600, flag: 'wx' });
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new UsageError(`--support-bundle ${path}: ${reason}`, { cause });
  }
}

function platform(): string {
  return `Node.js ${process.version}, ${process.platform} ${process.arch}`;
}
