/** `berth certs`: a CA, and the certificates that the webhooks, the extender and kube-scheduler need, as files. */
import { formatSeconds } from '../../../apis/kubernetes/object/time.js';
import { counted } from '../../../domain/values/text.js';
import { CERTIFICATE_FILES, DAY_MILLIS, LEAF_DAYS_MAX } from '../../../servers/tls/certificate-profile.js';
import { AuthorityError } from '../../../servers/tls/read-certificate.js';
import type {
  CertificateState,
  RenewalRequest,
  RenewedCertificates,
} from '../../../servers/tls/renew-certificates.js';
import type { RenewalReason } from '../../../servers/tls/renewal.js';
import type { CliIo } from '../../command/cli-io.js';
import type { Arguments, Command } from '../../command/command.js';
import { EXIT_FINDINGS, EXIT_OK } from '../../command/exit-codes.js';
import { OUTPUT_FLAG, outputOf } from '../../command/output-format.js';
import { jsonText, yamlText } from '../render/document-text.js';
import { tableLines } from '../render/text/table.js';
import { UsageError } from '../../command/usage-error.js';
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const DEFAULT_FOLDER = 'certs';
const DEFAULT_NAMESPACE = 'berth-system';

/** The command; `clock` tells the milliseconds since 1970. */
export function certsCommand(clock: () => number): Command {
  return {
    usage: '[--out DIR] [--namespace NAME] [--days N] [--renew] [-o table|json|yaml]',
    maxWords: 0,
    flags: [
      { name: 'out', value: 'DIR', help: `directory of the files (default: ${DEFAULT_FOLDER})` },
      {
        name: 'namespace',
        short: 'n',
        value: 'NAME',
        help: `namespace of the Services (default: ${DEFAULT_NAMESPACE})`,
      },
      {
        name: 'days',
        value: 'N',
        help: `lifetime of new certificates in days, 1 to ${String(LEAF_DAYS_MAX)} (default: ${String(LEAF_DAYS_MAX)})`,
      },
      { name: 'renew', help: 'renew all certificates but the CA, even if they are not due' },
      OUTPUT_FLAG,
    ],
    details: [
      'Keeps an existing CA, and renews certificates after two thirds of their lifetime. Keys have mode 0600 and are never printed. Exit code 3 when the CA expires before new certificates would.',
      'Example: berth certs --out certs --days 30',
    ],
    run: (args, io) => run(args, io, clock),
  };
}

export const CERTS = certsCommand(() => Date.now());

async function run(args: Arguments, io: CliIo, clock: () => number): Promise<number> {
  const days = daysOf(args);
  const namespace = namespaceOf(args);
  const folder = args.value('out') ?? DEFAULT_FOLDER;
  const now = clock();
  const renewed = await renewedIn(folder, {
    stored: readCertificates(folder, CERTIFICATE_FILES),
    namespace,
    local: true,
    days,
    now,
    renewAll: args.value('renew') !== undefined,
  });
  writeCertificates(folder, renewed.changed);
  writeResult(args, io, renewed);
  const { notAfter } = renewed.authority;
  if (notAfter >= now + days * DAY_MILLIS) return EXIT_OK;
  io.stderr.write(
    `the CA expires on ${formatSeconds(notAfter)}, earlier than certificates of ${counted(days, 'day')}\n`,
  );
  return EXIT_FINDINGS;
}

/** node-forge takes longer to load than most commands to run, so only this one loads it. */
async function renewedIn(folder: string, request: RenewalRequest): Promise<RenewedCertificates> {
  const { renewCertificates } = await import('../../../servers/tls/renew-certificates.js');
  try {
    return await renewCertificates(request);
  } catch (error) {
    if (!(error instanceof AuthorityError)) throw error;
    const hint = `to create a new CA, move ca.crt and ca.key out of ${folder}`;
    throw new UsageError(`${folder}: ${error.message}; ${hint}`, { cause: error });
  }
}

function daysOf(args: Arguments): number {
  const text = args.value('days') ?? String(LEAF_DAYS_MAX);
  const days = /^[1-9]\d?$/.test(text) ? Number(text) : Infinity;
  if (days <= LEAF_DAYS_MAX) return days;
  const range = `a whole number from 1 to ${String(LEAF_DAYS_MAX)}`;
  throw new UsageError(`--days ${text}: expected ${range}`, { aboutFlags: true });
}

