import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { releaseTemplate, type SynthesizedTemplate } from './release-template.ts';

const TEMPLATE = 'cloudformation-template-update-stack.json';
/** Hexadecimal digits. Two contents of one function never have the same ones. */
const DIGEST_LENGTH = 16;

/**
 * Writes a release into a folder that `serverless package` made: `release/template.json`, and the zip files of the functions in
 * `release/code`. CloudFormation deploys these without Node.js and without osls.
 * @param folder of the package.
 * @param prefix the default beginning of the keys of the zip files.
 * @returns the folder of the release.
 * @throws EvenkeelError UNKNOWN_TEMPLATE
 */
export function writeRelease(folder: string, prefix: string): string {
  const template = JSON.parse(readFileSync(join(folder, TEMPLATE), 'utf8')) as SynthesizedTemplate;
  const release = join(folder, 'release');
  const code = join(release, 'code');
  rmSync(release, { recursive: true, force: true });
  mkdirSync(code, { recursive: true });
  const files = new Map<string, string>();
  for (const name of readdirSync(folder).filter((file) => file.endsWith('.zip'))) {
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    const file = name.replace(/\.zip$/, `-${digest.slice(0, DIGEST_LENGTH)}.zip`);
    copyFileSync(join(folder, name), join(code, file));
    files.set(name, file);
  }
  writeFileSync(
    join(release, 'template.json'),
    `${JSON.stringify(releaseTemplate(template, files, prefix), null, 1)}\n`,
  );
  return release;
}
