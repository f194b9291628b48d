/** Init containers that keep running beside the containers (KEP-753). */
import { member, type Field } from '../../object/field.js';

/** Whether the init container restarts always, and so is a sidecar. */
export function isSidecar(initContainer: Field): boolean {
  return member(initContainer, 'restartPolicy').value === 'Always';
}
