/** The user data of a node: by the family of its image, within EC2's limit. */
import type { AmiFamily } from '../../../domain/node-class.js';
import { al2UserData } from './al2.js';
import { al2023UserData } from './al2023.js';
import { bottlerocketUserData } from './bottlerocket.js';
import type { UserData, UserDataQuestion } from './user-data-question.js';
import { windowsUserData } from './windows.js';

/** EC2's limit, before the text is encoded (EC2 user guide, "Run commands when you launch an instance"). */
const MOST_BYTES = 16_384;

const WRITERS: Readonly<Record<AmiFamily, (question: UserDataQuestion) => UserData>> = {
  AL2: al2UserData,
  AL2023: al2023UserData,
  Bottlerocket: bottlerocketUserData,
  Windows2019: windowsUserData,
  Windows2022: windowsUserData,
  Windows2025: windowsUserData,
  // The image's maker knows how its nodes join.
  Custom: ({ own = '' }) => ({ text: own }),
};

/** The whole text, the user's part in it; or the sentence that says why there can be none. */
export function userDataFor(family: AmiFamily, question: UserDataQuestion): UserData {
  const result = WRITERS[family](question);
  if ('problem' in result) return result;
  const bytes = Buffer.byteLength(result.text, 'utf8');
  if (bytes <= MOST_BYTES) return result;
  return {
    problem: `userData: ${String(bytes)} bytes with what nodes need to join; EC2 takes at most ${String(MOST_BYTES)}`,
  };
}
