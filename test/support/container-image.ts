import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  cpSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';

/** What the kubelet mounts into a pod, and the values of the pod's manifest. */
export interface PodMounts {
  /** Files by their absolute paths in the container. */
  readonly files: Readonly<Record<string, string>>;
  /** Where the volume with the state is, in the container. */
  readonly volume: string;
  readonly hostname: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** Why no container can be imitated here; undefined when one can. */
export function whyNoContainer(): string | undefined {
  const { status, stderr, error } = spawnSync('unshare', ['--mount', '--uts', 'true'], { encoding: 'utf8' });
  return status === 0 ? undefined : (error?.message ?? stderr);
}

/**
 * A container of an image, without a container runtime. The files of the image and those of the machine's C library are
 * in a separate, read-only root file system. The processes run as the user of the image. The volume outlives them.
 */
export class Container implements Disposable {
  /** The volume, from outside. */
  readonly volume: string;
  readonly userId: number;
  private readonly folder: string;
  private readonly tree: string;
  private readonly mounts: PodMounts;
  private readonly image: Image;
  private readonly processes: ContainerProcess[] = [];

  /** @param tree the files of the image, with its Dockerfile. */
  constructor(tree: string, mounts: PodMounts) {
    this.folder = mkdtempSync(join(tmpdir(), 'evenkeel-container-'));
    // Only their owner may read temporary folders.
    chmodSync(this.folder, 0o755);
    this.tree = join(this.folder, 'tree');
    cpSync(tree, this.tree, { recursive: true });
    this.mounts = mounts;
    this.image = imageOf(readFileSync(join(tree, 'Dockerfile'), 'utf8'));
    this.userId = this.image.userId;
    this.volume = join(this.folder, 'volume');
    // Like the kubelet with fsGroup: the volume belongs to root and to the group of the pod.
    mkdirSync(this.volume);
    chownSync(this.volume, 0, this.image.groupId);
    chmodSync(this.volume, 0o2775);
    for (const [path, text] of Object.entries(mounts.files)) this.write(path, text);
  }

  /** Changes a file that the kubelet mounts, as it does with a token that it renewed. */
  write(path: string, text: string): void {
    const file = join(this.folder, 'mounted', path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
  }

  /** @param command after the entry point of the image, or in place of it when `whole`. */
  run(command: readonly string[], { whole = false } = {}): ContainerProcess {
    const { userId, groupId, workdir, entrypoint, environment } = this.image;
    const variables = { ...environment, ...this.mounts.environment, PATH: '/opt/node:/usr/bin:/bin' };
    const script = [
      ...this.rootScript(),
      `exec chroot --userspec=${userId}:${groupId} --groups=${groupId} "$R" env -i -C ${workdir} "$@"`,
    ].join('\n');
    const args = [...Object.entries(variables).map(([name, value]) => `${name}=${value}`)];
    const words = [...args, ...(whole ? [] : entrypoint), ...command];
    const flags = ['--mount', '--uts', '--propagation', 'private', 'sh', '-eu', '-c', script, 'sh'];
    const child = spawn('unshare', [...flags, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
    const started = new ContainerProcess(child);
    this.processes.push(started);
    return started;
  }

  /** Makes the root file system in a mount namespace that ends with the process. */
  private rootScript(): string[] {
    const root = join(this.folder, 'root');
    mkdirSync(root, { recursive: true });
    const links = ['/bin', '/lib', '/lib64'].flatMap((path) => {
      const found = lstatSync(path, { throwIfNoEntry: false });
      if (found === undefined) return [];
      if (found.isSymbolicLink()) return [`ln -s ${readlinkSync(path)} "$R${path}"`];
      return [`mkdir "$R${path}"`, `mount --bind ${path} "$R${path}"`];
    });
    const bind = (from: string, to: string, readOnly = true) => [
      `mkdir -p "$R${to}"`,
      `mount --bind "${from}" "$R${to}"`,
      ...(readOnly ? [`mount -o remount,bind,ro "$R${to}"`] : []),
    ];
    const folders = [...new Set(Object.keys(this.mounts.files).map((path) => dirname(path)))];
    return [
      `hostname ${this.mounts.hostname}`,
      `R=${root}`,
      'mount -t tmpfs tmpfs "$R"',
      ...links,
      ...bind('/usr', '/usr'),
      ...bind(dirname(process.execPath), '/opt/node'),
      ...bind(this.tree, this.image.workdir),
      ...folders.flatMap((path) => bind(join(this.folder, 'mounted', path), path)),
      ...bind(this.volume, this.mounts.volume, false),
      ...['/dev', '/proc'].flatMap((path) => [`mkdir "$R${path}"`, `mount --rbind ${path} "$R${path}"`]),
      'mount -o remount,ro "$R"',
    ];
  }

  [Symbol.dispose](): void {
    for (const started of this.processes) started.child.kill('SIGKILL');
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A process of a container: what it printed, and how it ended. */
export class ContainerProcess {
  readonly child: ChildProcess;
  output = '';
  readonly ended: Promise<number | null>;
  private readonly waiting = new Set<() => void>();

  constructor(child: ChildProcess) {
    this.child = child;
    const closed = Promise.withResolvers<number | null>();
    child.once('close', (code) => closed.resolve(code));
    child.once('error', closed.reject);
    for (const stream of [child.stdout, child.stderr]) {
      if (stream === null) continue;
      createInterface({ input: stream }).on('line', (line) => {
        this.output += `${line}\n`;
        for (const wake of this.waiting) wake();
      });
    }
    this.ended = closed.promise.finally(() => {
      for (const wake of this.waiting) wake();
    });
  }

  /** Waits for a line. @throws Error when the process ended without it. */
  async line(pattern: RegExp): Promise<string> {
    for (;;) {
      const found = this.output.split('\n').find((line) => pattern.test(line));
      if (found !== undefined) return found;
      const { exitCode, signalCode } = this.child;
      if (exitCode !== null || signalCode !== null) {
        await this.ended;
        throw new Error(`it ended with ${exitCode ?? signalCode} and without ${pattern}:\n${this.output}`);
      }
      const woken = Promise.withResolvers<void>();
      this.waiting.add(woken.resolve);
      await Promise.race([woken.promise, this.ended]);
      this.waiting.delete(woken.resolve);
    }
  }

  async stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<number | null> {
    this.child.kill(signal);
    return await this.ended;
  }
}

interface Image {
  readonly userId: number;
  readonly groupId: number;
  readonly workdir: string;
  readonly entrypoint: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * The fields of an image in a Dockerfile of one stage. @throws Error for a Dockerfile that does more than copy its
 * context.
 */
function imageOf(dockerfile: string): Image {
  const lines = dockerfile.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const only = (name: string) => {
    const [found, ...more] = lines.filter((line) => line.startsWith(`${name} `));
    if (found === undefined || more.length > 0) throw new Error(`the Dockerfile has not exactly one ${name}`);
    return found.slice(name.length + 1);
  };
  if (only('COPY') !== '. ./' || lines.some((line) => line.startsWith('RUN '))) {
    throw new Error('the Dockerfile does more than copy its context');
  }
  const [userId = 0, groupId = 0] = only('USER').split(':').map(Number);
  const environment = only('ENV')
    .split(' ')
    .map((pair) => pair.split('=', 2) as [string, string]);
  return {
    userId,
    groupId,
    workdir: only('WORKDIR'),
    entrypoint: JSON.parse(only('ENTRYPOINT')) as string[],
    environment: Object.fromEntries(environment),
  };
}
