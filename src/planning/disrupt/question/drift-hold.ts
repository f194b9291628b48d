/** What holds the drifted nodes of a NodePool back: the stages of its roll-out, and the back-off after failed replacements. */
import { RESUME_DRIFT_ANNOTATION } from '../../../domain/policies/drift-rollout.js';
import { policyStatusName } from '../../../domain/policies/policy.js';
import { counted } from '../../../domain/values/text.js';
import { moment, type RefusalTexts, type RefusalWords } from './refusal.js';

/** Of the drifted nodes of a pool so many more go now; the others are refused so. */
export interface DriftHold {
  readonly room: number;
  readonly refusal: DriftRefusal;
}

export type DriftRefusal =
  /** `until`: when the canary nodes have soaked, in milliseconds since 1970; undefined while too few of them are initialized. */
  | {
      readonly code: 'DriftSoaking';
      readonly nodePool: string;
      readonly canaries: number;
      readonly until: number | undefined;
    }
  | {
      readonly code: 'DriftPaused';
      readonly nodePool: string;
      readonly target: string;
      readonly why: string;
    }
  /** `until` in milliseconds since 1970. */
  | {
      readonly code: 'DriftBackOff';
      readonly nodePool: string;
      readonly failures: number;
      readonly until: number;
    };

const WORDS: RefusalWords<DriftRefusal> = {
  DriftSoaking: ({ nodePool, canaries, until }) => {
    const nodes = counted(canaries, 'node');
    const first =
      until === undefined
        ? `${nodes} of what the NodePool asks for now must be ready first`
        : `${nodes} of what the NodePool asks for now ${canaries === 1 ? 'soaks' : 'soak'} until ${moment(until)}`;
    return `NodePool ${nodePool} replaces drifted nodes in stages (berth.driftRollout), and ${first}; wait`;
  },
  DriftPaused: ({ nodePool, target, why }) =>
    `the roll-out of drift in NodePool ${nodePool} is paused: ${why}; change the NodePool or its node class, or resume with: kubectl annotate --overwrite policystatus ${policyStatusName('NodePool', nodePool)} ${RESUME_DRIFT_ANNOTATION}=${target}`,
  DriftBackOff: ({ nodePool, failures, until }) =>
    `${counted(failures, 'replacement')} of drifted nodes of NodePool ${nodePool} failed in a row; the next is launched after ${moment(until)}`,
};

export const DRIFT_TEXTS: RefusalTexts = { words: WORDS, quiet: [] };
