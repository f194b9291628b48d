/** Ports of the node that a pod binds. */
import type { HostPort } from '../../../../domain/pods/pod.js';
import { elements, flag, member, optionalInteger, optionalText, type Field } from '../../object/field.js';
import { isSidecar } from './pod-requests.js';

const ANY_ADDRESS = '0.0.0.0';

/**
 * Host ports of the containers and sidecars, each once (init containers that end do not count). With hostNetwork
 * every container port is one.
 */
export function readHostPorts(spec: Field): readonly HostPort[] {
  const hostNetwork = flag(member(spec, 'hostNetwork'));
  const sidecars = elements(member(spec, 'initContainers')).filter(isSidecar);
  const found = new Map<string, HostPort>();
  for (const container of [...sidecars, ...elements(member(spec, 'containers'))]) {
    for (const field of elements(member(container, 'ports'))) {
      const port = readHostPort(field, hostNetwork);
      if (port !== undefined) found.set(`${port.protocol} ${port.hostIP} ${String(port.port)}`, port);
    }
  }
  return [...found.values()];
}

function readHostPort(field: Field, hostNetwork: boolean): HostPort | undefined {
  const given = optionalInteger(member(field, 'hostPort'), 0, 65535) ?? 0;
  const containerPort = hostNetwork ? (optionalInteger(member(field, 'containerPort'), 1, 65535) ?? 0) : 0;
  const port = given === 0 ? containerPort : given;
  if (port === 0) return undefined;
  const hostIP = optionalText(member(field, 'hostIP')) ?? '';
  const protocol = optionalText(member(field, 'protocol')) ?? '';
  return { port, hostIP: hostIP === '' ? ANY_ADDRESS : hostIP, protocol: protocol === '' ? 'TCP' : protocol };
}
