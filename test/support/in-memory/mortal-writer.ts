/** A KubeWriter whose process dies in the middle of its work: no call is answered any more. */
import type { KubeWriter } from '../../../src/ports/kube-writer.js';

export interface MortalWriter {
  readonly kube: KubeWriter;
  /** Resolves when the process is dead. */
  readonly dead: Promise<void>;
  isDead(): boolean;
}

/**
 * The writer of a process that is killed when its `writes`-th request was carried out and before it is answered; with 0,
 * before its first. Only the methods in `counted` count where that is given.
 */
export function mortalWriter(
  kube: KubeWriter,
  writes: number,
  counted?: readonly (keyof KubeWriter)[],
): MortalWriter {
  let left = writes;
  let isDead = writes === 0;
  let die = (): void => undefined;
  const dead = new Promise<void>((resolve) => {
    die = resolve;
  });
  if (isDead) die();
  const proxy = new Proxy(kube, {
    get(target, name): unknown {
      const method = Reflect.get(target, name) as (...args: readonly unknown[]) => Promise<unknown>;
      return async (...args: readonly unknown[]): Promise<unknown> => {
        if (isDead) return forever();
        if (counted === undefined || counted.includes(name as keyof KubeWriter)) left--;
        isDead = left === 0;
        const answer = await method.apply(target, [...args]);
        if (!isDead) return answer;
        die();
        return forever();
      };
    },
  });
  return { kube: proxy, dead, isDead: () => isDead };
}

function forever(): Promise<never> {
  return new Promise(() => undefined);
}
