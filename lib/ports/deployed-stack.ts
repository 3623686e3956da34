/** A part of a deployment that is different from its template. */
export interface StackDifference {
  /** Its name in the template, e.g. `Table`. */
  readonly logicalId: string;
  /** Its name in its service, e.g. `evenkeel-prod`. */
  readonly physicalId: string;
  /** E.g. `AWS::DynamoDB::Table`. */
  readonly type: string;
  readonly state: 'deleted' | 'changed';
  /** For a changed part: the paths of the properties, e.g. `/State`. */
  readonly fields: readonly string[];
}

/** The effect of a repair on one part. */
export interface StackChange {
  readonly logicalId: string;
  readonly type: string;
  readonly action: string;
  /** Whether an existing part is deleted or replaced, or may be. It then loses its content. */
  readonly loses: boolean;
}

/** The changes that restore a stack to its template. Nothing is changed yet. */
export interface PreparedRepair {
  readonly changes: readonly StackChange[];
  /**
   * Makes the changes, and waits until they are finished. @throws InfrastructureError when they failed: the stack is as
   * before.
   */
  apply(): Promise<void>;
  /** Drops the changes. */
  discard(): Promise<void>;
}

/** The stack of a deployment, for an operator. Methods reject with InfrastructureError. */
export interface DeployedStack {
  /** Undefined when the stack does not exist. */
  describe(): Promise<{ readonly status: string; readonly outputs: Readonly<Record<string, string>> } | undefined>;
  /**
   * Whether a part of the stack has this name in its service. A part that a rollback could not delete is not a part any
   * more.
   */
  owns(physicalId: string): Promise<boolean>;
  /** Compares each part with its template. Takes up to some minutes. Rejects when a part could not be compared. */
  differences(): Promise<StackDifference[]>;
  prepareRepair(): Promise<PreparedRepair>;
}
