/** The ports of a process that is killed at its n-th call: before the call is carried out, or after it and before its answer. */
import type { Cloud } from '../../../src/ports/cloud.js';
import type { KubeWriter } from '../../../src/ports/kube-writer.js';

export interface Death {
  /** Counted from 1, over writes to Kubernetes and calls of the cloud together. */
  readonly atCall: number;
  readonly when: 'before' | 'after';
}

export interface MortalPorts {
  readonly kube: KubeWriter;
  readonly cloud: Cloud;
  isDead(): boolean;
  /** What was called so far, the last one being the one that killed it. */
  readonly calls: readonly string[];
}

/** Ports over these; without a death they only count. */
export function mortalPorts(
  { kube, cloud }: { readonly kube: KubeWriter; readonly cloud: Cloud },
  death: Death | undefined,
): MortalPorts {
  const calls: string[] = [];
  let isDead = false;
  function mortal<T extends object>(port: T): T {
    return new Proxy(port, {
      get(target, name): unknown {
        const method = Reflect.get(target, name) as (...args: readonly unknown[]) => Promise<unknown>;
        return async (...args: readonly unknown[]): Promise<unknown> => {
          if (isDead) return forever();
          calls.push(String(name));
          const isLast = calls.length === death?.atCall;
          isDead = isLast;
          if (isLast && death.when === 'before') return forever();
          const answer = await method.apply(target, [...args]);
          return isLast ? forever() : answer;
        };
      },
    });
  }
  return { kube: mortal(kube), cloud: mortal(cloud), isDead: () => isDead, calls };
}

function forever(): Promise<never> {
  return new Promise(() => undefined);
}
