/** Why nothing can be launched with the kubelet expressions of a node class, as Karpenter's controller tells. */
import type { NodeClassRefusal } from '../../../../ports/cloud.js';
import type { EC2NodeClass } from '../../api/ec2-node-class.js';
import type { Catalogue } from '../../catalogue/index.js';
import { compileProblems, describeExpressions } from '../../families/kubelet-expressions.js';

/** Problems that a message lists; there may be one for each of more than a thousand types. */
const MOST_LISTED = 5;

/** undefined where it has none, or each has a value for every instance type. */
export function expressionRefusal(
  { kubelet }: Pick<EC2NodeClass, 'kubelet'>,
  isAllowed: boolean,
  problemsOfTypes: () => ReturnType<Catalogue['expressionProblems']>,
): NodeClassRefusal | undefined {
  const { expressions } = kubelet;
  if (expressions === undefined) return undefined;
  if (!isAllowed)
    return {
      reason: 'KubeletExpressionsDisabled',
      message: `${describeExpressions(expressions)}: CEL expressions need --kubelet-expressions=yes (settings.awsFeatureGates.nodeClassCEL of the chart); set it, or write numbers`,
    };
  const invalid = compileProblems(expressions).map(
    ({ path, text }) => `spec.kubelet.${path.join('.')} ${text}`,
  );
  if (invalid.length > 0) return { reason: 'KubeletExpressionInvalid', message: listed(invalid) };
  const failed = problemsOfTypes();
  return failed.length === 0
    ? undefined
    : { reason: 'KubeletExpressionEvaluationFailed', message: listed(failed) };
}

function listed(problems: readonly string[]): string {
  const more = problems.length - MOST_LISTED;
  return [...problems.slice(0, MOST_LISTED), ...(more > 0 ? [`and ${String(more)} more`] : [])].join('; ');
}
