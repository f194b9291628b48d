/** The flag `-f` of commands that read manifests. */
import type { SourceText } from '../../apis/documents/document.js';
import type { Arguments, Flag } from '../command/command.js';
import type { CliIo } from '../command/cli-io.js';
import { UsageError } from '../command/usage-error.js';
import { readSources } from './read-sources.js';

export const FILENAME_FLAG: Flag = {
  name: 'filename',
  short: 'f',
  value: 'FILE|DIR|-',
  repeated: true,
  help: 'manifests: files, directories or standard input; may be repeated',
};

/** Further files may follow as words, as a shell writes them for `-f *.yaml`. */
export const MOST_FILES = Infinity;

/**
 * The texts that `-f` and the words behind it name.
 * @throws UsageError when none is named or one cannot be read.
 */
export function manifestTexts(args: Arguments, io: CliIo): readonly SourceText[] {
  const paths = [...args.values(FILENAME_FLAG.name), ...args.words];
  if (paths.length === 0) {
    throw new UsageError('no manifests: pass them with -f FILE|DIR|-', { aboutFlags: true });
  }
  return readSources(paths, io.files);
}
