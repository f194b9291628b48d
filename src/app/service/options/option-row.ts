/** One row of the table of options. */
import type { Flag } from '../../command/command.js';
import type { ServiceOptions } from './service-options.js';

interface Row<Key extends keyof ServiceOptions> {
  readonly key: Key;
  readonly flag: Flag;
  /** Environment variable that is read when the flag is not given. */
  readonly env: string;
  readonly fallback: string | undefined;
  /** Its value is never printed, and as a flag it is `@FILE` only: other users of a host see command lines. */
  readonly isSecret?: true | undefined;
  /** @throws RangeError saying what is expected. */
  parse(text: string): ServiceOptions[Key];
}

type Rows = { readonly [Key in Exclude<keyof ServiceOptions, 'cloudOptions'>]: Row<Key> };
export type OptionRow = Rows[keyof Rows];

export const YES_NO = ['yes', 'no'];

export function isYes(text: string): boolean {
  return text === 'yes';
}
