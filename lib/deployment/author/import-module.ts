import { existsSync, statSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { extname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { EvenkeelError, FaultsError } from '../../core/errors.ts';
import { packageRoot } from '../package/package-root.ts';
import { describeUnforeseen, wholeError } from '../wiring-author-errors.ts';

/** Codes of errors of Node.js's own module loader. Their text has paths and syntax, never a value. */
const LOADER_CODES: ReadonlySet<unknown> = new Set([
  'ERR_MODULE_NOT_FOUND',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_PACKAGE_IMPORT_NOT_DEFINED',
  'ERR_UNKNOWN_FILE_EXTENSION',
  'ERR_UNSUPPORTED_DIR_IMPORT',
  'ERR_UNSUPPORTED_NODE_MODULES_TYPE_STRIPPING',
  'ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX',
  'ERR_INVALID_TYPESCRIPT_SYNTAX',
  'ERR_IMPORT_ATTRIBUTE_MISSING',
]);

/**
 * Loads a module of an author, once for a process.
 * @param file absolute path.
 * @param wholeErrors whether an error of the module is shown with its text, or without (docs/decisions/0007).
 * @returns its exports.
 * @throws EvenkeelError INVALID_CONTROLLERS
 */
export async function importModule(file: string, wholeErrors = false): Promise<Readonly<Record<string, unknown>>> {
  if (!existsSync(file)) {
    throw new EvenkeelError(
      'INVALID_CONTROLLERS',
      `${file}: there is no such file. Correct the path of the module in --controllers FILE or in the settings' controllers.`,
    );
  }
  const why = unloadable(file);
  if (why !== undefined) throw new EvenkeelError('INVALID_CONTROLLERS', `${file}: ${why}`);
  shareThisPackage();
  try {
    return (await import(pathToFileURL(file).href)) as Readonly<Record<string, unknown>>;
  } catch (error) {
    // The loader adds the line of the source below its message.
    const lines = `${file}: ${whyNotLoaded(error, file, wholeErrors)}`.split('\n');
    throw new FaultsError('INVALID_CONTROLLERS', lines, { cause: error });
  }
}

let isShared = false;

/**
 * Makes an author's `import ... from 'evenkeel'` load the copy of the package that runs, also when another copy is
 * installed next to the module. The engine recognizes a TerminalError by its class, and another copy has other classes.
 */
function shareThisPackage(): void {
  if (isShared) return;
  isShared = true;
  const entry = import.meta.url.endsWith('.ts') ? ['lib', 'index.ts'] : ['dist', 'lib', 'index.js'];
  const { href: url } = pathToFileURL(join(packageRoot(), ...entry));
  registerHooks({
    resolve: (specifier, context, nextResolve) =>
      specifier === 'evenkeel' ? { url, shortCircuit: true } : nextResolve(specifier, context),
  });
}

/**
 * Describes why a module was not loaded. The text of an error that the module itself threw may quote anything, also a
 * Secret.
 */
function whyNotLoaded(error: unknown, file: string, wholeErrors: boolean): string {
  const place = syntaxErrorPlace(error);
  const { code, message } = error instanceof Error ? (error as NodeJS.ErrnoException) : { message: '' };
  if (place !== undefined || LOADER_CODES.has(code)) {
    return `it cannot be loaded: ${message.trimEnd().replace(/\.$/, '')}${place === undefined ? '' : ` (${place})`}.${remedyOf(message)}`;
  }
  if (wholeErrors) return ['it threw while it was loaded:', ...wholeError(error)].join('\n');
  return `it threw while it was loaded: ${describeUnforeseen(error)}. The message may contain secrets and is not shown; node ${file} shows it.`;
}

/** Why a file with this name cannot be a module, and what to name instead. */
function unloadable(file: string): string | undefined {
  if (statSync(file).isDirectory()) {
    return 'this is a folder. Name the file in it that exports the controllers, such as controllers.ts.';
  }
  const extension = extname(file);
  if (extension === '' || /^\.[cm]?[jt]s$/.test(extension)) return undefined;
  return `a file whose name ends with ${extension} is no module. Name a module whose name ends with .ts or .js.`;
}

/** The remedy for a package that is not installed. */
function remedyOf(message: string): string {
  const name = /^Cannot find package '(?<name>[^']+)'/.exec(message)?.groups?.name;
  return name === undefined ? '' : ` Run npm install ${name} in the project of that file.`;
}

/** The place of a syntax error in a source. Only such an error has `file:line` above its stack. */
function syntaxErrorPlace(error: unknown): string | undefined {
  if (!(error instanceof SyntaxError)) return undefined;
  return /^(?:file:\/\/)?(?<place>\/[^\n]+:\d+)\n/.exec(error.stack ?? '')?.groups?.place;
}
