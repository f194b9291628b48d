/** Keeps a replica that no longer leads from changing anything. */
import { PortError } from '../../ports/port-error.js';

/** An object all of whose methods answer later. */
export type Asynchronous<T> = {
  readonly [K in keyof T]: T[K] extends (...args: never[]) => unknown
    ? (...args: never[]) => Promise<unknown>
    : T[K];
};

/**
 * The same port, with a question before each call: a call while `isOpen` says no is not made, and fails with PortError
 * Cancelled. Code that waited must not go on to write what was decided before the lead was lost.
 */
export function fenced<T extends Asynchronous<T>>(port: T, isOpen: () => boolean): T {
  return new Proxy(port, {
    get: (target, property) => {
      const member: unknown = Reflect.get(target, property, target);
      if (typeof member !== 'function') return member;
      return (...args: unknown[]): unknown =>
        isOpen() ? (Reflect.apply(member, target, args) as unknown) : Promise.reject(closed(property));
    },
  });
}

/** The same question for a request that has waited for its turn. @throws PortError Cancelled, while `isOpen` says no. */
export function checkFence(isOpen: () => boolean, operation: string): void {
  if (!isOpen()) throw closed(operation);
}

function closed(method: string | symbol): PortError {
  return new PortError('Cancelled', {
    operation: String(method),
    message: 'this replica no longer holds the Lease',
  });
}
