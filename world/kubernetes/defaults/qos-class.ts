/** A pod's quality of service, from what its containers ask for (k8s.io/kubernetes/pkg/apis/core/v1/helper/qos). */
import { equalJson, listAt, objectAt, type JsonObject } from '../objects/json.js';

const COUNTED = ['cpu', 'memory'];

export function qosClassOf(spec: JsonObject): 'Guaranteed' | 'Burstable' | 'BestEffort' {
  const containers = [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')];
  const resources = containers.map((container) => ({
    requests: counted(objectAt(container, 'resources', 'requests')),
    limits: counted(objectAt(container, 'resources', 'limits')),
  }));
  const isEmpty = (list: JsonObject): boolean => Object.keys(list).length === 0;
  if (resources.every(({ requests, limits }) => isEmpty(requests) && isEmpty(limits))) return 'BestEffort';
  const isGuaranteed = resources.every(({ requests, limits }) => {
    const isWhole = COUNTED.every((name) => limits[name] !== undefined);
    return isWhole && (isEmpty(requests) || equalJson(requests, limits));
  });
  return isGuaranteed ? 'Guaranteed' : 'Burstable';
}

function counted(list: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(list).filter(([name]) => COUNTED.includes(name)));
}
