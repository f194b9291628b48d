/** Selector terms of node classes as EC2's filters: within a term everything must match, and any term will do. */

/** The fields that terms for subnets, security groups and images share. */
export interface SelectorTerm {
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly tags?: Readonly<Record<string, string>> | undefined;
}

export interface Ec2Filter {
  readonly Name: string;
  readonly Values: string[];
}

/** What the kind of thing calls its id and name in filters. */
export interface FilterNames {
  readonly id: string;
  readonly name?: string;
}

/**
 * One list of filters for each question that has to be asked: all ids in one, every other term for itself. Tag values and names
 * may hold EC2's wildcards `*` and `?`; the value `*` asks for the key alone.
 */
export function filterSets(terms: readonly SelectorTerm[], names: FilterNames): readonly Ec2Filter[][] {
  const ids = terms.flatMap(({ id }) => (id === undefined ? [] : [id]));
  const others = terms.filter(({ id }) => id === undefined).map((term) => termFilters(term, names));
  const byID = ids.length === 0 ? [] : [[{ Name: names.id, Values: [...new Set(ids)].sort() }]];
  // A term that says nothing would select everything there is.
  return [...byID, ...others.filter((filters) => filters.length > 0)];
}

/** Filters of a term without an id. */
export function termFilters({ name, tags = {} }: SelectorTerm, names: FilterNames): Ec2Filter[] {
  const byName = name === undefined || names.name === undefined ? [] : [{ Name: names.name, Values: [name] }];
  const byTag = Object.entries(tags)
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([key, value]) =>
      value === '*' ? { Name: 'tag-key', Values: [key] } : { Name: `tag:${key}`, Values: [value] },
    );
  return [...byName, ...byTag];
}

/** A term in words: `id subnet-1`, `tags environment=test, karpenter.sh/discovery=demo`. */
export function describeTerm(term: Readonly<Record<string, unknown>>): string {
  return Object.entries(term)
    .filter(([, value]) => value !== undefined)
    .map(([field, value]) => `${field} ${describeValue(value)}`)
    .join(' and ');
}

function describeValue(value: unknown): string {
  if (typeof value !== 'object' || value === null) return String(value);
  return Object.entries(value)
    .map(([key, text]) => `${key}=${String(text)}`)
    .join(', ');
}

/** `spec.subnetSelectorTerms[0] (id subnet-1), …`: all that a selector says, for the sentence that nothing matches. */
export function describeTerms(field: string, terms: readonly object[]): string {
  return terms
    .map((term, index) => `${field}[${String(index)}] (${describeTerm(term as Record<string, unknown>)})`)
    .join(', ');
}
