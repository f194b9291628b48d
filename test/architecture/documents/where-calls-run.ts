/** Where each documented call is run: without a cluster (beside this file), on a control plane (test/controlplane), or, for a reason, not. */
import { argumentsOfBerth, type ProgramCall } from './program-calls.js';

interface LeftOut {
  readonly reason: string;
  readonly matches: (words: readonly string[]) => boolean;
}

/** What is read, and looked at by other-commands.test.ts, but not run. */
export const LEFT_OUT: readonly LeftOut[] = [
  { reason: 'needs an AWS account', matches: ([program]) => program === 'aws' },
  {
    reason: 'builds an image, which needs a container runtime',
    matches: ([program, target]) => program === 'make' && target === 'image',
  },
  {
    reason: 'is a run of minutes or hours, which CI starts as a job of its own, or a maintainer does',
    matches: ([program, target]) => program === 'make' && target !== 'image',
  },
  {
    reason: 'needs a kubelet that runs containers',
    matches: ([program, ...rest]) =>
      program === 'kubectl' && rest.some((word) => ['exec', 'logs', 'port-forward'].includes(word)),
  },
];

export type Place = 'offline' | 'cluster' | LeftOut;

/** A call that is neither left out nor run without a cluster has to run on one. */
export function whereItRuns(call: ProgramCall): Place {
  const leftOut = LEFT_OUT.find(({ matches }) => matches(call.words));
  if (leftOut !== undefined) return leftOut;
  return call.words[0] === 'sed' || offlineArguments(call) !== undefined ? 'offline' : 'cluster';
}

/** Commands that read manifests when they are told which. */
const OF_MANIFESTS: readonly string[] = ['plan', 'validate', 'windows', 'convert', 'doctor'];

/** Berth's arguments of a call that needs no cluster, with what a sentence leaves out; undefined for every other call. */
export function offlineArguments(call: ProgramCall): readonly string[] | undefined {
  const words = argumentsOfBerth(call.words);
  if (words === undefined || words.length === 0) return undefined;
  if (onlyNames(call)) return [...words, '--help'];
  if (words[0] === 'plan' && !words.includes('-f')) return [...words, ...SOME_MANIFESTS];
  return needsNoCluster(words) ? words : undefined;
}

const SOME_MANIFESTS: readonly string[] = [
  ...['-f', 'manifests/examples/shared'],
  ...['-f', 'manifests/examples/gpu'],
];

function needsNoCluster(words: readonly string[]): boolean {
  const [name = '', first = ''] = words;
  if (words.includes('--help')) return true;
  if (OF_MANIFESTS.includes(name)) return words.includes('-f');
  if (name === 'explain') return words.length === 2 && first.includes('.');
  return ['catalog', 'completion'].includes(name) && words.length > 1;
}

/** Whether a sentence speaks of a command without what its calls need: `kubectl get`, `berth approve`. */
export function onlyNames({ words, inSentence }: ProgramCall): boolean {
  const rest = argumentsOfBerth(words) ?? words.slice(1);
  return inSentence && rest.length <= 1;
}
