/** One permission in a cluster, as RBAC names it. */
export interface Access {
  readonly verb: string;
  /** '' for the core group. */
  readonly group: string;
  /** Lower-case plural. */
  readonly resource: string;
  readonly subresource?: string;
  /** '' or absent: all namespaces, or none. */
  readonly namespace?: string;
  readonly name?: string;
}

/** Asks a cluster for the permissions of the connection's own identity. */
export interface AccessReviewer {
  /** @throws ApiError */
  allows(access: Access): Promise<boolean>;
}
