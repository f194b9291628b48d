/** Names of attributes and capacities of devices. */

/** `domain/name` in full: a name without a domain is in this one. */
export function qualifiedName(name: string, domain: string): string {
  return name.includes('/') ? name : `${domain}/${name}`;
}
