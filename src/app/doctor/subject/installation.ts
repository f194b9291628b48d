/** How Berth is installed: the Deployment's flags and environment, read as its process reads them. */
import type { CheckFinding } from '../../../domain/records/check-finding.js';
import { failed } from '../../../domain/records/check-finding.js';
import { parseArguments } from '../../command/parse-arguments.js';
import { isUsageError } from '../../command/usage-error.js';
import { readServiceOptions, SERVICE_FLAGS } from '../../service/options/options.js';
import type { ServiceOptions } from '../../service/options/service-options.js';
import { field, fields, text } from './object-fields.js';

/** Name of the Deployment, its container and its Lease. */
export const CONTROLLER = 'berth';
export const SECOND_SCHEDULER = 'berth-scheduler';
export const CERTIFICATES = 'berth-certificates';

export function missingController(namespace: string): CheckFinding {
  return failed(
    `the Deployment ${CONTROLLER} does not exist in the namespace ${namespace}`,
    'Install the chart (docs/install.md), or name the namespace with -n',
  );
}

/** The variables of the container that have a value of their own. */
export function shippedEnvironment(deployment: unknown): Readonly<Record<string, string>> {
  const pairs = fields(container(deployment), 'env').flatMap((entry) => {
    const value = entry['value'];
    return typeof value === 'string' ? [[text(entry, 'name'), value] as const] : [];
  });
  return Object.fromEntries(pairs);
}

/** What follows the command in the container's arguments. */
export function shippedArguments(deployment: unknown): readonly string[] {
  const args = field(container(deployment), 'args');
  return Array.isArray(args) ? args.slice(1).map(String) : [];
}

/** The options that the process has, with what these surroundings have where it has none; or what is wrong with one of them. */
export function shippedOptions(
  deployment: unknown,
  namespace: string,
  surroundings: Readonly<Record<string, string | undefined>> = {},
): { readonly options: ServiceOptions } | { readonly problem: string } {
  const env = { ...surroundings, POD_NAMESPACE: namespace, ...shippedEnvironment(deployment) };
  try {
    const args = parseArguments(shippedArguments(deployment), { flags: SERVICE_FLAGS, maxWords: 0 });
    return { options: readServiceOptions(args, env) };
  } catch (error) {
    if (isUsageError(error)) return { problem: error.message };
    throw error;
  }
}

function container(deployment: unknown): unknown {
  const containers = fields(deployment, 'spec', 'template', 'spec', 'containers');
  return containers.find(({ name }) => name === CONTROLLER) ?? containers[0];
}
