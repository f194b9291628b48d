/** MIME multipart documents, as cloud-init and nodeadm read them: taken apart and put together. */

export interface MimePart {
  /** Header lines, without an empty one. */
  readonly headers: string;
  readonly body: string;
}

/** undefined when the text is no MIME document; `problem` when it is a broken one. */
export type MimeDocument = { readonly parts: readonly MimePart[] } | { readonly problem: string } | undefined;

/** The parts in their order; a document that is not multipart is one part. */
export function readMime(text: string): MimeDocument {
  if (!/^\s*(?:MIME-Version|Content-Type)\s*:/i.test(text)) return undefined;
  const { headers, body } = splitPart(text.trimStart());
  const unfolded = headers.replaceAll(/\n[ \t]+/g, ' ');
  if (!/^Content-Type\s*:\s*multipart\//im.test(unfolded)) return { parts: [{ headers, body }] };
  const found = /^Content-Type\s*:.*\bboundary\s*=\s*(?:"([^"]+)"|([^\s;"]+))/im.exec(unfolded);
  const boundary = found?.[1] ?? found?.[2];
  if (boundary === undefined) return { problem: 'its MIME header Content-Type has no boundary' };
  const parts = partsOf(body, boundary);
  if (parts === undefined) return { problem: `its MIME boundary --${boundary} never comes` };
  return { parts };
}

function partsOf(body: string, boundary: string): readonly MimePart[] | undefined {
  const sections: string[][] = [];
  for (const line of body.split('\n')) {
    const end = line.trimEnd();
    if (end === `--${boundary}--`) break;
    if (end === `--${boundary}`) sections.push([]);
    else sections.at(-1)?.push(line);
  }
  return sections.length === 0 ? undefined : sections.map((lines) => splitPart(lines.join('\n')));
}

/** Headers end at the first empty line. */
function splitPart(text: string): MimePart {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const gap = lines.findIndex((line) => line.trim() === '');
  const end = gap < 0 ? lines.length : gap;
  return { headers: lines.slice(0, end).join('\n'), body: lines.slice(end + 1).join('\n') };
}

/** The document with these parts. Its boundary is `//`, lengthened where a part contains that. */
export function writeMime(parts: readonly MimePart[]): string {
  let boundary = '//';
  while (parts.some(({ body }) => body.split('\n').some((line) => line.startsWith(`--${boundary}`))))
    boundary += '/';
  return [
    'MIME-Version: 1.0',
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    '',
    ...parts.flatMap(({ headers, body }) => [`--${boundary}`, headers, '', body.replace(/\n*$/, ''), '']),
    `--${boundary}--`,
    '',
  ].join('\n');
}

/** A part of this type. */
export function mimePart(contentType: string, body: string): MimePart {
  return { headers: `Content-Type: ${contentType}`, body };
}

export const SHELL_SCRIPT = 'text/x-shellscript; charset="us-ascii"';
