/** The fake of the KubeWriter port that controllers are tested with keeps the port's contract. */
import { podKey } from '../../../src/domain/pods/pod.js';
import { VirtualClock } from '../virtual-clock.js';
import { WRITER_LAWS } from '../../contract/kube-writer.js';
import { observedNode } from '../builders/observed-node.js';
import { observedPod } from '../builders/observed-pod.js';
import { InMemoryKube } from './in-memory-kube.js';

test.each(WRITER_LAWS)('InMemoryKube $behaviour', async ({ expectOf }) => {
  const kube = new InMemoryKube({ clock: new VirtualClock() });
  await expectOf({
    kube,
    addNode: (name) => {
      const taints = [{ key: 'karpenter.sh/unregistered', value: '', effect: 'NoExecute' }] as const;
      const node = observedNode({ name, labels: { old: 'yes' }, taints });
      return Promise.resolve(kube.objects.put('Node', node));
    },
    addPod: (name) => Promise.resolve(kube.objects.put('Pod', observedPod({ name }))),
    addGatedPod: (name) => Promise.resolve(kube.objects.put('Pod', observedPod({ name, awaitsPlace: true }))),
    bind: (pod, nodeName) => {
      const stored = kube.objects.get('Pod', podKey(pod)) ?? pod;
      kube.objects.put('Pod', { ...stored, nodeName });
      return Promise.resolve();
    },
    protect: (pod, isProtected) => {
      if (isProtected) kube.protectedPods.add(podKey(pod));
      else kube.protectedPods.delete(podKey(pod));
    },
  });
});
