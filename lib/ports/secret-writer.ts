/** Writes secrets. Methods reject with InfrastructureError; no error contains a secret's text. */
export interface SecretWriter {
  /** Creates a secret, or gives an existing one this text. @param about its purpose; used only when it is created. */
  put(name: string, text: string, about: string): Promise<void>;
  /** Deletes a secret at once, so that its name can be used again. An absent one counts as deleted. */
  remove(name: string): Promise<void>;
}
