/** Reads the words after a command's name against its flags, and says what is wrong with them in the user's terms. */
import { parseArgs } from 'node:util';
import type { Arguments, Flag } from './command.js';
import { didYouMean } from './did-you-mean.js';
import { UsageError } from './usage-error.js';

/** Every command answers to it. */
export const HELP_FLAG: Flag = { name: 'help', short: 'h', help: 'show this help' };

interface Shape {
  readonly flags: readonly Flag[];
  readonly maxWords: number;
}

/**
 * Sorts flags from words. A flag's value follows it or stands behind `=`; `--` ends the flags; the last value wins.
 * @throws UsageError naming the first flag that is unknown, lacks its value, or has a value outside its set.
 */
export function parseArguments(argv: readonly string[], shape: Shape): Arguments {
  const { tokens } = parseArgs({
    args: [...argv],
    strict: false,
    tokens: true,
    options: Object.fromEntries(shape.flags.map((flag) => [flag.name, optionOf(flag)])),
  });
  const words: string[] = [];
  const values = new Map<string, string[]>();
  for (const token of tokens) {
    if (token.kind === 'positional') words.push(token.value);
    if (token.kind !== 'option') continue;
    const flag = flagNamed(token.name, token.rawName, shape.flags);
    const value = valueOf(flag, token);
    values.set(flag.name, [...(values.get(flag.name) ?? []), value]);
  }
  if (words.length > shape.maxWords) throw tooManyWords(words, shape);
  return { words, value: (name) => values.get(name)?.at(-1), values: (name) => values.get(name) ?? [] };
}

function optionOf(flag: Flag): {
  readonly type: 'string' | 'boolean';
  readonly short?: string;
  readonly multiple: true;
} {
  const type = flag.value === undefined ? 'boolean' : 'string';
  return { type, multiple: true, ...(flag.short === undefined ? {} : { short: flag.short }) };
}

function flagNamed(name: string, rawName: string, flags: readonly Flag[]): Flag {
  const flag = flags.find((each) => each.name === name);
  if (flag !== undefined) return flag;
  const hint = didYouMean(
    name,
    flags.map((each) => each.name),
    (guess) => `--${guess}`,
  );
  throw new UsageError(`unknown flag ${rawName}${hint}`, { aboutFlags: true });
}

interface OptionToken {
  readonly rawName: string;
  readonly value?: string | undefined;
  readonly inlineValue?: boolean | undefined;
}

function valueOf(flag: Flag, token: OptionToken): string {
  const { rawName } = token;
  if (flag.value === undefined) {
    if (token.value === undefined) return 'true';
    throw new UsageError(`${rawName} takes no value, not ${JSON.stringify(token.value)}`, {
      aboutFlags: true,
    });
  }
  const value = shortEquals(token);
  // Flags do not begin with digits, and numbers may be negative.
  const looksLikeFlag = token.inlineValue !== true && value !== undefined && /^-\D/.test(value);
  if (value === undefined || value === '' || looksLikeFlag) {
    throw new UsageError(`${rawName} needs a value: ${flag.value}`, { aboutFlags: true });
  }
  if (flag.allowed !== undefined && !flag.allowed.includes(value)) {
    const hint = didYouMean(value, flag.allowed);
    const set = flag.allowed.join(', ');
    throw new UsageError(`${rawName} ${value}: expected one of ${set}${hint}`, { aboutFlags: true });
  }
  return value;
}

/** kubectl takes `-o=json` for `-o json`. */
function shortEquals(token: OptionToken): string | undefined {
  const isShort = !token.rawName.startsWith('--') && token.inlineValue === true;
  return isShort && token.value?.startsWith('=') === true ? token.value.slice(1) : token.value;
}

function tooManyWords(words: readonly string[], shape: Shape): UsageError {
  const word = JSON.stringify(words[shape.maxWords]);
  return new UsageError(`${word} is not expected here`, { aboutFlags: true });
}
