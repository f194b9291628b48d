/** The requests of k8s.io/kube-scheduler/extender/v1. */
import type { Victims } from '../../planning/placement/preempt.js';
import {
  fieldOf,
  integerAt,
  isName,
  listAt,
  objectAt,
  nameAt,
  WireError,
  type WireObject,
} from './wire-fields.js';
import type { WireBody } from './wire-body.js';
import type { NamesText } from './wire-names.js';

/** ExtenderArgs: the verbs `filter` and `prioritize`. */
export interface NodesRequest {
  readonly pod: WireObject;
  /** The names as they were sent, where they were taken from that text. */
  readonly text: NamesText | undefined;
  readonly nodeNames: () => readonly string[];
  /** Whole nodes, in the order of their names, from a kube-scheduler configured with nodeCacheCapable: false. */
  readonly nodes: readonly unknown[] | undefined;
}

/** ExtenderPreemptionArgs, whether the victims came as pods or as UIDs. */
export interface PreemptRequest {
  readonly pod: WireObject;
  readonly victims: ReadonlyMap<string, Victims>;
}

/** @throws WireError naming the field that is wrong. */
export function readNodesRequest({ value, names: text }: WireBody): NodesRequest {
  const args = objectAt(value, 'ExtenderArgs');
  const pod = readPod(args);
  if (text !== undefined) return { pod, text, nodeNames: () => splitNames(text), nodes: undefined };
  const names = fieldOf(args, 'NodeNames');
  if (names !== undefined && names !== null) {
    const nodeNames = checkNames(listAt(names, 'NodeNames'));
    return { pod, text, nodeNames: () => nodeNames, nodes: undefined };
  }
  const list = fieldOf(args, 'Nodes');
  if (list === undefined || list === null)
    throw new WireError('NodeNames and Nodes are both missing; one of them must list the nodes');
  const nodes = listAt(fieldOf(objectAt(list, 'Nodes'), 'items'), 'Nodes.items');
  const nodeNames = nodes.map(readNodeName);
  return { pod, text, nodeNames: () => nodeNames, nodes };
}

/** @throws WireError naming the field that is wrong. */
export function readPreemptRequest({ value }: WireBody): PreemptRequest {
  const args = objectAt(value, 'ExtenderPreemptionArgs');
  const pod = readPod(args);
  const meta = fieldOf(args, 'NodeNameToMetaVictims');
  if (meta !== undefined && meta !== null)
    return { pod, victims: readVictims(meta, 'NodeNameToMetaVictims', readMetaPod) };
  const whole = fieldOf(args, 'NodeNameToVictims') ?? {};
  return { pod, victims: readVictims(whole, 'NodeNameToVictims', readWholePod) };
}

function readPod(args: WireObject): WireObject {
  return objectAt(fieldOf(args, 'Pod'), 'Pod');
}

function splitNames({ bytes }: NamesText): readonly string[] {
  return bytes.toString('latin1').slice(1, -1).split('","');
}

/** No copy: there may be thousands, and nearly always all are right. */
function checkNames(names: readonly unknown[]): readonly string[] {
  const wrong = names.findIndex((name) => !isName(name));
  if (wrong >= 0) nameAt(names[wrong], `NodeNames[${String(wrong)}]`);
  return names as readonly string[];
}

function readNodeName(node: unknown, index: number): string {
  const path = `Nodes.items[${String(index)}]`;
  const metadata = objectAt(fieldOf(objectAt(node, path), 'metadata'), `${path}.metadata`);
  return nameAt(fieldOf(metadata, 'name'), `${path}.metadata.name`);
}

function readVictims(
  value: unknown,
  path: string,
  readUID: (pod: WireObject, path: string) => string,
): ReadonlyMap<string, Victims> {
  const entries = Object.entries(objectAt(value, path)).map(([node, victims]): [string, Victims] => {
    if (!isName(node)) nameAt(node, `${path}: a key`);
    const at = `${path}[${JSON.stringify(node)}]`;
    const object = objectAt(victims, at);
    const pods = listAt(fieldOf(object, 'Pods'), `${at}.Pods`);
    const uids = pods.map((pod, index) => {
      const podPath = `${at}.Pods[${String(index)}]`;
      return readUID(objectAt(pod, podPath), podPath);
    });
    const violations = integerAt(fieldOf(object, 'NumPDBViolations'), `${at}.NumPDBViolations`);
    return [node, { uids, numPDBViolations: violations }];
  });
  return new Map(entries);
}

function readMetaPod(pod: WireObject, path: string): string {
  return nameAt(fieldOf(pod, 'UID'), `${path}.UID`);
}

function readWholePod(pod: WireObject, path: string): string {
  const metadata = objectAt(fieldOf(pod, 'metadata'), `${path}.metadata`);
  return nameAt(fieldOf(metadata, 'uid'), `${path}.metadata.uid`);
}
