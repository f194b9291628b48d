/** Whether kubectl would take a command line: its verb, its flags, and the kinds that it names. */
import { parse } from 'yaml';
import { projectFiles, readProjectFile } from '../project-files.js';

/** Verb → its flags; those that end in `=` take a value. */
const VERBS: Readonly<Record<string, readonly string[]>> = {
  annotate: [],
  apply: ['-f=', '-k='],
  create: ['--clusterrole=', '--group=', '--from-file='],
  delete: [],
  describe: [],
  exec: [],
  get: ['-A', '-L=', '-o=', '-l=', '--field-selector='],
  label: [],
  logs: ['--previous'],
  patch: ['--type=', '-p='],
  'port-forward': [],
  scale: ['--replicas='],
};
const EVERYWHERE = ['-n=', '--kubeconfig='];

/** Verbs whose next words are a kind, or kinds with commas, and names. */
const OF_KINDS: readonly string[] = ['annotate', 'delete', 'describe', 'get', 'label', 'patch', 'scale'];

interface Definition {
  readonly spec: {
    readonly group: string;
    readonly names: {
      readonly plural: string;
      readonly singular: string;
      readonly shortNames?: readonly string[];
    };
  };
}

const definitions = projectFiles()
  .filter((path) => /^manifests\/crds\/[\w-]+\.yaml$/.test(path) && !path.endsWith('/kustomization.yaml'))
  .map((path) => parse(readProjectFile(path)) as Definition);

/** Berth's kinds, under every name that kubectl knows; those of Kubernetes and Karpenter that the documents speak of. */
const KINDS: ReadonlySet<string> = new Set([
  ...definitions.flatMap(({ spec: { names } }) => [
    names.plural,
    names.singular,
    ...(names.shortNames ?? []),
  ]),
  ...['configmap', 'crd', 'deploy', 'deployment', 'events', 'namespace', 'node', 'nodes', 'pod', 'pods'],
  ...['secret', 'nodepools', ...definitionNames()],
]);

/** Objects of the kind crd. */
function definitionNames(): readonly string[] {
  return definitions.map(({ spec: { group, names } }) => `${names.plural}.${group}`);
}

/** What kubectl would not take; empty when it takes the command. */
export function kubectlMistakes(words: readonly string[]): readonly string[] {
  const { bare, flags } = sorted(words);
  const [verb = '', kinds = ''] = bare;
  const known = VERBS[verb];
  if (known === undefined) return [`no verb ${verb}`];
  const taken = [...known, ...EVERYWHERE].map((flag) => flag.replace('=', ''));
  const unknownFlags = flags
    .filter((flag) => !taken.includes(flag))
    .map((flag) => `${verb} has no flag ${flag}`);
  const named = OF_KINDS.includes(verb) && kinds !== '' ? kinds.split(',') : [];
  const unknownKinds = named.filter((kind) => !KINDS.has(kind)).map((kind) => `no kind ${kind}`);
  const names = kinds === 'crd' ? bare.slice(2) : [];
  const missing = names
    .filter((name) => !definitionNames().includes(name))
    .map((name) => `no definition ${name}`);
  return [...unknownFlags, ...unknownKinds, ...missing];
}

/** Words behind `--` are a program's in a pod. */
function sorted(words: readonly string[]): {
  readonly bare: readonly string[];
  readonly flags: readonly string[];
} {
  const valued = [...Object.values(VERBS).flat(), ...EVERYWHERE].filter((flag) => flag.endsWith('='));
  const end = words.indexOf('--');
  const own = end < 0 ? words : words.slice(0, end);
  const bare: string[] = [];
  const flags: string[] = [];
  for (const [index, word] of own.entries()) {
    if (word.startsWith('-') && word !== '-') flags.push(word.split('=')[0] ?? '');
    else if (!valued.includes(`${own[index - 1] ?? ''}=`)) bare.push(word);
  }
  return { bare, flags };
}
