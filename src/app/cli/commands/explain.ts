/** `berth explain FIELD`: what a field of a policy means. `berth explain KIND NAME`: the story of an object of a cluster. */
import '../../clouds.js';
import {
  explainField,
  type FieldExplanation,
  type FieldSummary,
  type UnknownField,
} from '../../../apis/schema/explain-field.js';
import { nodeClassCodecs } from '../../../apis/node-class/node-class-codecs.js';
import type { ObservedKind } from '../../../ports/cluster-feed.js';
import type { Cluster } from '../../../state/cluster/cluster.js';
import { STORY_KINDS, type StoryKind, type StoryRef } from '../../../state/story/story.js';
import { tellStory } from '../../../state/story/tell-story.js';
import type { ReadCluster } from '../../cluster-reader.js';
import type { CliIo } from '../../command/cli-io.js';
import { CLUSTER_FLAGS, lookAtCluster, readRealCluster } from '../cluster-flags.js';
import type { Arguments, Command } from '../../command/command.js';
import { didYouMean } from '../../command/did-you-mean.js';
import { EXIT_ERROR, EXIT_OK } from '../../command/exit-codes.js';
import { OUTPUT_FLAG, outputOf } from '../../command/output-format.js';
import { jsonText, yamlText } from '../render/document-text.js';
import { storyText } from '../render/story-text.js';
import { type Terminal, terminalOf } from '../render/text/terminal.js';
import { UsageError } from '../../command/usage-error.js';
import { indent, tableLines } from '../render/text/table.js';
import { wrap } from '../render/text/wrap.js';

/** The command; `read` looks at a cluster. */
export function explainCommand(read: ReadCluster): Command {
  return {
    usage: 'KIND[.FIELD…] | KIND NAME [-n NAMESPACE] [-o table|json|yaml]',
    maxWords: 2,
    flags: [
      { name: 'namespace', short: 'n', value: 'NAME', help: "the pod's namespace (default: default)" },
      ...CLUSTER_FLAGS,
      OUTPUT_FLAG,
    ],
    details: [
      'KIND NAME reads the cluster: pod, node, nodeclaim, nodepool, ec2nodeclass, nodeoverlay, poddefaults, policy, decision.',
      'Example: berth explain nodepool.spec.disruption.budgets',
      'Example: berth explain pod web-0 -n shop',
    ],
    run: (args, io) => (args.words.length < 2 ? explainPath(args, io) : explainObject(args, io, read)),
  };
}

export const EXPLAIN = explainCommand(readRealCluster);

function explainPath(args: Arguments, io: CliIo): number {
  const [path] = args.words;
  if (path === undefined)
    throw new UsageError('expected a field, KIND[.FIELD…], or an object, KIND NAME', {
      aboutFlags: true,
    });
  const explanation = explainField(path);
  if (!explanation.found) {
    const kind = knownKind(path);
    const where = kind === 'Pod' ? ' -n NAMESPACE' : '';
    throw new UsageError(
      kind === undefined
        ? unknownText(explanation)
        : `${path} needs a name: berth explain ${path} NAME${where}`,
    );
  }
  // What is undefined is not printed.
  const document = { ...explanation, found: undefined };
  write(args, io, { document, text: () => explanationText(explanation, terminalOf(io)) });
  return EXIT_OK;
}

const KINDS: readonly ObservedKind[] = [
  'Pod',
  'Node',
  'NodeClaim',
  'Reservation',
  'PolicyStatus',
  'Decision',
];

async function explainObject(args: Arguments, io: CliIo, read: ReadCluster): Promise<number> {
  const [word = '', name = ''] = args.words;
  const kind = kindOf(word);
  const seen = await lookAtCluster(read, { args, io, command: 'explain', kinds: KINDS });
  if (seen === undefined) return EXIT_ERROR;
  const namespace = kind === 'Pod' ? (args.value('namespace') ?? 'default') : '';
  const ref = kind === 'policy' ? policyRef(seen.cluster, name) : { kind, namespace, name };
  const story = ref && tellStory(seen.cluster, ref, seen.now);
  if (story === undefined) {
    const full = namespace === '' ? name : `${namespace}/${name}`;
    io.stderr.write(`berth explain: ${kind} ${full} not found, and there is no Decision about it\n`);
    return EXIT_ERROR;
  }
  write(args, io, { document: story, text: () => storyText(story, terminalOf(io)) });
  return EXIT_OK;
}

