/** Images that the terms of a node class select. */
import type { NodeClassSpec } from '../../api/ec2-node-class.js';
import { newestImages } from './choose-images.js';
import type { ImageQuestion, Images } from './images.js';
import type { Parameters } from './parameters.js';
import type { ResolvedImage } from './resolution.js';
import { familyOfAlias } from '../../families/families.js';
import type { ImageVariant } from '../../families/family.js';
import { describeTerms, termFilters } from './selector-terms.js';

export interface ImageTermsOptions {
  readonly images: Images;
  readonly parameters: Parameters;
  /** `1.36`: what the nodes will run, for aliases. @throws PortError */
  readonly kubernetesVersion: (signal?: AbortSignal) => Promise<string>;
  readonly region: string;
}

export interface FoundImages {
  readonly images: readonly ResolvedImage[];
  readonly problems: readonly string[];
}

export type ImageTerm = NodeClassSpec['amiSelectorTerms'][number];

const FIELD = 'spec.amiSelectorTerms';
/** Default owners of images: those that other accounts cannot add images to. */
const USUAL_OWNERS = ['amazon', 'self'];

/** The images of all terms together, or a sentence on why there is none. @throws PortError */
export async function imagesOfTerms(
  options: ImageTermsOptions,
  terms: readonly ImageTerm[],
  signal?: AbortSignal,
): Promise<FoundImages> {
  const named = await namedImages(options, terms, signal);
  const questions = [...byID(named.variants), ...terms.flatMap(byFields)];
  const answers = await Promise.all(questions.map((question) => options.images.find(question, signal)));
  const images = answers.flat().map((image) => ({ ...image, variants: named.variants.get(image.id) }));
  if (images.length > 0 || named.problems.length > 0)
    return { images: newestImages(images), problems: images.length > 0 ? [] : named.problems };
  return { images: [], problems: [nothingMatches(terms, options.region)] };
}

interface NamedImages {
  /** Of the images that are named by id, wherever the id was found. */
  readonly variants: ReadonlyMap<string, readonly ImageVariant[] | undefined>;
  readonly problems: readonly string[];
}

/** Images that terms name: by id, by an alias, in an SSM parameter. */
async function namedImages(
  options: ImageTermsOptions,
  terms: readonly ImageTerm[],
  signal?: AbortSignal,
): Promise<NamedImages> {
  const variants = new Map<string, readonly ImageVariant[] | undefined>();
  const problems: string[] = [];
  const held = await options.parameters.values(
    terms.flatMap(({ ssmParameter }) => ssmParameter ?? []),
    signal,
  );
  for (const [index, term] of terms.entries()) {
    const { id, alias, ssmParameter } = term;
    const place = `${FIELD}[${String(index)}]`;
    if (id !== undefined) variants.set(id, undefined);
    if (ssmParameter !== undefined) {
      const value = held.get(ssmParameter);
      if (value !== undefined && isImageID(value)) variants.set(value, undefined);
      else problems.push(badParameter(`${place}.ssmParameter ${ssmParameter}`, value, options.region));
    }
    if (alias !== undefined) {
      const { images, problem } = await aliasImages(options, alias, signal);
      for (const [image, of] of images) variants.set(image, of);
      if (problem !== undefined) problems.push(`${place}.alias ${alias}: ${problem}`);
    }
  }
  return { variants, problems };
}

interface AliasImages {
  readonly images: readonly (readonly [id: string, variants: readonly ImageVariant[] | undefined])[];
  /** Why there is none. */
  readonly problem: string | undefined;
}

async function aliasImages(
  { parameters, kubernetesVersion, region }: ImageTermsOptions,
  alias: string,
  signal?: AbortSignal,
): Promise<AliasImages> {
  const kubernetes = await kubernetesVersion(signal);
  const family = familyOfAlias(alias)?.alias;
  const missing = family?.missingFor?.(kubernetes);
  if (missing !== undefined) return { images: [], problem: missing };
  const wanted = family?.parameters(kubernetes, alias.slice(alias.indexOf('@') + 1)) ?? [];
  const values = await parameters.values(
    wanted.map(({ path }) => path),
    signal,
  );
  const images = wanted.flatMap(({ path, variants }) => {
    const value = values.get(path);
    return value === undefined || !isImageID(value) ? [] : [[value, variants] as const];
  });
  return { images, problem: images.length === 0 ? notPublished(alias, kubernetes, region) : undefined };
}

function isImageID(value: string): boolean {
  return /^ami-[0-9a-z]+$/.test(value);
}

/** An image that is named by id is used, deprecated or not. */
function byID(variants: NamedImages['variants']): readonly ImageQuestion[] {
  if (variants.size === 0) return [];
  const filters = [{ Name: 'image-id', Values: [...variants.keys()].sort() }];
  return [{ filters, owners: undefined, includeDeprecated: true }];
}

/** The question of a term that describes images; none where it names one. */
function byFields({ id, alias, ssmParameter, ...term }: ImageTerm): readonly ImageQuestion[] {
  if (id !== undefined || alias !== undefined || ssmParameter !== undefined) return [];
  const { owner } = term;
  const filters = termFilters(term, { id: 'image-id', name: 'name' });
  if (filters.length === 0) return [];
  return [{ filters, owners: owner === undefined ? USUAL_OWNERS : [owner], includeDeprecated: false }];
}

function badParameter(parameter: string, value: string | undefined, region: string): string {
  if (value === undefined)
    return `${parameter}: there is no such SSM parameter in ${region}: create it, or correct its name`;
  return `${parameter} holds ${JSON.stringify(value.slice(0, 40))}, which is not the id of an image: it must look like ami-0123456789abcdef0`;
}

function notPublished(alias: string, kubernetes: string, region: string): string {
  const hint = alias.endsWith('@latest') ? '' : ', or use the version latest';
  return `AWS publishes no such image for Kubernetes ${kubernetes} in ${region}: choose a version that exists${hint}`;
}

function nothingMatches(terms: readonly ImageTerm[], region: string): string {
  return (
    `${describeTerms(FIELD, terms)}: no image in ${region} matches: it must be available, of architecture x86_64 or arm64, ` +
    `not deprecated (unless named by id), and owned by amazon or self unless the term names an owner`
  );
}
