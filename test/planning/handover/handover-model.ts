/** What each step does to what is there, and what living controllers would do with an instance in such a state. */
import type { HandoverState, HandoverStep, OwnerTraces } from '../../../src/planning/handover/steps.js';

const NONE: OwnerTraces = { claim: undefined, tags: { some: false, all: false }, holdsNode: false };
const WHOLE: OwnerTraces = {
  claim: { namesInstance: true, hasFinalizer: true },
  tags: { some: true, all: true },
  holdsNode: true,
};

export const KARPENTERS: HandoverState = { karpenter: WHOLE, berth: { ...NONE, handover: undefined } };
export const BERTHS: HandoverState = { karpenter: NONE, berth: { ...WHOLE, handover: undefined } };

/** Of an instance in a cloud where Karpenter has no tags. */
export function withoutKarpenterTags(state: HandoverState): HandoverState {
  return { ...state, karpenter: { ...state.karpenter, tags: { some: false, all: true } } };
}

type Change = (state: HandoverState) => HandoverState;

const berth =
  (part: (before: HandoverState['berth']) => Partial<HandoverState['berth']>): Change =>
  (state) => ({ ...state, berth: { ...state.berth, ...part(state.berth) } });
const karpenter =
  (part: (before: OwnerTraces) => Partial<OwnerTraces>): Change =>
  (state) => ({ ...state, karpenter: { ...state.karpenter, ...part(state.karpenter) } });

const created = { namesInstance: false, hasFinalizer: true };
const named = { namesInstance: true, hasFinalizer: true };

function holdAs(handover: 'adopting' | 'releasing'): Change {
  return berth(({ claim }) => ({ handover, claim: claim && { ...claim, hasFinalizer: true } }));
}

const CHANGES: Readonly<Record<Exclude<HandoverStep, 'HoldNodeClaim'>, Change>> = {
  CreateNodeClaim: berth(() => ({ claim: created, handover: 'adopting' })),
  WriteNodeClaimStatus: berth(() => ({ claim: named })),
  AddTags: berth(() => ({ tags: { some: true, all: true } })),
  TakeNode: (state) => berth(() => ({ holdsNode: true }))(karpenter(() => ({ holdsNode: false }))(state)),
  RemoveKarpenterTags: karpenter(() => ({ tags: { some: false, all: false } })),
  RemoveKarpenterFinalizer: karpenter(({ claim }) => ({ claim: claim && { ...claim, hasFinalizer: false } })),
  DeleteKarpenterNodeClaim: karpenter(() => ({ claim: undefined })),
  ActivateNodeClaim: berth(() => ({ handover: undefined })),
  CreateKarpenterNodeClaim: karpenter(({ claim }) => ({
    claim: claim ? { ...claim, hasFinalizer: true } : created,
  })),
  WriteKarpenterNodeClaimStatus: karpenter(() => ({ claim: named })),
  AddKarpenterTags: karpenter(() => ({ tags: { some: true, all: true } })),
  GiveNode: (state) => karpenter(() => ({ holdsNode: true }))(berth(() => ({ holdsNode: false }))(state)),
  RemoveTags: berth(() => ({ tags: { some: false, all: false } })),
  RemoveFinalizer: berth(({ claim }) => ({ claim: claim && { ...claim, hasFinalizer: false } })),
  DeleteNodeClaim: berth(() => ({ claim: undefined, handover: undefined })),
};

export function afterStep(
  state: HandoverState,
  step: HandoverStep,
  direction: 'adopting' | 'releasing',
): HandoverState {
  return step === 'HoldNodeClaim' ? holdAs(direction)(state) : CHANGES[step](state);
}

/** What would go wrong if the controllers ran now; empty when nothing would. */
export function hazards(state: HandoverState): readonly string[] {
  return HAZARDS.filter(([, isSo]) => isSo(state)).map(([hazard]) => hazard);
}

type Hazard = readonly [string, (state: HandoverState) => boolean];

const HAZARDS: readonly Hazard[] = [
  [
    'Karpenter terminates an instance that has its tags and no NodeClaim',
    (state) => state.karpenter.tags.some && !isTheirs(state),
  ],
  [
    'Berth terminates an instance that has its tag and no NodeClaim',
    ({ berth: { tags, claim } }) => tags.some && claim === undefined,
  ],
  ['Berth misses the instance of its NodeClaim', (state) => isActive(state) && !state.berth.tags.all],
  [
    'Berth launches an instance',
    ({ berth: { claim, handover } }) => claim?.namesInstance === false && handover === undefined,
  ],
  [
    'Kubernetes deletes a Node whose owner is gone',
    ({ karpenter: { holdsNode, claim } }) => holdsNode && claim === undefined,
  ],
  [
    'Berth takes a Node without a NodeClaim for one that leaves',
    ({ berth: { holdsNode, claim } }) => holdsNode && claim === undefined,
  ],
  ['both act on the instance', (state) => isActive(state) && isTheirs(state)],
  [
    'no NodeClaim names the instance',
    (state) => !isTheirs(state) && state.berth.claim?.namesInstance !== true,
  ],
];

function isActive({ berth: { claim, handover } }: HandoverState): boolean {
  return claim?.namesInstance === true && handover === undefined;
}

function isTheirs({ karpenter: { claim } }: HandoverState): boolean {
  return claim?.namesInstance === true;
}