const SHORT: Readonly<Record<string, StoryKind | 'policy'>> = {
  po: 'Pod',
  no: 'Node',
  bnc: 'NodeClaim',
  bdec: 'Decision',
  bpol: 'policy',
  policies: 'policy',
};

/** Kinds that are found in a cluster. */
function storyKinds(): readonly (StoryKind | 'policy')[] {
  return [...STORY_KINDS, ...nodeClassCodecs().map(({ kind }) => kind), 'policy'];
}

/** Kinds are found in lower case, in the plural, and by kubectl's short names. */
function knownKind(word: string): StoryKind | 'policy' | undefined {
  const lower = word.toLowerCase();
  const forms = [lower, `${lower}s`, lower.replace(/s$/, '')];
  return SHORT[lower] ?? storyKinds().find((kind) => forms.includes(kind.toLowerCase()));
}

function kindOf(word: string): StoryKind | 'policy' {
  const known = knownKind(word);
  if (known !== undefined) return known;
  const names = storyKinds().map((kind) => kind.toLowerCase());
  throw new UsageError(
    `${word}: expected one of ${names.join(', ')}${didYouMean(word.toLowerCase(), names)}`,
    { aboutFlags: true },
  );
}

/** By its own name, whatever its kind, or by that of its PolicyStatus. */
function policyRef(cluster: Cluster, name: string): StoryRef | undefined {
  const known = cluster.policyStatuses.get(name);
  if (known !== undefined) return { kind: known.kind, namespace: '', name: known.policy };
  const named = [...cluster.policyStatuses.values()].find(({ policy }) => policy === name);
  return named && { kind: named.kind, namespace: '', name };
}

interface Written {
  readonly document: unknown;
  readonly text: () => string;
}

function write(args: Arguments, io: CliIo, { document, text }: Written): void {
  switch (outputOf(args)) {
    case 'json':
      io.stdout.write(jsonText(document));
      break;
    case 'yaml':
      io.stdout.write(yamlText(document));
      break;
    case 'table':
      io.stdout.write(text());
      break;
  }
}

function unknownText({ message, guess, allowed }: UnknownField): string {
  const hint = guess === undefined ? '' : `; did you mean ${guess}?`;
  return `${message}${hint}${allowed.length === 0 ? '' : ` (known: ${allowed.join(', ')})`}`;
}

// A field's explanation for people, much as kubectl explain lays it out.

const WIDTH = 100;

/** Path, type and bounds, meaning, and what lies directly below. */
function explanationText(field: FieldExplanation, { style }: Terminal): string {
  const facts = [
    ['FIELD', `${style.bold(field.path)}  <${field.type}>${field.required ? '  required' : ''}`],
    ['VERSION', field.apiVersion],
    ...limitsOf(field),
  ];
  const meaning = field.description === '' ? [] : ['', ...wrap(field.description, WIDTH)];
  const below = field.children.length === 0 ? [] : ['', style.bold('FIELDS'), ...childLines(field.children)];
  return `${[...tableLines(NO_HEADERS, facts).slice(1), ...meaning, ...below].join('\n')}\n`;
}

const NO_HEADERS = [{ header: '' }, { header: '' }];

function limitsOf(field: FieldSummary | FieldExplanation): readonly (readonly string[])[] {
  return [
    ...(field.default === undefined ? [] : [['DEFAULT', JSON.stringify(field.default)]]),
    ...(field.allowed.length === 0 ? [] : [['ALLOWED', field.allowed.join(', ')]]),
    ...(field.bounds === '' ? [] : [['BOUNDS', field.bounds]]),
  ];
}

function childLines(children: readonly FieldSummary[]): readonly string[] {
  return children.flatMap((child) => {
    const words = [`<${child.type}>`, ...(child.required ? ['required'] : [])];
    const limits = limitsOf(child).map(([name = '', value = '']) => `${name.toLowerCase()}: ${value}`);
    return [
      ...indent([`${child.name}  ${[...words, ...limits].join('  ')}`], 2),
      ...indent(wrap(child.description, WIDTH - 6), 6),
    ];
  });
}
