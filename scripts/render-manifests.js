// Renders manifests/ from charts/berth, and writes dist/charts: the packaged chart, and install.yaml, which is all of an installation with a
// second kube-scheduler in one file (`make chart`). `--check` writes nothing, and names the files that are not as rendered. Argument: the path of helm.
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { format, resolveConfig } from 'prettier';

const CHART = 'charts/berth';
const OUT = 'dist/charts';
/** The oldest one of the Kubernetes versions that CI has: a kube-scheduler must not be newer than the API server. */
const KUBERNETES = '1.34.4';
/** Labels that tell of a release of helm, which manifests are not, and one that kustomizations add. */
const LABELS = /^ +(app\.kubernetes\.io\/(part-of|instance|version|managed-by)|helm\.sh\/chart): .*\n/gm;

/** File → how its objects are rendered: the scheduler's mode, and the templates that they come from. */
const FILES = {
  'manifests/base/controller.yaml': ['cluster', 'deployment.yaml', 'disruption-budget.yaml', 'services.yaml'],
  'manifests/base/webhooks.yaml': ['cluster', 'webhooks.yaml'],
  'manifests/base/pod-changes.yaml': ['cluster', 'pod-changes.yaml'],
  'manifests/base/approvals.yaml': ['cluster', 'approvals.yaml'],
  'manifests/base/network.yaml': ['cluster', 'network.yaml'],
  'manifests/rbac/controller.yaml': ['cluster', 'rbac/controller.yaml'],
  'manifests/rbac/approver.yaml': ['cluster', 'rbac/approver.yaml'],
  'manifests/rbac/webhooks.yaml': ['cluster', 'rbac/webhooks.yaml'],
  'manifests/rbac/extender.yaml': ['cluster', 'rbac/extender.yaml'],
  'manifests/scheduler/rbac.yaml': ['second', 'scheduler/rbac.yaml'],
  'manifests/scheduler/second-scheduler.yaml': ['second', 'scheduler/second-scheduler.yaml'],
};
const CONFIGURATION = 'manifests/scheduler/configuration.yaml';
const HEAD = '# Rendered by `make chart` from charts/berth.\n';

const [helm, option] = process.argv.slice(2);

/** Template → the texts of its objects, in helm's order. */
function rendered(mode) {
  const values = { 'settings.clusterName': 'REPLACE', 'scheduler.mode': mode, 'crds.enabled': false };
  const set = Object.entries(values).flatMap(([name, value]) => ['--set', `${name}=${value}`]);
  const place = ['--namespace', 'berth-system', '--kube-version', KUBERNETES, '--skip-tests'];
  const text = execFileSync(helm, ['template', 'berth', CHART, ...place, ...set], { encoding: 'utf8' });
  const objects = new Map();
  for (const part of text.split(/^---\n/m).slice(1)) {
    const [, template = '', object = ''] = /^# Source: berth\/templates\/(\S+)\n([^]*)$/.exec(part) ?? [];
    objects.set(template, [...(objects.get(template) ?? []), object.replace(LABELS, '').trim()]);
  }
  return objects;
}

const byMode = { cluster: rendered('cluster'), second: rendered('second') };
const texts = Object.entries(FILES).map(([path, [mode, ...templates]]) => {
  const objects = templates.flatMap((template) => {
    const found = byMode[mode].get(template);
    if (found === undefined) throw new Error(`${CHART}/templates/${template} renders nothing`);
    return found;
  });
  return [path, `${HEAD}${objects.join('\n---\n')}\n`];
});
const [configMap = ''] = byMode.cluster.get('scheduler/configuration.yaml') ?? [];
const [, configuration = ''] = /^ {2}configuration\.yaml: \|\n([^]*)$/m.exec(configMap) ?? [];
texts.push([CONFIGURATION, `${HEAD}${configuration.replace(/^ {4}/gm, '').trim()}\n`]);

const stale = [];
for (const [path, text] of texts) {
  const laidOut = await format(text, { ...(await resolveConfig(path)), parser: 'yaml' });
  if (option !== '--check') writeFileSync(path, laidOut);
  else if (readFileSync(path, 'utf8') !== laidOut) stale.push(path);
}
if (stale.length > 0) {
  console.error(`not as \`make chart\` renders them: ${stale.join(', ')}`);
  process.exit(1);
}
if (option !== '--check') {
  mkdirSync(OUT, { recursive: true });
  execFileSync(helm, ['package', CHART, '--destination', OUT], { stdio: 'ignore' });
  const definitions = readdirSync('manifests/crds').filter((name) => name !== 'kustomization.yaml');
  const all = [
    'manifests/base/namespace.yaml',
    ...definitions.sort().map((name) => join('manifests/crds', name)),
    ...Object.keys(FILES),
  ];
  writeFileSync(
    join(OUT, 'install.yaml'),
    all.map((path) => readFileSync(path, 'utf8').trim()).join('\n---\n'),
  );
}
