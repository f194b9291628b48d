/** The examples under manifests/examples, as texts. */
import { projectFiles, readProjectFile } from '../architecture/project-files.js';

export const EXAMPLES = 'manifests/examples';
/** The folder with the EC2NodeClass that all examples refer to. */
export const SHARED = 'shared';

const paths = projectFiles().filter((path) => path.startsWith(`${EXAMPLES}/`) && path.endsWith('.yaml'));

/** Names of the examples: the folders but the shared one. */
export const EXAMPLE_NAMES: readonly string[] = [
  ...new Set(paths.map((path) => path.split('/')[2] ?? '')),
].filter((name) => name !== SHARED);

/** Path → text of all files of these folders. */
export function exampleFiles(folders: readonly string[]): Readonly<Record<string, string>> {
  const wanted = paths.filter((path) => folders.includes(path.split('/')[2] ?? ''));
  return Object.fromEntries(wanted.map((path) => [path, readProjectFile(path)]));
}
