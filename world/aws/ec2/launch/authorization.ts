/**
 * What EC2 asks IAM about a request: the action on each resource that it touches, with the condition keys that policies may
 * name (Service Authorization Reference, Amazon EC2).
 */
import type { Labels } from '../../../../src/domain/values/labels.js';
import type { AccessAsk } from '../../iam/access.js';
import type { QueryNode } from '../../protocol/query.js';
import { ServiceError } from '../../model/service-error.js';
import type { Account } from '../account/account.js';
import type { FleetOverride } from './fleet-candidates.js';
import type { LaunchSettings } from './launch-settings.js';
import { tagsFor, type TaggedLookup } from '../query/tags.js';

type Context = readonly (readonly [string, readonly string[]])[];

const RUN = 'ec2:RunInstances';

/** Kinds of resources that a launch creates, in the order in which they are judged. */
const CREATED = ['instance', 'volume', 'network-interface', 'spot-instances-request'] as const;

/** Prefix of an id → its kind in ARNs. */
const KINDS: ReadonlyMap<string, string> = new Map([
  ['i', 'instance'],
  ['lt', 'launch-template'],
  ['subnet', 'subnet'],
  ['sg', 'security-group'],
  ['ami', 'image'],
]);

/** What stands before any work is done. `lookups` find tagged resources by id. */
export function authorizations(
  account: Account,
  action: string,
  query: QueryNode,
  lookups: readonly TaggedLookup[],
): readonly AccessAsk[] {
  const name = `ec2:${action}`;
  const onIDs = (ids: readonly string[], context: Context = []): readonly AccessAsk[] =>
    ids.map((id) => ({
      action: name,
      resource: arnOf(account, id),
      context: [...resourceTags(tagsOf(lookups, id)), ...context],
    }));
  switch (action) {
    case 'RebootInstances':
    case 'TerminateInstances':
      return onIDs(query.texts('InstanceId'));
    case 'CreateTags':
    case 'DeleteTags': {
      const tags = new Map(query.list('Tag').map((tag) => [tag.required('Key'), tag.text('Value') ?? '']));
      return onIDs(query.texts('ResourceId'), requestTags(tags));
    }
    case 'DeleteLaunchTemplate':
      return onIDs([account.templates.idOf(query) ?? 'lt-unknown']);
    case 'CreateLaunchTemplate':
      return created(account, action, 'launch-template', tagsFor(query, 'launch-template'));
    case 'CreateFleet':
      return created(account, action, 'fleet', tagsFor(query, 'fleet'));
    default:
      // RunInstances is judged by its settings, once they are read.
      return action === 'RunInstances' ? [] : [{ action: name }];
  }
}

export interface LaunchAuthorization {
  /** The call that creates them: policies know it as ec2:CreateAction. */
  readonly createAction: 'RunInstances' | 'CreateFleet';
  readonly isSpot: boolean;
  /** Id of the launch template; undefined without one. */
  readonly templateID: string | undefined;
}

/** RunInstances on everything that one launch creates and uses. */
export function launchAuthorizations(
  account: Account,
  settings: LaunchSettings,
  { createAction, isSpot, templateID: template }: LaunchAuthorization,
): readonly AccessAsk[] {
  const made = CREATED.filter((kind) => isSpot || kind !== 'spot-instances-request').flatMap((kind) => {
    const tags = settings.resourceTags.get(kind) ?? new Map<string, string>();
    const asks = created(account, createAction, kind, tags);
    return asks.map((ask) =>
      ask.action === 'ec2:CreateTags'
        ? ask
        : { ...ask, action: RUN, context: [...(ask.context ?? []), ...factsOf(kind, settings)] },
    );
  });
  const { network, templates } = account;
  const used: readonly (readonly [string | undefined, Labels | undefined])[] = [
    [settings.subnetID, network.subnet(settings.subnetID ?? '')?.tags],
    ...settings.securityGroupIDs.map((id) => [id, network.securityGroup(id)?.tags] as const),
    [settings.imageID, account.images.find(settings.imageID ?? '')?.tags],
    [template, template === undefined ? undefined : templates.tagged(template)?.tags],
  ];
  return [
    ...made,
    ...used.flatMap(([id, tags]) =>
      id === undefined ? [] : [{ action: RUN, resource: arnOf(account, id), context: resourceTags(tags) }],
    ),
    ...passedRole(account, settings),
  ];
}

/** What of one override of a fleet a policy may refuse: what it uses is judged for both actions. */
export function overrideAuthorizations(
  account: Account,
  { settings, templateTags }: Pick<FleetOverride, 'settings' | 'templateTags'>,
  isSpot: boolean,
): readonly AccessAsk[] {
  const templateID = templateTags.get('aws:ec2launchtemplate:id');
  const asks = launchAuthorizations(account, settings, { createAction: 'CreateFleet', isSpot, templateID });
  return asks.flatMap((ask) =>
    ask.action === RUN && ask.resource?.endsWith('/*') === false
      ? [{ ...ask, action: 'ec2:CreateFleet' }, ask]
      : [ask],
  );
}

/** The action on what it creates, and CreateTags where it is tagged at once. */
function created(account: Account, action: string, kind: string, tags: Labels): readonly AccessAsk[] {
  const ask = {
    action: `ec2:${action}`,
    resource: `arn:aws:ec2:${account.region}:${account.id}:${kind}/*`,
    context: requestTags(tags),
  };
  if (tags.size === 0) return [ask];
  const context: Context = [...ask.context, ['ec2:CreateAction', [action]]];
  return [ask, { ...ask, action: 'ec2:CreateTags', context }];
}

function factsOf(kind: string, settings: LaunchSettings): Context {
  if (kind === 'volume') {
    // A volume that the image brings is as its snapshot, and theirs are not encrypted.
    const isEncrypted = settings.volumes.length > 0 && settings.volumes.every(({ encrypted }) => encrypted);
    return [['ec2:Encrypted', [String(isEncrypted)]]];
  }
  if (kind !== 'instance') return [];
  return [
    ['ec2:MetadataHttpTokens', [settings.metadata['httpTokens'] ?? 'optional']],
    ['ec2:InstanceType', [settings.instanceType ?? '']],
  ];
}

function passedRole({ profiles }: Account, { profile }: LaunchSettings): readonly AccessAsk[] {
  if (profile === undefined) return [];
  const resource = profiles.roleArn(profile) ?? '*';
  return [{ action: 'iam:PassRole', resource, context: [['iam:PassedToService', ['ec2.amazonaws.com']]] }];
}

function requestTags(tags: Labels): Context {
  if (tags.size === 0) return [];
  const each = [...tags].map(([key, value]) => [`aws:RequestTag/${key}`, [value]] as const);
  return [...each, ['aws:TagKeys', [...tags.keys()]]];
}

function resourceTags(tags: Labels = new Map()): Context {
  return [...tags].map(([key, value]) => [`aws:ResourceTag/${key}`, [value]] as const);
}

function arnOf({ region, id: account }: Account, id: string): string {
  const kind = KINDS.get(id.replace(/-.*$/, '')) ?? '*';
  return `arn:aws:ec2:${region}:${kind === 'image' ? '' : account}:${kind}/${id}`;
}

/** Tags of what is not there are not known, so that no condition about them holds. */
function tagsOf(lookups: readonly TaggedLookup[], id: string): Labels | undefined {
  try {
    for (const lookup of lookups) {
      const found = lookup(id);
      if (found) return found.tags;
    }
    return undefined;
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}
