export interface Parameter {
  /** Its whole name, e.g. `/evenkeel/prod/clusters/east`. */
  readonly name: string;
  readonly value: string;
}

/** Parameters that an operator writes and a deployment reads. None of them is a secret. */
export interface ParameterStore {
  /** All parameters directly below a path. @throws InfrastructureError when the store did not answer. */
  list(path: string): Promise<Parameter[]>;
}
