/** User data as the simulated kubelets read it, which know nothing of how it is written. */
import { userDataFor } from '../../../../src/clouds/aws/families/user-data.js';
import { readUserData } from '../../../../world/kubelet/user-data.js';
import { KUBELET, userDataQuestion } from './question.js';

const TEAM = { key: 'team', value: 'a', effect: 'NoSchedule' };
const UNREGISTERED = { key: 'karpenter.sh/unregistered', effect: 'NoExecute' };

test.each([
  ['AL2', undefined],
  ['AL2', '#!/bin/bash\necho /dev/null\n'],
  ['AL2023', undefined],
  ['AL2023', '#!/bin/bash\necho hello\n'],
  ['Bottlerocket', undefined],
  ['Bottlerocket', '[settings.host-containers.admin]\nenabled = true\n'],
] as const)(
  'a node of %s registers with its labels and taints, whatever the user adds (%j)',
  (family, own) => {
    const userData = userDataFor(family, userDataQuestion({ own, kubelet: KUBELET }));
    const read = readUserData('text' in userData ? userData.text : '');
    expect(read.labels).toEqual({ 'karpenter.sh/nodepool': 'general', 'karpenter.sh/capacity-type': 'spot' });
    expect(read.taints).toHaveLength(2);
    expect(read.taints).toMatchObject([TEAM, UNREGISTERED]);
    expect(read.family).toBe(family);
    expect(read.settings).toMatchObject({ maxPods: 50 });
  },
);
