import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { EMULATOR_REGION } from './emulator.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const SOURCES = [
  ...['functions', 'cli', 'lib', 'infra', 'build', 'stages', 'bin', 'examples'],
  ...['serverless.yml', 'package.json', 'package-lock.json'],
];

export interface Ran {
  readonly code: number;
  readonly output: string;
}

/** A copy of the checked-out repository from which to deploy. Changes to it do not change the repository. */
export class DeploymentCopy implements Disposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-deploy-'));
  private readonly endpoint: string | undefined;

  /** @param endpoint of the emulator; undefined when the copy needs no AWS. */
  constructor(endpoint?: string) {
    this.endpoint = endpoint;
    for (const name of SOURCES) {
      cpSync(join(ROOT, name), join(this.folder, name), {
        recursive: true,
        filter: (source) => !source.includes(`${join(ROOT, 'infra')}/generated`),
      });
    }
    symlinkSync(join(ROOT, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** The command that a person types: `npx serverless ...`. */
  async serverless(...args: string[]): Promise<Ran> {
    return await this.run(join(ROOT, 'node_modules', '.bin', 'serverless'), args);
  }

  /** Runs node with these arguments in another folder. */
  async nodeIn(folder: string, ...args: string[]): Promise<Ran> {
    return await this.run(process.execPath, args, folder);
  }

  async evenkeel(...args: string[]): Promise<Ran> {
    return await this.run(process.execPath, [join(this.folder, 'bin', 'evenkeel.js'), ...args]);
  }

  /** Changes a file. @throws Error when the file does not contain the text. */
  edit(file: string, from: string, to: string): void {
    const path = join(this.folder, file);
    const text = readFileSync(path, 'utf8');
    if (!text.includes(from)) throw new Error(`${file} does not hold ${from}`);
    writeFileSync(path, text.replace(from, to));
  }

  read(file: string): string {
    return readFileSync(join(this.folder, file), 'utf8');
  }

  write(file: string, text: string): void {
    writeFileSync(join(this.folder, file), text);
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** The environment of a user of AWS on this machine. */
  environment(): Record<string, string> {
    return {
      PATH: `${join(ROOT, 'node_modules', '.bin')}:${process.env.PATH}`,
      HOME: this.folder,
      NO_COLOR: '1',
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: EMULATOR_REGION,
      ...(this.endpoint !== undefined && { AWS_ENDPOINT_URL: this.endpoint }),
    };
  }

  private run(command: string, args: readonly string[], cwd = this.folder): Promise<Ran> {
    const env = this.environment();
    return new Promise((resolve) => {
      execFile(command, args, { cwd, env, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
        const code = error === null ? 0 : typeof error.code === 'number' ? error.code : 1;
        resolve({ code, output: `${stdout}${stderr}` });
      });
    });
  }
}
