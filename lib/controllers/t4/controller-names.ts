/** The controllers write under these names, and managedFields keep them, so they never change. */
export const SESSION_CONTROLLER = 't4-session';
export const WORKSPACE_CONTROLLER = 't4-workspace';
