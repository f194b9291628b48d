/** Reads userData as the images do: NodeConfig of AL2023, bootstrap.sh of AL2, TOML of Bottlerocket, alone or in MIME parts. */
import { parse } from 'yaml';
import { bottlerocketSettings } from './bottlerocket.js';
import { fromFlags, merged, NOTHING, type KubeletSettings, type Registration } from './registration.js';

interface NodeConfig {
  readonly kind?: string;
  readonly spec?: {
    readonly kubelet?: {
      readonly config?: KubeletSettings | null;
      readonly flags?: readonly string[] | null;
    };
  };
}

/** What cannot be read says nothing: such instances join with what they are, if at all. */
export function readUserData(userData: string): Registration {
  return partsOf(userData).map(readPart).reduce(merged, NOTHING);
}

function partsOf(text: string): readonly string[] {
  const boundary = /content-type:\s*multipart\/[a-z]+;\s*boundary="?([^"\r\n]+)"?/i.exec(text)?.[1];
  if (boundary === undefined) return [text];
  return text
    .split(`--${boundary}`)
    .slice(1)
    .filter((part) => !part.startsWith('--'))
    .map(bodyOf);
}

/** What follows the headers. */
function bodyOf(part: string): string {
  return part.trimStart().replace(/^(?:[A-Za-z-]+:[^\n]*\n)+\s*?\n/, '');
}

function readPart(text: string): Registration {
  if (text.includes('node.eks.aws/')) return readNodeConfig(text);
  if (text.includes('/etc/eks/bootstrap.sh')) return readBootstrap(text);
  if (/^\s*\[settings/m.test(text)) return bottlerocketSettings(text);
  return NOTHING;
}

function readNodeConfig(text: string): Registration {
  let config: NodeConfig;
  try {
    config = parse(text) as NodeConfig;
  } catch {
    return NOTHING;
  }
  const { config: settings, flags } = config.spec?.kubelet ?? {};
  const flagged = fromFlags(flags ?? []);
  return { ...flagged, settings: { ...settings, ...flagged.settings }, family: 'AL2023' };
}

/** The flags are one word, in quotes, after --kubelet-extra-args. */
function readBootstrap(text: string): Registration {
  const [, , single, double, bare] =
    /--kubelet-extra-args[= ]('([^']*)'|"((?:[^"\\]|\\.)*)"|(\S+))/.exec(text) ?? [];
  const args = single ?? double?.replaceAll('\\"', '"') ?? bare ?? '';
  const flags = args.match(/--[a-z-]+=(?:"[^"]*"|\S*)/g) ?? [];
  return { ...fromFlags(flags), family: 'AL2' };
}
