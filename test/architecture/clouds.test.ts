/** One door to a cloud: nothing outside its folder names its services. Label names and kinds of Karpenter are no such names. */
import { projectFiles, readProjectFile } from './project-files.js';

const SERVICES = /\b(?:AWS|EC2|SQS|SSM|IAM)\b/;

/** Lines of a text that name a service of a cloud. */
function namedIn(text: string): readonly string[] {
  return text.split('\n').filter((line) => SERVICES.test(line));
}

test('no file of src names a service of AWS, but in the folder of that cloud', () => {
  const others = projectFiles().filter((path) => /^src\/(?!clouds\/aws\/).*\.ts$/.test(path));
  expect(others.length).toBeGreaterThan(300);
  const found = others.flatMap((path) =>
    namedIn(readProjectFile(path)).map((line) => `${path}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});

test.each([
  ['/** EC2 warns of it two minutes ahead. */', 1],
  ["help: 'queue of SQS'", 1],
  ["nodeClassRef: { kind: 'EC2NodeClass' }", 0],
  ["const LABELS = ['karpenter.k8s.aws/instance-family'];", 0],
  ['aws: { load: async () => (await import(...)).provider }', 0],
])('a line such as %s is found: %i', (line, times) => {
  expect(namedIn(line)).toHaveLength(times);
});
