/** Under these names the controllers write, and managedFields keep them: they never change. */
export const SESSION_CONTROLLER = 't4-session';
export const WORKSPACE_CONTROLLER = 't4-workspace';
