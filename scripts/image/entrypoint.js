/** How the image starts Node: the Dockerfile says it, for every way in which the image is built or measured. */
import { readFileSync } from 'node:fs';

/**
 * @param {string | URL} file the Dockerfile
 * @returns {readonly string[]} the words of its ENTRYPOINT: Node, its flags, and the program
 * @throws {Error} when it has none in JSON
 */
export function imageEntrypoint(file) {
  const [, words] = /^ENTRYPOINT (\[.*\])$/m.exec(readFileSync(file, 'utf8')) ?? [];
  if (words === undefined) throw new Error(`${String(file)} has no ENTRYPOINT of the form ["word", ...]`);
  return JSON.parse(words);
}
