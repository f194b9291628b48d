/** Settings of Bottlerocket: as much TOML as userData has (tables, strings, numbers, lists of strings). */
import type { Quantities, StringMap, Taint } from '../cluster/objects.js';
import type { Registration } from './registration.js';

const LINE = /^\s*("(?:[^"\\]|\\.)*"|'[^']*'|[A-Za-z0-9_.-]+)\s*=\s*(.+?)\s*$/;
const ROOT = 'settings.kubernetes';

type Tables = ReadonlyMap<string, ReadonlyMap<string, string>>;

export function bottlerocketSettings(text: string): Registration {
  const tables = readTables(text);
  const maxPods = tables.get(ROOT)?.get('max-pods');
  const reserved = (name: string): Quantities | undefined => strings(tables.get(`${ROOT}.${name}`));
  return {
    labels: strings(tables.get(`${ROOT}.node-labels`)) ?? {},
    taints: [...(tables.get(`${ROOT}.node-taints`) ?? [])].flatMap(([key, value]) => taintsOf(key, value)),
    settings: {
      ...(maxPods !== undefined && { maxPods: Number(unquoted(maxPods)) }),
      kubeReserved: reserved('kube-reserved'),
      systemReserved: reserved('system-reserved'),
      evictionHard: strings(tables.get(`${ROOT}.eviction-hard`)),
    },
    family: 'Bottlerocket',
  };
}

/** Table → key → value as it is written; lists may go over several lines. */
function readTables(text: string): Tables {
  const tables = new Map<string, Map<string, string>>();
  let table = new Map<string, string>();
  for (const line of joinedLists(text)) {
    const name = /^\s*\[([^[\]]+)\]\s*$/.exec(line)?.[1];
    if (name !== undefined) {
      table = tables.get(name.trim()) ?? new Map<string, string>();
      tables.set(name.trim(), table);
      continue;
    }
    const [, key, value] = LINE.exec(line) ?? [];
    if (key !== undefined && value !== undefined) table.set(unquoted(key), value);
  }
  return tables;
}

function joinedLists(text: string): readonly string[] {
  const lines: string[] = [];
  let open = '';
  for (const line of text.split('\n')) {
    const whole = open + line.replace(/^\s*#.*$/, '');
    const isOpen = /=\s*\[/.test(whole) && !/\]\s*$/.test(whole);
    if (!isOpen) lines.push(whole);
    open = isOpen ? `${whole} ` : '';
  }
  return lines;
}

function strings(table: ReadonlyMap<string, string> | undefined): StringMap | undefined {
  return table && Object.fromEntries([...table].map(([key, value]) => [key, unquoted(value)]));
}

/** `["value:Effect", …]`, or one such text. */
function taintsOf(key: string, list: string): readonly Taint[] {
  const texts = list.match(/"(?:[^"\\]|\\.)*"|'[^']*'/g) ?? [];
  return texts.map((text) => {
    const [value = '', effect = ''] = unquoted(text).split(':');
    return { key, ...(value !== '' && { value }), effect };
  });
}

function unquoted(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1);
  return text.startsWith('"') ? (JSON.parse(text) as string) : text;
}
