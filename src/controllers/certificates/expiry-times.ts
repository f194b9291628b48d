/** When certificates end. */
import { X509Certificate } from 'node:crypto';

/** Name of the file without `.crt` → end of its first certificate, in milliseconds since 1970. What cannot be read is left out. */
export function expiryTimes(files: ReadonlyMap<string, string>): ReadonlyMap<string, number> {
  const times = new Map<string, number>();
  for (const [file, pem] of files) {
    if (!file.endsWith('.crt')) continue;
    const time = endOf(pem);
    if (time !== undefined) times.set(file.slice(0, -'.crt'.length), time);
  }
  return times;
}

function endOf(pem: string): number | undefined {
  try {
    return Date.parse(new X509Certificate(pem).validTo);
  } catch {
    return undefined;
  }
}
