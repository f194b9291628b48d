/** Times as Kubernetes writes them. */

/** metav1.Time: RFC 3339 in whole seconds. */
export function timestamp(millis: number): string {
  return new Date(millis).toISOString().replace(/\.\d+Z$/, 'Z');
}

/** metav1.MicroTime, which wants six digits. */
export function microTimestamp(millis: number): string {
  return new Date(millis).toISOString().replace('Z', '000Z');
}
