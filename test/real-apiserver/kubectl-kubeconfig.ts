import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { buildKubeconfigReader } from './build.ts';

export interface KubeconfigQuestion {
  /** That of --kubeconfig. */
  readonly file?: string | undefined;
  /** The variable KUBECONFIG. */
  readonly kubeconfig?: string | undefined;
  /** That of --context. */
  readonly context?: string | undefined;
}

/** The connection that kubectl would use; what is absent is '' or false in Go. Data is base64. */
export interface KubectlConnection {
  readonly server: string;
  readonly caData?: string;
  readonly caFile?: string;
  readonly tlsServerName?: string;
  readonly insecure?: boolean;
  readonly proxy?: string;
  readonly certData?: string;
  readonly certFile?: string;
  readonly keyData?: string;
  readonly keyFile?: string;
  readonly token?: string;
  readonly tokenFile?: string;
  readonly basicAuth?: boolean;
  readonly authProvider?: boolean;
  readonly impersonates?: boolean;
  readonly execCommand?: string;
  readonly execArgs?: readonly string[];
  readonly execNeedsATerminal?: boolean;
}

export type KubectlAnswer = KubectlConnection | { readonly error: string };

/** kubectl's own reading of kubeconfigs. */
export interface KubectlKubeconfig extends AsyncDisposable {
  resolve(question: KubeconfigQuestion): Promise<KubectlAnswer>;
}

/** Starts client-go's loader, building it first if need be. It sees no home directory and no proxy of this machine. */
export async function kubectlKubeconfig(): Promise<KubectlKubeconfig> {
  const binary = await buildKubeconfigReader(console.log);
  const child = spawn(binary, { stdio: ['pipe', 'pipe', 'inherit'], env: { HOME: '/nonexistent' } });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const answers = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async resolve(question) {
      child.stdin.write(`${JSON.stringify(question)}\n`);
      const { value, done } = await answers.next();
      if (done === true) throw new Error('the kubeconfig reader ended: what it printed above says why.');
      return JSON.parse(value) as KubectlAnswer;
    },
    async [Symbol.asyncDispose]() {
      child.stdin.end();
      await exited;
    },
  };
}