/** RFC 1123 label, as Kubernetes wants namespaces. */
function namespaceOf(args: Arguments): string {
  const name = args.value('namespace') ?? DEFAULT_NAMESPACE;
  if (/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)) return name;
  const rule = 'at most 63 of a-z, 0-9 and -, with a letter or digit at both ends';
  throw new UsageError(`--namespace ${name}: expected ${rule}`, { aboutFlags: true });
}

function writeResult(args: Arguments, io: CliIo, renewed: RenewedCertificates): void {
  const states = [renewed.authority, ...renewed.leaves];
  switch (outputOf(args)) {
    case 'json':
      io.stdout.write(jsonText({ certificates: states.map(certificateDocument) }));
      break;
    case 'yaml':
      io.stdout.write(yamlText({ certificates: states.map(certificateDocument) }));
      break;
    case 'table':
      io.stdout.write(`${tableLines(COLUMNS, states.map(row)).join('\n')}\n`);
      io.stderr.write(`${counted(renewed.changed.size, 'file')} written\n`);
      break;
  }
}

const COLUMNS = ['CERTIFICATE', 'KEY', 'SUBJECT', 'EXPIRES', 'RENEWED-FROM', 'STATE'].map((header) => ({
  header,
}));

const REASONS: Readonly<Record<RenewalReason, string>> = {
  missing: 'made',
  unreadable: 'renewed: was unreadable',
  asked: 'renewed: requested',
  'other-authority': 'renewed: was issued by another CA',
  'other-key': 'renewed: did not match its key',
  'other-profile': 'renewed: names, usage or lifetime differed',
  'not-yet-valid': 'renewed: was not valid yet',
  'two-thirds': 'renewed: was past two thirds of its lifetime',
};

function row(state: CertificateState): readonly string[] {
  return [
    state.certificateFile,
    state.keyFile,
    `CN=${state.commonName}`,
    formatSeconds(state.notAfter),
    state.renewAt === undefined ? 'by hand' : formatSeconds(state.renewAt),
    state.reason === undefined ? 'kept' : REASONS[state.reason],
  ];
}

function certificateDocument(state: CertificateState): unknown {
  return {
    certificate: state.certificateFile,
    key: state.keyFile,
    commonName: state.commonName,
    names: state.names,
    notBefore: formatSeconds(state.notBefore),
    notAfter: formatSeconds(state.notAfter),
    ...(state.renewAt === undefined ? {} : { renewAt: formatSeconds(state.renewAt) }),
    state: state.reason === undefined ? 'kept' : 'made',
    ...(state.reason === undefined ? {} : { reason: state.reason }),
  };
}

// Certificates and keys as files of one folder. Keys are readable by their owner alone, and a CA is never overwritten.

const PEM_FILE_BYTES_MAX = 2 ** 20;
const KEY_MODE = 0o600;
const CERTIFICATE_MODE = 0o644;
const OTHERS = 0o077;

/**
 * The texts of those files that exist. A key that others may read is closed to them first.
 * @throws UsageError when the folder or a file cannot be read.
 */
function readCertificates(folder: string, names: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    names.flatMap((name) => {
      const text = attempt(join(folder, name), (path) => readPem(path));
      return text === undefined ? [] : [[name, text] as const];
    }),
  );
}

/**
 * Writes the files in their order, making the folder if need be. Each appears whole or not at all, so that a server that
 * reads it meanwhile sees the old one or the new one.
 * @throws UsageError when the folder or a file cannot be written, or a CA has appeared there.
 */
function writeCertificates(folder: string, files: ReadonlyMap<string, string>): void {
  attempt(folder, (path) => mkdirSync(path, { recursive: true }));
  for (const [name, text] of files)
    attempt(join(folder, name), (path) => {
      writePem(path, text, name.startsWith('ca.'));
    });
}

function readPem(path: string): string | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  if (stats.size > PEM_FILE_BYTES_MAX) throw new Error('too large for a certificate or a key');
  if (isKey(path) && (stats.mode & OTHERS) !== 0) chmodSync(path, KEY_MODE);
  return readFileSync(path, 'utf8');
}

function writePem(path: string, text: string, isAuthority: boolean): void {
  const mode = isKey(path) ? KEY_MODE : CERTIFICATE_MODE;
  if (isAuthority) {
    writeFileSync(path, text, { mode, flag: 'wx' });
    return;
  }
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    writeFileSync(draft, text, { mode, flag: 'wx' });
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

function isKey(path: string): boolean {
  return path.endsWith('.key');
}

function attempt<T>(path: string, act: (path: string) => T): T {
  try {
    return act(path);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UsageError(`${path}: ${reason}`, { cause: error });
  }
}
