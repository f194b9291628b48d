/** The archive of `--support-bundle`: tar reads it, and nothing secret is in it. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import '../../../src/app/clouds.js';
import { manifestSubject } from '../../../src/app/doctor/subject/manifest-subject.js';
import { redacted, supportFiles } from '../../../src/app/doctor/support-bundle.js';
import { tarOf } from '../../../src/app/doctor/tar.js';

const HIDDEN = 'hunter2';

const MANIFESTS = `
apiVersion: v1
kind: Secret
metadata: { name: berth-certificates, namespace: berth-system }
data: { ca.key: ${HIDDEN} }
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: classes
  namespace: berth-system
  annotations: { kubectl.kubernetes.io/last-applied-configuration: 'userData: ${HIDDEN}' }
data:
  class.yaml: |
    apiVersion: karpenter.k8s.aws/v1
    kind: EC2NodeClass
    metadata: { name: default }
    spec: { role: shown, userData: "echo ${HIDDEN}" }
  broken.yaml: |
    userData: [${HIDDEN}
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: berth, namespace: berth-system }
spec:
  template:
    spec:
      containers: [{ name: berth, env: [{ name: API_TOKEN, value: ${HIDDEN} }, { name: LOG_LEVEL, value: shown }] }]
`;

async function files() {
  const texts = [{ source: 'cluster', text: MANIFESTS }];
  const subject = manifestSubject({ texts, namespace: 'berth-system', schedulerConfigurations: [] });
  return supportFiles(subject, [], 'test');
}

test('no Secret, user data or token is in it, and the rest is', async () => {
  const text = (await files()).map((file) => file.text).join('');
  expect(text).not.toContain(HIDDEN);
  expect(text.match(/"shown"/g)).toHaveLength(2);
  expect(text).toContain('[redacted]');
});

test('objects with such names are looked into', () => {
  expect(redacted({ secretRef: { name: 'x' }, tokens: 1, plain: 'y' })).toEqual({
    secretRef: { name: 'x' },
    tokens: '[redacted]',
    plain: 'y',
  });
});

test('tar reads the archive', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'berth-'));
  try {
    const path = join(folder, 'bundle.tar');
    const packed = await files();
    writeFileSync(path, tarOf(packed, 1_700_000_000));
    expect(execFileSync('tar', ['-tf', path]).toString().trim().split('\n')).toEqual(
      packed.map(({ name }) => name),
    );
    const doctor = execFileSync('tar', ['-xOf', path, 'berth-support/doctor.json']).toString();
    expect(JSON.parse(doctor)).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
