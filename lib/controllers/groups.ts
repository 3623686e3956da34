// The controller groups of this release. One line registers a group; nothing else outside its folder names it.
export { controlPlane } from './control-plane/group.ts';
export { secretContract } from './secret-contract/group.ts';
export { t4 } from './t4/group.ts';
