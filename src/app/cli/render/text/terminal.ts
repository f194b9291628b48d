/** What the terminal behind stdout can show, from what it is and what the environment says. */
import type { CliIo } from '../../../command/cli-io.js';
import { ASCII_GLYPHS, UNICODE_GLYPHS, type Glyphs } from './glyphs.js';
import { styleOf, type Style } from './style.js';

export interface Terminal {
  readonly style: Style;
  readonly glyphs: Glyphs;
}

/**
 * Colours and block characters only on a TTY, never with NO_COLOR (no-color.org: any value but empty) or TERM=dumb;
 * block characters need a UTF-8 locale too. What goes into files and pipes is plain ASCII.
 */
export function terminalOf(io: Pick<CliIo, 'stdout' | 'env'>): Terminal {
  const rich = io.stdout.isTTY && (io.env['NO_COLOR'] ?? '') === '' && io.env['TERM'] !== 'dumb';
  return { style: styleOf(rich), glyphs: rich && isUtf8(io.env) ? UNICODE_GLYPHS : ASCII_GLYPHS };
}

/** POSIX: the first of LC_ALL, LC_CTYPE and LANG that is set and not empty decides. */
function isUtf8(env: CliIo['env']): boolean {
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(
    (value) => value !== undefined && value !== '',
  );
  return locale !== undefined && /utf-?8/i.test(locale);
}
