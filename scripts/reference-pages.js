// The text of the pages in docs/reference, from the tables that the program itself uses.

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

/**
 * Every reason of an event, by name.
 *
 * @param {Readonly<Record<string, { types: readonly string[], kinds: readonly string[], when: string, remedy: string }>>} reasons
 * @returns {string}
 */
export function eventsPage(reasons) {
  const rows = byName(Object.entries(reasons)).map(([reason, { types, kinds, when, remedy }]) => [
    `\`${reason}\``,
    types.join(', '),
    kinds.join(', '),
    when,
    remedy,
  ]);
  return page('Events', [
    'Berth emits events of `events.k8s.io/v1`. Each has a Decision with the same message.',
    '',
    ...table(['Reason', 'Type', 'Object', 'When', 'What to do'], rows),
  ]);
}

/**
 * @typedef {{ meaning: string, kinds?: readonly string[],
 *   reasons: Readonly<Record<string, { statuses: readonly string[], when: string }>> }} ConditionRow
 * @typedef {{ reason: string, budgetReason: string | undefined, condition?: { type: string, meaning?: string,
 *   reasons?: Readonly<Record<string, string>> } | undefined }} Method
 */

/**
 * The conditions of NodeClaims and policies, with the reasons of each.
 *
 * @param {{ claims: Readonly<Record<string, ConditionRow>>, policies: Readonly<Record<string, ConditionRow>>,
 *   methods: readonly Method[] }} tables
 * @returns {string}
 */
export function conditionsPage({ claims, policies, methods }) {
  const ofMethods = methods.flatMap(({ condition }) => {
    if (condition?.meaning === undefined) return [];
    const reasons = Object.entries(condition.reasons ?? {}).map(
      ([reason, when]) => /** @type {const} */ ([reason, { statuses: ['True'], when }]),
    );
    return conditionRows(condition.type, {
      meaning: condition.meaning,
      reasons: Object.fromEntries(reasons),
    });
  });
  const head = ['Type', 'Status', 'Reason', 'When'];
  return page('Conditions', [
    '## NodeClaim',
    '',
    ...table(
      head,
      Object.entries(claims).flatMap(([type, row]) => conditionRows(type, row)),
    ),
    '',
    'A disruption method writes its condition when a node becomes eligible, and removes it when the node no longer is.',
    '',
    ...table(head, ofMethods),
    '',
    '## PolicyStatus',
    '',
    'Berth reads policies from ConfigMaps and writes a PolicyStatus for each.',
    '',
    ...table(
      ['Type', 'Status', 'Reason', 'When', 'Policies'],
      Object.entries(policies).flatMap(([type, row]) =>
        conditionRows(type, row).map((cells, index) => [
          ...cells,
          index === 0 ? (row.kinds ?? []).join(', ') : '',
        ]),
      ),
    ),
  ]);
}

/** @type {(type: string, row: ConditionRow) => readonly (readonly string[])[]} */
function conditionRows(type, { meaning, reasons }) {
  return [
    [`\`${type}\``, '', '', meaning],
    ...Object.entries(reasons).map(([reason, { statuses, when }]) => [
      '',
      statuses.join(', '),
      reason.startsWith('(') ? reason : `\`${reason}\``,
      when,
    ]),
  ];
}

/**
 * The reasons of Decisions, each with an example of its text.
 *
 * @param {{ pools: readonly { code: string, constraint: string, change: string }[],
 *   refusals: readonly { code: string, text: string, recorded: boolean }[], methods: readonly Method[],
 *   decisions: Readonly<Record<string, { when: string, remedy: string }>> }} tables
 * @returns {string}
 */
export function reasonsPage({ pools, refusals, methods, decisions }) {
  return page('Reasons of Decisions', [
    '`spec.reason` of a Decision is one word of these tables, or the reason of an [event](events.md). Texts are examples: names',
    'and values are those of your cluster.',
    '',
    '## Why a NodePool cannot hold a pod',
    '',
    ...table(
      ['Reason', 'Text', 'Suggested change'],
      pools.map(({ code, constraint, change }) => [`\`${code}\``, constraint, change]),
    ),
    '',
    '## Why a node is not disrupted',
    '',
    'A Decision is written where the last column says so; the others pass by themselves or were asked for.',
    '',
    ...table(
      ['Reason', 'Text', 'Decision'],
      refusals.map(({ code, text, recorded }) => [`\`${code}\``, text, recorded ? 'yes' : 'no']),
    ),
    '',
    '## Why a node is disrupted',
    '',
    'In the order in which Berth tries them. Budgets name the reason of the last column; without one, only budgets for every',
    'reason count.',
    '',
    ...table(
      ['Reason', 'Condition', 'Reason in budgets'],
      methods.map(({ reason, condition, budgetReason }) => [
        `\`${reason}\``,
        condition === undefined ? '' : `\`${condition.type}\``,
        budgetReason === undefined ? '' : `\`${budgetReason}\``,
      ]),
    ),
    '',
    '## Others',
    '',
    ...table(
      ['Reason', 'When', 'What to do'],
      byName(Object.entries(decisions)).map(([reason, { when, remedy }]) => [`\`${reason}\``, when, remedy]),
    ),
  ]);
}

/** @type {(title: string, lines: readonly string[]) => string} */
function page(title, lines) {
  return [`# ${title}`, '', GENERATED, '', ...lines, ''].join('\n');
}

/**
 * @template Row
 * @param {readonly (readonly [string, Row])[]} entries
 */
function byName(entries) {
  return entries.toSorted(([left], [right]) => (left < right ? -1 : 1));
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
