import { ownManifests } from '../../../world/demo/manifests/manifest-set.js';
import { NODE_FILES } from '../../../src/app/process-io.js';
import { Simulated } from '../kubernetes/simulated.js';

test("the simulated API has every kind of Berth's own manifests", async () => {
  const simulated = new Simulated();
  const groups = new Set(ownManifests('manifests', NODE_FILES).map(({ apiVersion }) => apiVersion));
  const kinds = new Set<string>();
  for (const group of groups) {
    const path = group.includes('/') ? `/apis/${group}` : `/api/${group}`;
    const request = { method: 'GET', path, headers: {}, body: '' };
    const { status, body } = await simulated.api.handle(request, new AbortController().signal);
    if (status !== 200) continue;
    const { resources } = JSON.parse(body as string) as { resources: readonly { kind: string }[] };
    for (const { kind } of resources) kinds.add(`${group} ${kind}`);
  }
  const wanted = ownManifests('manifests', NODE_FILES).map(({ apiVersion, kind }) => `${apiVersion} ${kind}`);
  expect(wanted.filter((each) => !kinds.has(each))).toEqual([]);
});
