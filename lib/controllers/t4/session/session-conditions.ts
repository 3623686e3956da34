/** The conditions that show what a session needs, in the order in which its status shows them. checks.ts has the checks of each. */
export const PREREQUISITE_CONDITIONS = ['HostReady', 'WorkspaceReady', 'RuntimeConfigured'] as const;
export type PrerequisiteCondition = (typeof PREREQUISITE_CONDITIONS)[number];

/** All condition types of a T4Session. Available follows from the others and from the Pod; session-status.ts makes it. */
export const SESSION_CONDITIONS = [...PREREQUISITE_CONDITIONS, 'Available'] as const;
