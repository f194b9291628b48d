/** What a cluster under test needs of a cloud: that Berth can buy there, and that what it bought comes up. */
import type { SeenMachine, World } from '../../scenario/world.js';
import type { StandInKubelet } from '../kubelet/stand-in-kubelet.js';

export interface MachineBackend {
  /** Flags of the controller that name it; served since `serve`. */
  readonly flags: readonly string[];
  /** Listens on loopback, and has machines bring their nodes up and down under the kubelet; answers what ends both. */
  serve(kubelet: StandInKubelet): Promise<() => Promise<void>>;
  /** All machines, ended ones too. */
  machines(): readonly SeenMachine[];
  setStock: World['setStock'];
}
