/** RunInstances: one type in one subnet, all at least that are asked for, or an error. */
import { offeringFaultOf, type Fault } from '../../faults/fault-plan.js';
import { throttled } from '../../faults/meet-faults.js';
import type { QueryNode } from '../../protocol/query.js';
import type { XmlStructure } from '../../protocol/xml.js';
import { invalidValue, ServiceError } from '../../model/service-error.js';
import type { Account } from '../account/account.js';
import { launchAuthorizations } from './authorization.js';
import { reservationXml } from './instance-xml.js';
import { launchCandidate, type LaunchCandidate } from './launch-candidate.js';
import { overlay, readSettings, type LaunchSettings } from './launch-settings.js';
import { Room } from './room.js';

/** What a launch is short of is the server's fault: 500, which SDKs retry. */
const OUT_OF_STOCK = new Set(['InsufficientInstanceCapacity', 'InsufficientCapacityOnHost']);

/** @throws ServiceError on anything that keeps it from launching at least MinCount. */
export function runInstances(account: Account, query: QueryNode, faults: readonly Fault[]): XmlStructure {
  const { settings, templateTags } = checkRunInstances(account, query);
  const candidate = launchCandidate(account, settings, settings.isSpot ? 'spot' : 'on-demand');
  const count = countFor(account, query, candidate, faults);
  if (!account.throttle.instances('launch', count)) throw throttled();
  for (let taken = 0; taken < count && candidate.reservation === undefined; taken++)
    account.stock.take(candidate.pool);
  const launched = account.instances.launch(
    { ...candidate.description, clientToken: query.text('ClientToken') },
    new Map([...settings.tags, ...templateTags]),
    count,
  );
  return reservationXml(account, launched, account.clock.now());
}

/** What is to be launched, when the caller may do it. @throws ServiceError UnauthorizedOperation, InvalidLaunchTemplate… */
export function checkRunInstances(account: Account, query: QueryNode): RunSettings {
  const found = settingsOf(account, query);
  const { settings, templateTags } = found;
  account.access.checkEc2(() =>
    launchAuthorizations(account, settings, {
      createAction: 'RunInstances',
      isSpot: settings.isSpot,
      templateID: templateTags.get('aws:ec2launchtemplate:id'),
    }),
  );
  return found;
}

interface RunSettings {
  readonly settings: LaunchSettings;
  readonly templateTags: ReadonlyMap<string, string>;
}

function settingsOf({ templates }: Account, query: QueryNode): RunSettings {
  const own = readSettings(query);
  if (query.node('LaunchTemplate').isEmpty) return { settings: own, templateTags: new Map() };
  const { template, version } = templates.resolve(query.node('LaunchTemplate'));
  return {
    settings: overlay(own, readSettings(version.data)),
    templateTags: new Map([
      ['aws:ec2launchtemplate:id', template.id],
      ['aws:ec2launchtemplate:version', String(version.number)],
    ]),
  };
}

function countFor(
  account: Account,
  query: QueryNode,
  candidate: LaunchCandidate,
  faults: readonly Fault[],
): number {
  const least = query.integer('MinCount') ?? 1;
  const most = query.integer('MaxCount') ?? 1;
  if (least < 1 || most < least)
    throw invalidValue('MinCount', String(least), 'It must be from 1 to MaxCount.');
  const fault = offeringFaultOf(faults, candidate.pool);
  const { instances, refusal } = new Room(account).left(candidate);
  if (fault === undefined && instances >= least) return Math.min(instances, most);
  const { code, message } = fault ?? refusal;
  throw new ServiceError(code, message ?? `Refused: ${code}`, OUT_OF_STOCK.has(code) ? 500 : 400);
}
