/** The context of a kubeconfig file, as a command of ours was given it. */
export interface KubeconfigContext {
  readonly file: string;
  readonly context: string;
}

/**
 * How a suggested command begins: it reaches the cluster that is spoken of, whichever kubectl itself would choose. That of the
 * embedded cluster stands in no kubeconfig that kubectl reads by itself.
 */
export function kubectlCommand({ file, context }: KubeconfigContext): string {
  return `kubectl --kubeconfig ${shellWord(file)} --context ${shellWord(context)}`;
}

/** A word of a command for a shell, quoted where it must be. */
export function shellWord(text: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
