import { execFile, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { constants, homedir, setPriority } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';

const source = import.meta.dirname;
const lockPollMs = 500;

/** A program in Go. */
export interface Program {
  /** Of its binary, and of its folder in the cache. */
  readonly name: string;
  /** What people know it as. */
  readonly title: string;
  /** Holds its own source. */
  readonly folder: string;
  /** The folder of its go.mod and go.sum; the ones here by default. */
  readonly module?: string;
}

/**
 * Returns the path of the control plane's binary, building it first if this source, built by this Go, is not in the
 * cache. Any number of processes may ask at once: one builds, the others wait for it.
 *
 * The cache is $XDG_CACHE_HOME/evenkeel/apiserver, else ~/.cache/evenkeel/apiserver, one folder a version.
 *
 * @throws Error that says what to install when Go is missing or too old, or what failed to compile.
 */
export function buildApiServer(report: (line: string) => void): Promise<string> {
  return buildProgram({ name: 'apiserver', title: 'The real API server', folder: source }, report);
}

/** The same for the program that reads kubeconfigs by kubectl's own code. */
export function buildKubeconfigReader(report: (line: string) => void): Promise<string> {
  return buildProgram(
    { name: 'kubeconfig', title: 'The kubeconfig loader of kubectl', folder: join(source, 'kubeconfig') },
    report,
  );
}

/** The same for any program in Go. */
export async function buildProgram(program: Program, report: (line: string) => void): Promise<string> {
  const { module = source } = program;
  const text = await readFile(join(module, 'go.mod'), 'utf8');
  const go = await installedGo(program.title, requiredGo(module, text));
  const flags = ['-trimpath', '-buildvcs=false', ...(module === source ? [linkerFlag(text)] : [])];
  const folder = join(cacheRoot(program), await sourceHash(program, [go, ...flags]));
  const binary = join(folder, program.name);
  if (await exists(binary)) {
    return binary;
  }
  await mkdir(folder, { recursive: true });
  const unlock = await lock(join(folder, 'lock'), program, report);
  try {
    if (!(await exists(binary))) {
      report(`${program.title} is built into ${folder}; the first time takes several minutes.`);
      const startedMs = performance.now();
      await compile(program, flags, binary);
      report(`Built in ${Math.round((performance.now() - startedMs) / 1000)} s.`);
    }
  } finally {
    await unlock();
  }
  return binary;
}

function requiredGo(module: string, text: string): string {
  const version = /^go (\d+\.\d+)/m.exec(text)?.[1];
  if (version === undefined) {
    throw new Error(`${join(module, 'go.mod')} has no line "go <version>": restore it.`);
  }
  return version;
}

/** What `go version` says of the Go on the PATH, never of one that it would download. */
async function installedGo(title: string, required: string): Promise<string> {
  const remedy = `Install Go ${required} or newer, see that "go version" says so, and run this again.`;
  let installed: string;
  try {
    const { stdout } = await promisify(execFile)('go', ['version'], { env: goEnvironment() });
    installed = stdout.trim();
  } catch (error) {
    throw new Error(`${title} is built with Go, and "go version" failed here. ${remedy}`, { cause: error });
  }
  const found = /go(\d+)\.(\d+)/.exec(installed);
  const [requiredMajor, requiredMinor] = required.split('.').map(Number);
  const [major, minor] = found === null ? [0, 0] : [Number(found[1]), Number(found[2])];
  if (major * 1000 + minor < (requiredMajor ?? 0) * 1000 + (requiredMinor ?? 0)) {
    throw new Error(`${title} is built with Go ${required}, and this is "${installed}". ${remedy}`);
  }
  return installed;
}

/** kubectl refuses a server that does not say its version, and the version is only known to the linker. */
function linkerFlag(text: string): string {
  const version = /^\s*k8s\.io\/kubernetes (v(\d+)\.(\d+)\.\S+)/m.exec(text);
  if (version === null) {
    throw new Error(`${join(source, 'go.mod')} does not require k8s.io/kubernetes: restore that line.`);
  }
  const [, full, major, minor] = version;
  const set = (name: string, value: string | undefined) => `-X k8s.io/component-base/version.${name}=${value}`;
  const linker = ['-s', '-w', set('gitVersion', full), set('gitMajor', major), set('gitMinor', minor)].join(' ');
  return `-ldflags=${linker}`;
}

function goEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, GOTOOLCHAIN: 'local', GOWORK: 'off', CGO_ENABLED: '0' };
}

function cacheRoot({ name }: Program): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'evenkeel', name);
}

async function sourceHash({ folder, module = source }: Program, facts: readonly string[]): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify(facts));
  const own = (await readdir(folder)).filter((name) => name.endsWith('.go'));
  for (const name of [...own, 'go.mod', 'go.sum'].sort()) {
    hash.update(JSON.stringify([name, await readFile(join(name.endsWith('.go') ? folder : module, name), 'utf8')]));
  }
  return hash.digest('hex').slice(0, 16);
}

/** The finished binary appears under its name at once, or not at all. */
async function compile({ folder }: Program, flags: readonly string[], binary: string): Promise<void> {
  const unfinished = `${binary}.${process.pid}`;
  const build = spawn('go', ['build', ...flags, '-o', unfinished, '.'], {
    cwd: folder,
    env: goEnvironment(),
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  try {
    if (build.pid !== undefined) {
      setPriority(build.pid, constants.priority.PRIORITY_LOW);
    }
    const code = await new Promise<number | null>((resolve, reject) => {
      build.once('error', reject);
      build.once('exit', resolve);
    });
    if (code !== 0) {
      throw new Error(`"go build" in ${folder} ended with ${code}: what it printed above says why.`);
    }
    await rename(unfinished, binary);
  } finally {
    await rm(unfinished, { force: true });
  }
}

/**
 * Waits for, then takes, the lock file, which holds its owner's process id. It saves work, not correctness: should two
 * processes ever both hold it, both build the same binary.
 */
async function lock(file: string, { title }: Program, report: (line: string) => void): Promise<() => Promise<void>> {
  let told = false;
  for (;;) {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' });
      return () => rm(file, { force: true });
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) {
        throw error;
      }
    }
    const owner = await lockOwner(file);
    if (owner !== undefined && !isAlive(owner)) {
      await rm(file, { force: true });
      continue;
    }
    if (owner !== undefined && !told) {
      report(`Process ${owner} is building ${title}; waiting for it. If it is not, remove ${file}.`);
      told = true;
    }
    await delay(lockPollMs);
  }
}

/** Nobody, when the lock was released, or taken but not yet signed, this very moment. */
async function lockOwner(file: string): Promise<number | undefined> {
  const signature = await readFile(file, 'utf8').catch(() => '');
  return signature === '' ? undefined : Number(signature);
}

function isAlive(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
