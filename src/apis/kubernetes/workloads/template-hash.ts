/** A short name for the content of a pod template. */

/** FNV-1a (32 bits, hex) of the value as JSON with sorted keys: equal templates get equal hashes. */
export function templateHash(template: unknown): string {
  const text = JSON.stringify(template, sortKeys) as string | undefined;
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text ?? '')) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
