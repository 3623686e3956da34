/** A part of a deployment that is not as it was deployed. */
export interface StackDifference {
  /** As the template names it, e.g. `Table`. */
  readonly logicalId: string;
  /** As its service names it, e.g. `evenkeel-prod`. */
  readonly physicalId: string;
  /** E.g. `AWS::DynamoDB::Table`. */
  readonly type: string;
  readonly state: 'deleted' | 'changed';
  /** Of one that was changed: the paths of the properties, e.g. `/State`. */
  readonly fields: readonly string[];
}

/** What a repair does to one part. */
export interface StackChange {
  readonly logicalId: string;
  readonly type: string;
  readonly action: string;
  /** An existing part is deleted or replaced by another one, which loses what it holds; or that may happen. */
  readonly loses: boolean;
}

/** The changes that make a stack as it was deployed. Nothing is changed yet. */
export interface PreparedRepair {
  readonly changes: readonly StackChange[];
  /** Carries the changes out, and waits for their end. @throws InfrastructureError when they failed: the stack is as before. */
  apply(): Promise<void>;
  /** Drops them. */
  discard(): Promise<void>;
}

/** The stack of a deployment, as an operator sees it. Methods reject with InfrastructureError. */
export interface DeployedStack {
  /** Undefined when there is no such stack. */
  describe(): Promise<{ readonly status: string; readonly outputs: Readonly<Record<string, string>> } | undefined>;
  /** Whether a part of the stack has this name in its service. One that a rollback could not delete is no part any more. */
  owns(physicalId: string): Promise<boolean>;
  /** Compares each part with what was deployed. Takes up to some minutes. Rejects when a part could not be compared. */
  differences(): Promise<StackDifference[]>;
  prepareRepair(): Promise<PreparedRepair>;
}
