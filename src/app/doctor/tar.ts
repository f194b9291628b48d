/** A tar archive (POSIX ustar) of small texts, for `--support-bundle`. */

const BLOCK = 512;
/** rw-------: the user who asks decides who else reads it. */
const MODE = 0o600;

export interface TarFile {
  /** At most 100 bytes of ASCII. */
  readonly name: string;
  readonly text: string;
}

/** @param seconds since 1970, as the time of all files. */
export function tarOf(files: readonly TarFile[], seconds: number): Buffer {
  const blocks = files.flatMap(({ name, text }) => {
    const body = Buffer.from(text);
    return [header(name, body.length, seconds), body, Buffer.alloc((BLOCK - (body.length % BLOCK)) % BLOCK)];
  });
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

/** Field by field: name, mode, owner, group, size, time, sum, type, link, magic; numbers in octal. */
function header(name: string, size: number, seconds: number): Buffer {
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  block.write(name, 0, 100, 'latin1');
  block.write(octal(MODE, 7), 100);
  block.write(octal(0, 7), 108);
  block.write(octal(0, 7), 116);
  block.write(octal(size, 11), 124);
  block.write(octal(Math.floor(seconds), 11), 136);
  // The sum counts itself as blanks.
  block.write('        ', 148);
  block.write('0', 156);
  block.write('ustar\u{0}00', 257, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\u{0} `, 148, 'latin1');
  return block;
}
