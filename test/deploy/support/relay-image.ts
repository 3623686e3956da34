import { chmodSync, cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import type { DeploymentCopy } from './deployment-copy.ts';

const MANIFEST = 'infra/container/relay/relay.yaml';

interface RelayManifest {
  readonly kind: string;
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly securityContext: { readonly runAsUser: number; readonly runAsGroup: number };
        readonly containers: readonly [{ readonly command: readonly string[] }];
      };
    };
  };
}

/** The files of the image, and the way in which the relay's manifest runs them: a stand-in for a container runtime. */
export class RelayImage implements Disposable {
  /** The working directory of the image. */
  readonly folder: string;
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly userId: number;
  readonly groupId: number;
  private readonly root: string;

  private constructor(root: string, folder: string, dockerfile: string, { spec }: RelayManifest) {
    const { securityContext, containers } = spec.template.spec;
    this.root = root;
    this.folder = folder;
    this.command = containers[0].command;
    this.environment = Object.fromEntries(
      (/^ENV (.*)$/m.exec(dockerfile)?.[1] ?? '').split(' ').map((pair) => pair.split('=', 2) as [string, string]),
    );
    this.userId = securityContext.runAsUser;
    this.groupId = securityContext.runAsGroup;
  }

  /** @throws Error when the build of the files fails. */
  static async build(copy: DeploymentCopy): Promise<RelayImage> {
    const { code, output } = await copy.nodeIn(copy.folder, 'build/container.ts');
    if (code !== 0) throw new Error(`build/container.ts failed:\n${output}`);
    const root = mkdtempSync(join(tmpdir(), 'evenkeel-image-'));
    const folder = join(root, 'image');
    cpSync(join(copy.folder, 'infra', 'generated', 'container'), folder, { recursive: true });
    // Only the owner can read a temporary folder; everyone can read a layer.
    chmodSync(root, 0o755);
    const manifest = parseAllDocuments(copy.read(MANIFEST))
      .map((document) => document.toJS() as RelayManifest)
      .find(({ kind }) => kind === 'Deployment');
    if (manifest === undefined) throw new Error(`${MANIFEST} has no Deployment`);
    return new RelayImage(root, folder, copy.read('infra/container/Dockerfile'), manifest);
  }

  [Symbol.dispose](): void {
    rmSync(this.root, { recursive: true, force: true });
  }
}
