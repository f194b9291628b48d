/** Custom resources: what Berth's own definitions serve, refuse, default and print. */
import { encodeNodeClaim } from '../../../../src/apis/berth/node-claim.js';
import { encodeReservation } from '../../../../src/apis/berth/reservation.js';
import type { NewObject } from '../../../../world/kubernetes/objects/kube-object.js';
import { nodeClaim } from '../../../support/builders/node-claim.js';
import { reservation } from '../../../support/builders/reservation.js';
import { installDefinitions } from '../definitions.js';
import { refusal, Simulated } from '../simulated.js';

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';

async function withBerth(): Promise<Simulated> {
  const simulated = new Simulated();
  await installDefinitions(simulated.api);
  return simulated;
}

function widgets(schema: object, more: object = {}): NewObject {
  const names = { plural: 'widgets', kind: 'Widget', shortNames: ['wd'] };
  const version = {
    name: 'v1',
    served: true,
    storage: true,
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: schema } } },
    ...more,
  };
  return {
    metadata: { name: 'widgets.example.com' },
    spec: { group: 'example.com', scope: 'Namespaced', names, versions: [version] },
  };
}

async function withWidgets(schema: object, more: object = {}): Promise<Simulated> {
  const simulated = new Simulated();
  await simulated.api.create(CRDS, widgets(schema, more));
  return simulated;
}

const WIDGETS = '/apis/example.com/v1/namespaces/default/widgets';

describe("Berth's own kinds", () => {
  test('take what Berth writes, status apart', async () => {
    const { api } = await withBerth();
    const claim = encodeNodeClaim(nodeClaim()) as NewObject;
    const made = await api.create('nodeclaims.berth.sh', {
      ...claim,
      metadata: { ...claim.metadata, resourceVersion: '' },
    });
    expect(made.metadata.generation).toBe(1);
    expect(made['status']).toBeUndefined();
    const written = await api.update(
      'nodeclaims.berth.sh',
      { ...made, status: claim['status'] },
      { subresource: 'status' },
    );
    expect(written['status']).toEqual(claim['status']);
    const held = encodeReservation(reservation()) as NewObject;
    expect(
      await api.create('reservations.berth.sh', {
        ...held,
        metadata: { ...held.metadata, resourceVersion: '' },
      }),
    ).toMatchObject({ kind: 'Reservation' });
  });

  test('keep the rules of their schemas', async () => {
    const { api } = await withBerth();
    const claim = encodeNodeClaim(nodeClaim()) as NewObject;
    const made = await api.create('nodeclaims.berth.sh', {
      ...claim,
      metadata: { ...claim.metadata, resourceVersion: '' },
    });
    const error = await refusal(
      api.update('nodeclaims.berth.sh', {
        ...made,
        spec: { ...(made['spec'] as object), nodePool: 'other' },
      }),
    );
    expect(error.message).toContain('spec is immutable');
    const odd = await refusal(
      api.create('reservations.berth.sh', {
        metadata: { name: 'odd' },
        spec: { target: { kind: 'Node', name: 'n1' }, entries: [] },
      }),
    );
    expect(odd.message).toContain(
      'metadata.name must be <kind of the target in lower case>.<name of the target>',
    );
    const missing = await refusal(api.create('reservations.berth.sh', { metadata: { name: 'node.n1' } }));
    expect(missing.message).toBe('Reservation.berth.sh "node.n1" is invalid: spec: Required value');
  });

  test('are found by their short names, and have their columns', async () => {
    const simulated = await withBerth();
    const { body } = await simulated.ask('GET', '/apis/berth.sh/v1');
    const resources = body['resources'] as readonly { readonly shortNames?: readonly string[] }[];
    expect(resources.flatMap(({ shortNames = [] }) => shortNames).sort()).toEqual([
      'bdec',
      'bnc',
      'bpol',
      'brsv',
    ]);
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    const table = await simulated.ask('GET', '/apis/berth.sh/v1/reservations', { accept });
    expect(table.body['columnDefinitions']).toMatchObject([
      { name: 'Name' },
      { name: 'Target' },
      { name: 'Pods' },
      { name: 'Age' },
    ]);
  });

  test('can be selected by the fields that their definitions name', async () => {
    const simulated = await withBerth();
    const held = encodeReservation(reservation()) as NewObject;
    await simulated.api.create('reservations.berth.sh', {
      ...held,
      metadata: { ...held.metadata, resourceVersion: '' },
    });
    const { kind, name } = reservation().target;
    const fieldSelector = `spec.target.kind=${kind},spec.target.name=${name}`;
    expect(simulated.api.list('reservations.berth.sh', { fieldSelector })).toHaveLength(1);
    expect(
      simulated.api.list('reservations.berth.sh', { fieldSelector: 'spec.target.name=other' }),
    ).toHaveLength(0);
  });
});

