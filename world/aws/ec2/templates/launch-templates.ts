/** The account's launch templates: create, version, describe, change, delete. */
import type { Clock } from '../../../../src/ports/clock.js';
import type { Ids } from '../../model/ids.js';
import type { QueryNode } from '../../protocol/query.js';
import type { XmlStructure } from '../../protocol/xml.js';
import { ServiceError } from '../../model/service-error.js';
import { checkTemplateData, checkTemplateName } from './check-launch-template.js';
import { applyFilters, type FilterFields } from '../query/filters.js';
import type { LaunchTemplate, LaunchTemplateVersion } from './launch-template.js';
import { templateXml, versionXml } from './launch-template-xml.js';
import { pageOf } from '../../protocol/paging.js';
import { tagsFor, type Tagged } from '../query/tags.js';

const LIMITS = { min: 1, max: 200, usual: 200 };
const FIELDS: FilterFields<LaunchTemplate> = {
  'launch-template-name': ({ name }) => name,
  'launch-template-id': ({ id }) => id,
};

export interface LaunchTemplatesOptions {
  readonly clock: Clock;
  readonly ids: Ids;
  /** The caller, as an ARN. */
  readonly caller: string;
}

export class LaunchTemplates {
  readonly #clock: Clock;
  readonly #ids: Ids;
  readonly #caller: string;
  readonly #templates = new Map<string, LaunchTemplate>();
  /** By name: 5,000 templates are nothing unusual. */
  readonly #idByName = new Map<string, string>();

  constructor({ clock, ids, caller }: LaunchTemplatesOptions) {
    this.#clock = clock;
    this.#ids = ids;
    this.#caller = caller;
  }

  /**
   * The template and version that `LaunchTemplateId` or `LaunchTemplateName` and `Version` name; the default version when none.
   * @throws ServiceError InvalidLaunchTemplate….
   */
  resolve(reference: QueryNode): {
    readonly template: LaunchTemplate;
    readonly version: LaunchTemplateVersion;
  } {
    const template = this.#find(reference);
    return { template, version: findVersion(template, reference.text('Version') ?? '$Default') };
  }

  /** Of the template that the request names; undefined when there is none. */
  idOf(reference: QueryNode): string | undefined {
    const name = reference.text('LaunchTemplateName');
    const id = reference.text('LaunchTemplateId') ?? this.#idByName.get(name ?? '');
    return id !== undefined && this.#templates.has(id) ? id : undefined;
  }

