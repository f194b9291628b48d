/** A process that one case starts, and that ends with it: it is in the case's process group, which the starter of the case kills. */
import { fork, spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

const END_MILLIS = 10_000;

export function isRunning({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode === null && signalCode === null;
}

export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return spawn(command, args, options);
}

/** This program in another role, with a channel. */
export function startRole(program: string, role: string, request: object): ChildProcess {
  return fork(program, [role, JSON.stringify(request)], { serialization: 'advanced' });
}

/** Sends an order and resolves with the next message. @throws Error when the process ends first. */
export async function ask<Reply>(child: ChildProcess, order: string | object): Promise<Reply> {
  child.send(order);
  return heard<Reply>(child);
}

/** @throws Error when the process ends without a message. */
export async function heard<Reply>(child: ChildProcess): Promise<Reply> {
  const done = new AbortController();
  const end = once(child, 'exit', { signal: done.signal }).then(
    () => {
      throw new Error('a process of the bench ended without an answer');
    },
    () => undefined,
  );
  const [message] = (await Promise.race([once(child, 'message'), end])) as [Reply];
  done.abort();
  return message;
}

/** Resolves when it has ended, by SIGKILL if it does not end soon. */
export async function stop(child: ChildProcess): Promise<void> {
  if (!isRunning(child)) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const late = new AbortController();
  const killing = sleep(END_MILLIS, undefined, { signal: late.signal }).then(
    () => child.kill('SIGKILL'),
    () => undefined,
  );
  await ended;
  late.abort();
  await killing;
}
