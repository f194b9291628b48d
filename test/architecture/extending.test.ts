/** The recipes of CONTRIBUTING.md: each is followed in a copy of the sources, and the copy is built and run. */
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { projectRoot } from './project-files.js';

/** Building takes seconds on a busy computer. */
const PATIENCE = 60_000;
const REQUIRE =
  "import { createRequire as planted } from 'node:module'; const require = planted(import.meta.url);";

/** A copy of the sources that counts the files that are written in it. */
class PlantedSources {
  readonly root = mkdtempSync(join(tmpdir(), 'berth-'));
  readonly written = new Set<string>();

  constructor() {
    cpSync(join(projectRoot, 'src'), join(this.root, 'src'), { recursive: true });
    cpSync(join(projectRoot, 'package.json'), join(this.root, 'package.json'));
    symlinkSync(join(projectRoot, 'node_modules'), join(this.root, 'node_modules'));
  }

  write(path: string, text: string): void {
    this.written.add(path);
    mkdirSync(dirname(join(this.root, path)), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** Puts a text in front of the only place where another stands. */
  insert(path: string, before: string, text: string): void {
    const parts = readFileSync(join(this.root, path), 'utf8').split(before);
    if (parts.length !== 2) throw new Error(`${path} has ${String(parts.length - 1)} times ${before}`);
    this.write(path, parts.join(`${text}${before}`));
  }

  /** Builds an entry and answers what it prints. */
  run(entry: string, argv: readonly string[]): string {
    const outdir = join(this.root, 'out');
    execFileSync(
      join(projectRoot, 'node_modules/.bin/esbuild'),
      [
        ...[join(this.root, entry), `--outdir=${outdir}`, '--bundle', '--splitting', '--format=esm'],
        ...['--platform=node', '--main-fields=module,main', `--banner:js=${REQUIRE}`],
        ...['--entry-names=program', '--log-level=error'],
      ],
      { cwd: this.root },
    );
    return execFileSync(process.execPath, [join(outdir, 'program.js'), ...argv], { encoding: 'utf8' });
  }

  remove(): void {
    rmSync(this.root, { recursive: true });
  }
}

describe('an addition', () => {
  let sources: PlantedSources;
  beforeEach(() => {
    sources = new PlantedSources();
  });
  afterEach(() => {
    sources.remove();
  });

  test(
    'of a command takes two files, and help lists it',
    () => {
      sources.write(
        'src/app/cli/commands/greet.ts',
        `import type { Command } from '../../command/command.js';
export const GREET: Command = {
  usage: 'NAME', maxWords: 1, flags: [], details: [],
  run: (args, io) => { io.stdout.write(\`hello \${args.words[0] ?? ''}\\n\`); return 0; },
};
`,
      );
      sources.insert(
        'src/app/cli/commands.ts',
        '\n];\n',
        "\n  { name: 'greet', summary: 'Greet by name', load: async () => (await import('./commands/greet.js')).GREET },",
      );
      expect(sources.run('src/app/main.ts', ['greet', 'ana'])).toBe('hello ana\n');
      expect(sources.run('src/app/main.ts', ['--help'])).toMatch(/^ {2}greet +Greet by name$/m);
      expect(sources.written.size).toBe(2);
    },
    PATIENCE,
  );

  test(
    'of a metric takes one file, besides its use',
    () => {
      sources.insert(
        'src/runtime/metrics/scheduler-metrics.ts',
        "  planPods: gauge('berth_plan_pods'",
        "  planGreetings: counter('berth_plan_greetings_total', 'Number of greetings.', ['name']),\n",
      );
      expect(sources.written.size).toBe(1);
      sources.write(
        'src/use.ts',
        `import { createMetrics } from './runtime/metrics/metrics.js';
const metrics = createMetrics();
metrics.planGreetings.inc({ name: 'ana' });
console.log(await metrics.registry.metrics());
`,
      );
      expect(sources.run('src/use.ts', [])).toContain('\nberth_plan_greetings_total{name="ana"} 1\n');
    },
    PATIENCE,
  );

  test(
    'of a webhook default takes three files: documents have it, explain shows it, and pods get it',
    () => {
      sources.insert(
        'src/domain/policies/pod-defaults.ts',
        '  readonly nodeSelector: Labels;\n',
        '  /** Name of a PriorityClass. */\n  readonly priorityClassName: string | undefined;\n',
      );
      sources.write(
        'src/apis/pod-defaults/defaults/priority-class-name.ts',
        `import * as z from 'zod';
import { podDefault } from '../pod-default.js';
import { textIn } from '../submitted-pod.js';
export const priorityClassName = podDefault<'priorityClassName'>()({
  schema: z.string().min(1).describe('Name of the PriorityClass of pods that name none.').optional(),
  read: (written) => written,
  stamps: ({ priorityClassName: value }, { spec }) => {
    if (value === undefined || textIn(spec, 'priorityClassName') !== '') return undefined;
    const addition = { kind: 'field', at: ['spec', 'priorityClassName'], value } as const;
    return [{ field: 'priorityClassName', text: \`priorityClassName \${value}\`, addition }];
  },
});
`,
      );
      sources.insert(
        'src/apis/pod-defaults/defaults.ts',
        'import { schedulerName }',
        "import { priorityClassName } from './defaults/priority-class-name.js';\n",
      );
      sources.insert('src/apis/pod-defaults/defaults.ts', '  schedulerName,\n', '  priorityClassName,\n');
      expect(sources.written.size).toBe(3);
      const explained = sources.run('src/app/main.ts', ['explain', 'poddefaults.spec.priorityClassName']);
      expect(explained).toContain('Name of the PriorityClass of pods that name none.');
      sources.write(
        'src/use.ts',
        `import { podDefaultsV1, toPodDefaults } from './apis/pod-defaults/v1.js';
import { byPriority, stampPod } from './planning/placement/stamp-pod.js';
import { DEFAULT_DEMAND_TERMS } from './domain/pods/demand.js';
const document = (name: string, spec: object) =>
  toPodDefaults(podDefaultsV1.parse({ apiVersion: 'berth.sh/v1', kind: 'PodDefaults', metadata: { name }, spec }));
const podDefaults = [
  document('low', { priorityClassName: 'batch', schedulerName: 'my-scheduler' }),
  document('high', { priority: 1, priorityClassName: 'web' }),
].sort(byPriority);
const stamped = (spec: object) =>
  stampPod({ pod: { metadata: {}, spec }, namespace: 'shop', namespaceLabels: new Map(), podDefaults,
    schedulerRuns: true, isLed: true, ownNamespace: 'berth', demandTerms: DEFAULT_DEMAND_TERMS }).patch;
console.log(JSON.stringify([stamped({}), stamped({ priorityClassName: 'own', schedulerName: 'default-scheduler' })]));
`,
      );
      const record = (fields: object) => ({
        op: 'add',
        path: '/metadata/annotations',
        value: { 'berth.sh/stamped': JSON.stringify(fields) },
      });
      const scheduler = { op: 'add', path: '/spec/schedulerName', value: 'my-scheduler' };
      expect(JSON.parse(sources.run('src/use.ts', []))).toEqual([
        [
          { op: 'add', path: '/spec/priorityClassName', value: 'web' },
          scheduler,
          record({ priorityClassName: 'high', schedulerName: 'low' }),
        ],
        [scheduler, record({ schedulerName: 'low' })],
      ]);
    },
    PATIENCE,
  );

  test(
    'of an image family takes two files: documents may name it, and nodes are launched with its disks and user data',
    () => {
      sources.write(
        'src/clouds/aws/families/flatcar.ts',
        `import type { ImageFamily } from './family.js';
export const flatcar = {
  name: 'Flatcar',
  alias: { name: 'flatcar', parameters: (kubernetes, version) => [{ path: \`/flatcar/\${kubernetes}/\${version}\`, variants: undefined }] },
  disks: [{ deviceName: '/dev/xvda', gib: 33 }],
  ephemeralDevice: '/dev/xvda',
  userData: ({ cluster }) => ({ text: \`{"ignition": "\${cluster.name}"}\` }),
} as const satisfies ImageFamily;
`,
      );
      sources.insert(
        'src/clouds/aws/families/families.ts',
        'import type { ImageFamily }',
        "import { flatcar } from './flatcar.js';\n",
      );
      sources.insert('src/clouds/aws/families/families.ts', ', custom] as const', ', flatcar');
      expect(sources.written.size).toBe(2);
      const explained = sources.run('src/app/main.ts', ['explain', 'ec2nodeclass.spec.amiFamily']);
      expect(explained).toContain('Flatcar');
      sources.write(
        'src/use.ts',
        `import { ec2NodeClassCodec } from './clouds/aws/api/codec.js';
import { isEC2NodeClass } from './clouds/aws/api/ec2-node-class.js';
import { blockDevices } from './clouds/aws/adapter/launch/launch-template-data.js';
import { familyOfAlias } from './clouds/aws/families/families.js';
import { userDataFor } from './clouds/aws/families/user-data.js';
const terms = [{ tags: { a: 'b' } }];
const spec = { amiSelectorTerms: [{ alias: 'flatcar@latest' }], subnetSelectorTerms: terms, securityGroupSelectorTerms: terms, role: 'node' };
const nodeClass = ec2NodeClassCodec.decode({ apiVersion: 'karpenter.k8s.aws/v1', kind: 'EC2NodeClass', metadata: { name: 'a' }, spec });
if (!isEC2NodeClass(nodeClass)) throw new Error('no EC2NodeClass');
const cluster = { name: 'c', endpoint: '', certificateAuthority: '', serviceCIDR: '' };
const question = { cluster, labels: new Map(), taints: [], kubelet: undefined, isInstanceStoreRaid0: false, own: undefined };
const [disk] = blockDevices(nodeClass.amiFamily);
console.log(JSON.stringify([nodeClass.amiFamily, nodeClass.rootVolumeBytes / 2 ** 30, disk.Ebs.VolumeSize,
  userDataFor(nodeClass.amiFamily, question), familyOfAlias('flatcar@3').alias.parameters('1.36', '3')[0].path]));
`,
      );
      expect(JSON.parse(sources.run('src/use.ts', []))).toEqual([
        ...['Flatcar', 33, 33, { text: '{"ignition": "c"}' }],
        '/flatcar/1.36/3',
      ]);
    },
    PATIENCE,
  );

  test(
    'of a cloud takes one folder and its row: its node class is a document like others, and it can be chosen',
    () => {
      sources.write(
        'src/clouds/paper/node-class.ts',
        `import * as z from 'zod';
import { envelope } from '../../apis/fields/metadata.js';
import type { NodeClassCodec } from '../../apis/node-class/node-class-codec.js';
const schema = z.strictObject({
  ...envelope('paper.example.com/v1', 'PaperNodeClass'),
  spec: z.strictObject({ grain: z.enum(['fine', 'coarse']).describe('Grain of the paper.') }).describe('Paper.'),
});
export const paperNodeClass: NodeClassCodec = {
  group: 'paper.example.com',
  kind: 'PaperNodeClass',
  versions: [{ apiVersion: 'paper.example.com/v1', kind: 'PaperNodeClass', names: ['papernodeclass'], schema, toCurrent: (value) => value }],
  decode: ({ metadata, spec }) => ({ kind: 'PaperNodeClass', name: metadata.name, template: spec, secretFields: [] }),
};
`,
      );
      sources.write(
        'src/clouds/paper/provider.ts',
        `const type = { name: 'a4', arch: 'amd64', labels: new Map(), capacity: new Map(), allocatable: new Map(), offerings: [] };
export const provider = {
  check: () => undefined,
  make: () => ({ cloud: {}, catalogue: () => ({ instanceTypes: [type], forNodeClass: () => [type] }), interruptions: undefined, upkeep: [], close: () => undefined }),
};
`,
      );
      sources.insert(
        'src/app/clouds.ts',
        'import { registerNodeClasses }',
        "import { paperNodeClass } from '../clouds/paper/node-class.js';\n",
      );
      sources.insert(
        'src/app/clouds.ts',
        '};\n\n/** By name',
        "  paper: { nodeClass: paperNodeClass, options: [], load: () => import('../clouds/paper/provider.js') },\n",
      );
      expect([...sources.written].filter((path) => !path.startsWith('src/clouds/paper/'))).toEqual([
        'src/app/clouds.ts',
      ]);
      const explained = sources.run('src/app/main.ts', ['explain', 'papernodeclass.spec.grain']);
      expect(explained).toContain('Grain of the paper.');
      expect(sources.run('src/app/main.ts', ['controller', '--help'])).toContain('aws|kwok|paper');
      const ref = { group: 'paper.example.com', kind: 'PaperNodeClass', name: 'a' };
      const documents = [
        {
          apiVersion: 'paper.example.com/v1',
          kind: 'PaperNodeClass',
          metadata: { name: 'a' },
          spec: { grain: 'fine' },
        },
        {
          apiVersion: 'karpenter.sh/v1',
          kind: 'NodePool',
          metadata: { name: 'a' },
          spec: { limits: { cpu: 9 }, template: { spec: { nodeClassRef: ref, requirements: [] } } },
        },
      ];
      const file = join(sources.root, 'paper.json');
      writeFileSync(file, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: documents }));
      expect(sources.run('src/app/main.ts', ['validate', '-f', file])).toBe('');
      sources.write(
        'src/use.ts',
        `import { makeCloud } from './app/service/make-cloud.js';
const base = { options: { cloud: 'paper', cloudOptions: {} } };
const source = await makeCloud(base, {});
console.log(source.catalogue().instanceTypes.map(({ name }) => name).join());
`,
      );
      expect(sources.run('src/use.ts', [])).toBe('a4\n');
    },
    PATIENCE,
  );
});