describe('a schema', () => {
  test.each([
    [
      'type',
      { type: 'object', properties: { size: { type: 'integer' } } },
      { size: 'big' },
      'spec.size: Invalid value: "string": spec.size in body must be of type integer: "string"',
    ],
    [
      'enum',
      { type: 'object', properties: { size: { enum: ['s', 'l'] } } },
      { size: 'm' },
      'spec.size: Unsupported value: "m": supported values: "l", "s"',
    ],
    [
      'minimum',
      { type: 'object', properties: { size: { type: 'integer', minimum: 1 } } },
      { size: 0 },
      'spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1',
    ],
    [
      'pattern',
      { type: 'object', properties: { size: { type: 'string', pattern: '^[a-z]+$' } } },
      { size: 'A' },
      `spec.size: Invalid value: "A": spec.size in body should match '^[a-z]+$'`,
    ],
    [
      'maxItems',
      { type: 'object', properties: { l: { type: 'array', maxItems: 1 } } },
      { l: [1, 2] },
      'spec.l: Invalid value: [1,2]: spec.l in body should have at most 1 items',
    ],
    ['required', { type: 'object', required: ['size'] }, {}, 'spec.size: Required value'],
    [
      'list keys',
      {
        type: 'object',
        properties: {
          l: {
            type: 'array',
            'x-kubernetes-list-type': 'map',
            'x-kubernetes-list-map-keys': ['k'],
            items: { type: 'object', properties: { k: { type: 'string' } } },
          },
        },
      },
      { l: [{ k: 'a' }, { k: 'a' }] },
      'spec.l[1]: Duplicate value: {"k":"a"}',
    ],
  ])('refuses by %s', async (_, schema, spec, message) => {
    const { api } = await withWidgets(schema);
    const error = await refusal(
      api.create('widgets.example.com', { metadata: { name: 'w', namespace: 'default' }, spec }),
    );
    expect(error.message).toBe(`Widget.example.com "w" is invalid: ${message}`);
  });

  test('fills in defaults', async () => {
    const { api } = await withWidgets({
      type: 'object',
      properties: {
        size: { type: 'integer', default: 3 },
        deep: { type: 'object', default: {}, properties: { a: { type: 'string', default: 'b' } } },
      },
    });
    const made = await api.create('widgets.example.com', {
      metadata: { name: 'w', namespace: 'default' },
      spec: {},
    });
    expect(made['spec']).toEqual({ size: 3, deep: { a: 'b' } });
  });

  test('drops unknown fields with a warning, and refuses them where that is asked for', async () => {
    const simulated = await withWidgets({ type: 'object', properties: { size: { type: 'integer' } } });
    const body = { metadata: { name: 'w' }, spec: { size: 1, colour: 'red' } };
    const strict = await simulated.ask('POST', `${WIDGETS}?fieldValidation=Strict`, { body });
    expect(strict).toMatchObject({
      status: 400,
      body: { message: 'strict decoding error: unknown field "spec.colour"' },
    });
    const lax = await simulated.ask('POST', WIDGETS, { body });
    expect(lax).toMatchObject({
      status: 201,
      headers: { warning: String.raw`299 - "unknown field \"spec.colour\""` },
      body: { spec: { size: 1 } },
    });
    expect(lax.body['spec']).toEqual({ size: 1 });
  });
});

describe('a definition', () => {
  test('is established at once, and served from then on', async () => {
    const { api } = await withWidgets({ type: 'object' });
    expect(api.get(CRDS, { name: 'widgets.example.com' })?.['status']).toMatchObject({
      conditions: [
        { type: 'NamesAccepted', status: 'True' },
        { type: 'Established', status: 'True' },
      ],
      storedVersions: ['v1'],
    });
    expect(api.list('widgets.example.com')).toEqual([]);
  });

  test('takes its objects with it', async () => {
    const { api, clock } = await withWidgets({ type: 'object' });
    await api.create('widgets.example.com', { metadata: { name: 'w', namespace: 'default' } });
    const deleted: string[] = [];
    api.watch('widgets.example.com', ({ type }) => deleted.push(type), { initial: false });
    await api.delete(CRDS, { name: 'widgets.example.com' });
    await clock.settle();
    expect(deleted).toEqual(['DELETED']);
    expect(() => api.list('widgets.example.com')).toThrow('could not find the requested resource');
  });

  test('is refused under another name than its own', async () => {
    const { api } = new Simulated();
    const error = await refusal(
      api.create(CRDS, { ...widgets({ type: 'object' }), metadata: { name: 'gadgets.example.com' } }),
    );
    expect(error.message).toContain('must be spec.names.plural+"."+spec.group');
  });
});
