/** Client tokens that were used: the same call again gives the same machines, another call with the same token is refused. */
import type { LaunchCall, LaunchFailure } from '../../../src/ports/cloud.js';
import { PortError } from '../../../src/ports/port-error.js';
import { encodeWire } from '../../../src/simulator/memory-cloud/wire-json.js';

export interface LaunchedBefore {
  readonly ids: readonly string[];
  readonly failures: readonly LaunchFailure[];
}

export class TokenLedger {
  readonly #calls = new Map<string, { readonly call: string; readonly launched: LaunchedBefore }>();

  /** What this very call gave before. @throws PortError TokenMismatch, when the token came with another one. */
  find(call: LaunchCall): LaunchedBefore | undefined {
    const known = this.#calls.get(call.token);
    if (known === undefined || known.call === encodeWire(call)) return known?.launched;
    throw new PortError('TokenMismatch', {
      operation: 'launch',
      message: `the client token ${call.token} was used with other parameters (IdempotentParameterMismatch)`,
    });
  }

  keep(call: LaunchCall, launched: LaunchedBefore): void {
    this.#calls.set(call.token, { call: encodeWire(call), launched });
  }
}
