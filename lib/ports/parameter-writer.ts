/** Writes the parameters of a deployment. Methods reject with InfrastructureError. */
export interface ParameterWriter {
  /** Creates a parameter, or replaces its value. @param name its whole name, e.g. `/evenkeel/prod/clusters/east`. */
  put(name: string, value: string): Promise<void>;
  /** Deletes a parameter. An absent one counts as deleted. */
  remove(name: string): Promise<void>;
}
