// The text of the pages in docs/reference, from what the program itself uses: its command table and its metrics registry.

const GENERATED = '<!-- Written by `make generate`: do not change it by hand. -->';

/**
 * @typedef {{ name: string, short?: string | undefined, value?: string | undefined, help: string }} Flag
 * @typedef {{ name: string, summary: string, load: () => Promise<{ usage: string, flags: readonly Flag[], details: readonly string[] }> }} Row
 */

/**
 * Every command with its flags, in the order of help.
 *
 * @param {readonly Row[]} rows
 * @returns {Promise<string>}
 */
export async function flagsPage(rows) {
  const parts = [];
  for (const { name, summary, load } of rows) {
    const { usage, flags, details } = await load();
    parts.push(
      `## berth ${name}`,
      '',
      `${summary}.`,
      '',
      '```text',
      `berth ${name} ${usage}`.trimEnd(),
      '```',
      '',
      ...table(
        ['Flag', 'Meaning'],
        flags.map((flag) => [`\`${spelling(flag)}\``, flag.help]),
      ),
      ...(details.length === 0 ? [] : ['', '```text', ...details, '```']),
      '',
    );
  }
  return ['# Commands and flags', '', GENERATED, '', ...parts].join('\n');
}

/**
 * Every metric, by name.
 *
 * @param {readonly { name: string, help: string, type: unknown, labelNames: readonly string[] }[]} metrics
 * @returns {string}
 */
export function metricsPage(metrics) {
  const rows = metrics
    .toSorted((left, right) => (left.name < right.name ? -1 : 1))
    .map(({ name, type, labelNames, help }) => [
      `\`${name}\``,
      String(type),
      labelNames.map((label) => `\`${label}\``).join(', '),
      help,
    ]);
  return ['# Metrics', '', GENERATED, '', ...table(['Name', 'Type', 'Labels', 'Meaning'], rows), ''].join(
    '\n',
  );
}

/** @param {Flag} flag */
function spelling({ name, short, value }) {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}

/**
 * @param {readonly string[]} head
 * @param {readonly (readonly string[])[]} rows
 */
function table(head, rows) {
  if (rows.length === 0) return [];
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', ' ')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)];
}

/**
 * @typedef {{ type?: unknown, description?: string, properties?: Record<string, Schema>, items?: Schema,
 *   additionalProperties?: Schema | boolean, enum?: readonly unknown[] }} Schema
 */

/**
 * Every field of Berth's own custom resources.
 *
 * @param {readonly { spec: { group: string, names: { kind: string },
 *   versions: readonly { name: string, schema: { openAPIV3Schema: Schema } }[] } }[]} definitions
 * @returns {string}
 */
export function crdsPage(definitions) {
  const parts = definitions.flatMap(({ spec: { group, names, versions } }) =>
    versions.flatMap(({ name, schema }) =>
      kindSection(`${names.kind} (${group}/${name})`, schema.openAPIV3Schema),
    ),
  );
  return ['# Custom resources', '', GENERATED, '', ...parts].join('\n');
}

/**
 * Every field of the policies that Berth reads, by the name of the schema's file.
 *
 * @param {readonly (readonly [string, Schema])[]} schemas
 * @returns {string}
 */
export function policiesPage(schemas) {
  const parts = schemas.flatMap(([file, schema]) => kindSection(file.replace(/\.json$/, ''), schema));
  return ['# Policies', '', GENERATED, '', ...parts].join('\n');
}

/** @type {(title: string, schema: Schema) => readonly string[]} */
function kindSection(title, schema) {
  return [
    `## ${title}`,
    '',
    ...(schema.description === undefined ? [] : [schema.description, '']),
    ...table(['Field', 'Type', 'Meaning'], fieldRows(schema, '')),
    '',
  ];
}

/** @type {(schema: Schema, path: string) => readonly (readonly string[])[]} */
function fieldRows({ properties = {}, items, additionalProperties }, path) {
  const own = Object.entries(properties).flatMap(([name, child]) => {
    const field = path === '' ? name : `${path}.${name}`;
    return [
      [`\`${field}\``, typeOf(child), child.description ?? child.items?.description ?? ''],
      ...fieldRows(child, field),
    ];
  });
  const ofItems = items === undefined ? [] : fieldRows(items, `${path}[]`);
  const ofValues =
    typeof additionalProperties === 'object' ? fieldRows(additionalProperties, `${path}.*`) : [];
  return [...own, ...ofItems, ...ofValues];
}

/** @type {(schema: Schema) => string} */
function typeOf({ type, enum: values }) {
  if (values !== undefined) return values.map((value) => `\`${String(value)}\``).join(', ');
  return Array.isArray(type) ? type.join(' or ') : typeof type === 'string' ? type : '';
}