  create(query: QueryNode): XmlStructure {
    const name = checkTemplateName(query.required('LaunchTemplateName'));
    if (this.#idByName.has(name))
      throw new ServiceError(
        'InvalidLaunchTemplateName.AlreadyExistsException',
        `Launch template name already in use: ${name}`,
      );
    const createdAt = this.#clock.now();
    const data = checkTemplateData(query.node('LaunchTemplateData'));
    const version = { number: 1, description: query.text('VersionDescription'), createdAt, data };
    const template: LaunchTemplate = {
      id: this.#ids.resource('lt'),
      name,
      createdAt,
      versions: new Map([[1, version]]),
      defaultVersion: 1,
      latestVersion: 1,
      tags: tagsFor(query, 'launch-template'),
    };
    this.#templates.set(template.id, template);
    this.#idByName.set(name, template.id);
    return { launchTemplate: templateXml(template, this.#caller) };
  }

  createVersion(query: QueryNode): XmlStructure {
    const template = this.#find(query);
    if (query.text('SourceVersion') !== undefined)
      throw new ServiceError('UnsupportedOperation', 'SourceVersion is not simulated: send the whole data');
    const version: LaunchTemplateVersion = {
      number: template.latestVersion + 1,
      description: query.text('VersionDescription'),
      createdAt: this.#clock.now(),
      data: checkTemplateData(query.node('LaunchTemplateData')),
    };
    const versions = new Map([...template.versions, [version.number, version]]);
    this.#templates.set(template.id, { ...template, versions, latestVersion: version.number });
    return { launchTemplateVersion: versionXml(template, version, this.#caller) };
  }

  modify(query: QueryNode): XmlStructure {
    const template = this.#find(query);
    const wanted = query.text('SetDefaultVersion') ?? query.required('DefaultVersion');
    const changed = { ...template, defaultVersion: findVersion(template, wanted).number };
    this.#templates.set(template.id, changed);
    return { launchTemplate: templateXml(changed, this.#caller) };
  }

  delete(query: QueryNode): XmlStructure {
    const template = this.#find(query);
    this.#templates.delete(template.id);
    this.#idByName.delete(template.name);
    return { launchTemplate: templateXml(template, this.#caller) };
  }

  deleteVersions(query: QueryNode): XmlStructure {
    const template = this.#find(query);
    const ref = { launchTemplateId: template.id, launchTemplateName: template.name };
    const gone: XmlStructure[] = [];
    const kept: XmlStructure[] = [];
    const versions = new Map(template.versions);
    for (const number of query.texts('LaunchTemplateVersion').map(Number)) {
      const code =
        number === template.defaultVersion ? 'unexpectedError' : 'launchTemplateVersionDoesNotExist';
      const entry = { ...ref, versionNumber: number };
      if (number !== template.defaultVersion && versions.delete(number)) gone.push(entry);
      else kept.push({ ...entry, responseError: { code, message: `Version ${String(number)} stays` } });
    }
    this.#templates.set(template.id, { ...template, versions });
    return {
      successfullyDeletedLaunchTemplateVersionSet: gone,
      unsuccessfullyDeletedLaunchTemplateVersionSet: kept,
    };
  }

  describe(query: QueryNode): XmlStructure {
    const ids = query.texts('LaunchTemplateId');
    const names = query.texts('LaunchTemplateName');
    const named = [...ids.map((id) => this.#byID(id)), ...names.map((name) => this.#byName(name))];
    const all = ids.length + names.length > 0 ? named : [...this.#templates.values()];
    const found = applyFilters(query, all, { fields: FIELDS, tags: ({ tags }) => tags });
    const { items, nextToken } = pageOf(query, found, LIMITS);
    return { launchTemplates: items.map((template) => templateXml(template, this.#caller)), nextToken };
  }

  describeVersions(query: QueryNode): XmlStructure {
    const template = this.#find(query);
    const wanted = query.texts('LaunchTemplateVersion');
    const versions =
      wanted.length === 0
        ? [...template.versions.values()].reverse()
        : wanted.map((version) => findVersion(template, version));
    const { items, nextToken } = pageOf(query, versions, LIMITS);
    return {
      launchTemplateVersionSet: items.map((version) => versionXml(template, version, this.#caller)),
      nextToken,
    };
  }

  /** The template as something with tags. @throws ServiceError InvalidLaunchTemplateId.NotFound. */
  tagged(id: string): Tagged | undefined {
    if (!id.startsWith('lt-')) return undefined;
    const template = this.#byID(id);
    return { tags: template.tags, setTags: (tags) => this.#templates.set(id, { ...template, tags }) };
  }

  #find(reference: QueryNode): LaunchTemplate {
    const id = reference.text('LaunchTemplateId');
    return id === undefined ? this.#byName(reference.required('LaunchTemplateName')) : this.#byID(id);
  }

  #byID(id: string): LaunchTemplate {
    const template = this.#templates.get(id);
    if (template) return template;
    throw new ServiceError(
      'InvalidLaunchTemplateId.NotFound',
      `The specified launch template, with template ID ${id}, does not exist.`,
    );
  }

  #byName(name: string): LaunchTemplate {
    const template = this.#templates.get(this.#idByName.get(name) ?? '');
    if (template) return template;
    throw new ServiceError(
      'InvalidLaunchTemplateName.NotFoundException',
      `The specified launch template, with template name ${name}, does not exist.`,
    );
  }
}

function findVersion(template: LaunchTemplate, wanted: string): LaunchTemplateVersion {
  const aliases: Readonly<Record<string, number>> = {
    $Default: template.defaultVersion,
    $Latest: template.latestVersion,
  };
  const version = template.versions.get(aliases[wanted] ?? Number(wanted));
  if (version) return version;
  throw new ServiceError(
    'InvalidLaunchTemplateId.VersionNotFound',
    `Could not find the specified version ${wanted} for the launch template with ID ${template.id}.`,
  );
}
