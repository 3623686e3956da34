/** One permission in a cluster, in the terms of RBAC. */
export interface Access {
  readonly verb: string;
  /** Empty for the core group. */
  readonly group: string;
  /** Lower-case plural. */
  readonly resource: string;
  readonly subresource?: string;
  /** Empty or absent: all namespaces, or none. */
  readonly namespace?: string;
  readonly name?: string;
}

/** Asks a cluster for the permissions of the connection's own identity. */
export interface AccessReviewer {
  /** @throws ApiError */
  allows(access: Access): Promise<boolean>;
}
