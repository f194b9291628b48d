/** Client tokens that were used: the same call again gives the same instances, another call with the same token is refused. */
import type { LaunchCall, LaunchFailure } from '../../../src/ports/cloud.js';
import { PortError } from '../../../src/ports/port-error.js';

export interface LaunchedBefore {
  readonly ids: readonly string[];
  readonly failures: readonly LaunchFailure[];
}

export class TokenLedger {
  readonly #calls = new Map<string, { readonly call: string; readonly launched: LaunchedBefore }>();

  /** What this very call gave before. @throws PortError TokenMismatch, when the token came with another one. */
  find(call: LaunchCall): LaunchedBefore | undefined {
    const known = this.#calls.get(call.token);
    if (known === undefined || known.call === canonicalText(call)) return known?.launched;
    throw new PortError('TokenMismatch', {
      operation: 'launch',
      message: `the client token ${call.token} was used with other parameters (IdempotentParameterMismatch)`,
    });
  }

  keep(call: LaunchCall, launched: LaunchedBefore): void {
    this.#calls.set(call.token, { call: canonicalText(call), launched });
  }
}

/** JSON with the keys of objects and maps sorted, so that equal values give equal texts. */
export function canonicalText(value: unknown): string {
  return JSON.stringify(value, (_key, part: unknown) => {
    if (part instanceof Map) return sorted([...(part as ReadonlyMap<string, unknown>)]);
    if (part instanceof Set) return [...(part as ReadonlySet<unknown>)];
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(sorted(Object.entries(part)));
  });
}

function sorted(entries: readonly [string, unknown][]): readonly [string, unknown][] {
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
}
