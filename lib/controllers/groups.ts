// The controller groups of this release: one line registers a group, and is all that names it outside its folder.
export { controlPlane } from './control-plane/group.ts';
export { secretContract } from './secret-contract/group.ts';
export { t4 } from './t4/group.ts';
