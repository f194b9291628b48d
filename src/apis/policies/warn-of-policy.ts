/** What is allowed but will hurt: said when a policy is applied rather than when it is too late. */
import type { DecodedPolicy } from '../conversion/decode-policy.js';
import type { Findings } from '../decode/findings.js';
import { nodeClassCodec } from '../node-class/node-class-codecs.js';
import { warnOfBudgets } from './warn-of-budgets.js';
import { warnOfRequirements } from './warn-of-requirements.js';
import { warnOfWindows } from './warn-of-windows.js';

/** Adds warnings about one decoded policy to the findings of its document. */
export function warnOfPolicy(policy: DecodedPolicy, findings: Findings): void {
  switch (policy.kind) {
    case 'NodePool':
      warnOfLimits(policy.document.spec, findings);
      warnOfRequirements(policy, findings);
      warnOfBudgets(
        { path: ['spec', 'disruption', 'budgets'], budgets: policy.pool.disruption.budgets },
        findings,
      );
      warnOfBudgets({ path: ['berth', 'clusterBudgets'], budgets: policy.berth.clusterBudgets }, findings);
      warnOfWindows(policy.berth, findings);
      return;
    case 'NodeOverlay':
      warnOfIdle(policy.document.spec, { verb: 'changes', fields: OVERLAID }, findings);
      return;
    case 'PodDefaults':
      warnOfIdle(policy.document.spec, { verb: 'stamps', fields: STAMPED }, findings);
      return;
    default:
      nodeClassCodec(policy.kind).warn?.(policy.nodeClass, findings);
  }
}

function warnOfLimits(spec: { readonly limits?: object | undefined }, findings: Findings): void {
  if (Object.keys(spec.limits ?? {}).length > 0) return;
  findings.note({
    code: 'no-limits',
    path: ['spec'],
    text: 'has no limits: nothing bounds how many instances the NodePool may launch',
  });
}

const OVERLAID = ['price', 'priceAdjustment', 'capacity'];

const STAMPED = [
  'architecture',
  'capacityType',
  'nodePool',
  'spread',
  'nodeSelector',
  'tolerations',
  'schedulerName',
];

/** @param verb what the fields do, as in "stamps nothing". */
function warnOfIdle(
  spec: object,
  { verb, fields }: { readonly verb: string; readonly fields: readonly string[] },
  findings: Findings,
): void {
  if (fields.some((field) => Object.hasOwn(spec, field))) return;
  findings.warning({
    code: 'does-nothing',
    path: ['spec'],
    text: `${verb} nothing: it sets none of ${fields.join(', ')}`,
  });
}
