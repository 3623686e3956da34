/** The context of a kubeconfig file that a command uses. */
export interface KubeconfigContext {
  readonly file: string;
  readonly context: string;
}

/**
 * The start of a suggested command. It names the file and the context, so that kubectl reaches the same cluster.
 * kubectl does not find the kubeconfig of the embedded cluster by itself.
 */
export function kubectlCommand({ file, context }: KubeconfigContext): string {
  return `kubectl --kubeconfig ${shellWord(file)} --context ${shellWord(context)}`;
}

/** A word for a shell command, quoted if needed. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
