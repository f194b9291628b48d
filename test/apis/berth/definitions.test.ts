/** The definitions in manifests/crds allow exactly what the code knows. */
import '../../../src/app/clouds.js';
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { parse } from 'yaml';
import { DEFINITION_FILES, KIND_SCHEMA_FILES } from '../../../scripts/definition-files.js';
import { encodeDecision } from '../../../src/apis/berth/decision.js';
import { encodeNodeClaim } from '../../../src/apis/berth/node-claim.js';
import { encodePolicyStatus } from '../../../src/apis/berth/policy-status.js';
import { encodeReservation } from '../../../src/apis/berth/reservation.js';
import { DECISION_ACTIONS } from '../../../src/domain/records/decision.js';
import { CAPACITY_TYPES } from '../../../src/domain/nodes/instance-type.js';
import { COMMON_POLICY_KINDS, isPolicyKind, type JsonObject } from '../../../src/domain/policies/policy.js';
import { REQUIREMENT_OPERATORS } from '../../../src/domain/values/requirement.js';
import { TAINT_EFFECTS } from '../../../src/domain/values/taint.js';
import { decisions, nodeClaims, policyStatuses, reservations } from './arbitraries.js';

interface Schema {
  readonly type?: string;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly additionalProperties?: Schema;
  readonly description?: string;
}

function schemaOf(file: string): Schema {
  const text = readFileSync(new URL(`../../../manifests/crds/${file}`, import.meta.url), 'utf8');
  const definition = parse(text) as {
    readonly spec: {
      readonly versions: readonly { readonly schema: { readonly openAPIV3Schema: Schema } }[];
    };
  };
  const schema = definition.spec.versions[0]?.schema.openAPIV3Schema;
  if (schema === undefined) throw new Error(`${file} has no schema`);
  return schema;
}

const CLAIM = schemaOf('node-claims.yaml');
const RESERVATION = schemaOf('reservations.yaml');
const POLICY_STATUS = schemaOf('policy-statuses.yaml');
const DECISION = schemaOf('decisions.yaml');

/** The schema at a path of fields; a list's is that of its items. */
function at(schema: Schema, path: string): Schema {
  let found: Schema | undefined = schema;
  for (const step of path.split('.')) found = (found?.items ?? found)?.properties?.[step];
  if (found === undefined) throw new Error(`there is no ${path}`);
  return found;
}

test.each(DEFINITION_FILES)('manifests/crds/$name is what make generate writes', ({ name, definition }) => {
  const text = readFileSync(new URL(`../../../manifests/crds/${name}`, import.meta.url), 'utf8');
  expect(parse(text)).toEqual(definition);
});

test.each(KIND_SCHEMA_FILES)(
  'docs/reference/schemas/$name is what make generate writes',
  ({ name, schema }) => {
    const text = readFileSync(new URL(`../../../docs/reference/schemas/${name}`, import.meta.url), 'utf8');
    expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(schema)));
    expect(text).toContain('"const": "berth.sh/v1"');
    expect(text).not.toContain('x-kubernetes-');
  },
);

test.each([
  ['operators', CLAIM, 'spec.requirements.operator', REQUIREMENT_OPERATORS],
  ['effects of taints', CLAIM, 'spec.taints.effect', TAINT_EFFECTS],
  ['effects of startup taints', CLAIM, 'spec.startupTaints.effect', TAINT_EFFECTS],
  ['capacity types of instances', CLAIM, 'status.capacityType', CAPACITY_TYPES],
  ['capacity types of launches', CLAIM, 'status.launch.request.capacityType', CAPACITY_TYPES],
  ['targets', RESERVATION, 'spec.target.kind', ['NodeClaim', 'Node']],
  ['actions', DECISION, 'spec.action', DECISION_ACTIONS],
] as const)('%s are those of the domain', (...[, schema, path, values]) => {
  expect([...(at(schema, path).enum ?? [])].sort()).toEqual([...values].sort());
});

test.each([
  ...COMMON_POLICY_KINDS,
  'EC2NodeClass',
  'KWOKNodeClass',
  'Provisioner',
  'NodeClassList',
  'nodepool',
])('kinds of policies are those of the domain, whatever clouds there are: %s', (kind) => {
  const { pattern = '' } = at(POLICY_STATUS, 'spec.policy.kind');
  expect(new RegExp(pattern).test(kind)).toBe(isPolicyKind(kind));
});

/** Fields of a value that its schema does not have, which the API server would drop in silence; and fields it lacks. */
function differences(value: unknown, schema: Schema, path = ''): readonly string[] {
  if (Array.isArray(value))
    return value.flatMap((item) => differences(item, schema.items ?? {}, `${path}[]`));
  if (typeof value !== 'object' || value === null || schema.properties === undefined) return [];
  const { properties } = schema;
  const missing = (schema.required ?? []).filter((field) => !Object.hasOwn(value, field));
  return [
    ...missing.map((field) => `${path}.${field} is missing`),
    ...Object.entries(value).flatMap(([field, item]) => {
      const inner = properties[field];
      if (inner === undefined) return [`${path}.${field} is unknown`];
      return differences(item, inner, `${path}.${field}`);
    }),
  ];
}

test.each([
  ['NodeClaim', CLAIM, nodeClaims.map(encodeNodeClaim)],
  ['Reservation', RESERVATION, reservations.map(encodeReservation)],
  ['PolicyStatus', POLICY_STATUS, policyStatuses.map(encodePolicyStatus)],
  ['Decision', DECISION, decisions.map(encodeDecision)],
] as const)(
  'a %s has no field that its definition lacks, and all that it requires',
  (...[, schema, encoded]) => {
    fc.assert(
      fc.property(encoded, (object) => {
        expect(differences(withoutMetadata(object), schema)).toEqual([]);
      }),
      { numRuns: 200 },
    );
  },
);

function withoutMetadata(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([field]) => field !== 'metadata'));
}

test.each([
  ['NodeClaim', CLAIM],
  ['Reservation', RESERVATION],
  ['PolicyStatus', POLICY_STATUS],
  ['Decision', DECISION],
] as const)('every field of a %s is described, for kubectl explain', (_, schema) => {
  expect(undescribed(schema.properties)).toEqual([]);
});

function undescribed(properties: Schema['properties'], path = ''): readonly string[] {
  return Object.entries(properties ?? {}).flatMap(([field, schema]) => {
    const here = `${path}.${field}`;
    const own = schema.description === undefined && here !== '.metadata' ? [here] : [];
    return [...own, ...undescribed(schema.properties ?? schema.items?.properties, here)];
  });
}
