/** Stores secrets. Its results are never logged and never part of an error. */
export interface SecretStore {
  /**
   * The current text of a secret; undefined when the secret does not exist, or has no text.
   * @throws InfrastructureError when the store did not answer, or refused.
   */
  read(name: string): Promise<string | undefined>;
}
