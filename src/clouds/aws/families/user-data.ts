/** The user data of a node: by the family of its image, within EC2's limit. */
import { isLabelKey, isLabelValue } from '../../../domain/values/labels.js';
import { imageFamily, type AmiFamily } from './families.js';
import type { UserData, UserDataQuestion } from './user-data/user-data-question.js';

/** EC2's limit, before the text is encoded (EC2 user guide, "Run commands when you launch an instance"). */
const MOST_BYTES = 16_384;

/**
 * What no kubelet could register with, and what could end its list of labels and begin something else: the API server
 * refuses such a NodeClaim too, but what runs as root at boot does not rely on that.
 */
function impossible({ labels, taints }: UserDataQuestion): string | undefined {
  const pairs = [
    ...[...labels].map(([key, value]) => ({ what: 'label', key, value })),
    ...taints.map(({ key, value }) => ({ what: 'taint', key, value })),
  ];
  const wrong = pairs.find(({ key, value }) => !isLabelKey(key) || !isLabelValue(value));
  if (wrong === undefined) return undefined;
  const { what, key, value } = wrong;
  const said = isLabelKey(key)
    ? `${key} has the value ${JSON.stringify(value.slice(0, 63))}`
    : `has the key ${JSON.stringify(key.slice(0, 63))}`;
  return `the ${what} ${said}, which Kubernetes does not allow`;
}

/** Planning and the kubelet count the same pods, whether or not the image knows the instance type. */
function withMaxPods(question: UserDataQuestion): UserDataQuestion {
  const { maxPods, kubelet } = question;
  return maxPods === undefined ? question : { ...question, kubelet: { ...kubelet, maxPods } };
}

/** The whole text, the user's part in it; or a sentence with the reason why there is none. */
export function userDataFor(family: AmiFamily, question: UserDataQuestion): UserData {
  const problem = impossible(question);
  if (problem !== undefined) return { problem: `userData: ${problem}` };
  const result = imageFamily(family).userData(withMaxPods(question));
  if ('problem' in result) return result;
  const bytes = Buffer.byteLength(result.text, 'utf8');
  if (bytes <= MOST_BYTES) return result;
  return {
    problem: `userData: ${String(bytes)} bytes with what nodes need to join; EC2 takes at most ${String(MOST_BYTES)}`,
  };
}
