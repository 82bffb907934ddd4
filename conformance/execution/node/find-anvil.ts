import { accessSync, constants, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';

/** Places in which to search for the Anvil binary. */
export type AnvilSearch = {
  /** Environment with `ANVIL_BIN` and `PATH`. Default `process.env`. */
  readonly env?: NodeJS.ProcessEnv;
  /** Resolves a module to its file, or throws. Default: as this module would import it. */
  readonly resolve?: (specifier: string) => string;
};

/**
 * Returns the path of an executable Anvil: `ANVIL_BIN` if set, otherwise npm's optional dependency,
 * otherwise the first `anvil` on the PATH.
 *
 * @throws {AnvilNotFoundError} if there is none, or `ANVIL_BIN` is not executable
 */
export function findAnvil(search: AnvilSearch = {}): string {
  const env = search.env ?? process.env;
  const resolve = search.resolve ?? createRequire(import.meta.url).resolve;
  const { ANVIL_BIN: named, PATH: path = '' } = env;
  if (named !== undefined && named !== '') {
    if (isExecutable(named)) return named;
    throw new AnvilNotFoundError(`ANVIL_BIN is '${named}', which is not an executable file`);
  }
  const installed = installedBinary(resolve);
  if (installed !== undefined) return installed;
  for (const folder of path.split(delimiter)) {
    const candidate = join(folder, PROGRAM);
    if (folder !== '' && isExecutable(candidate)) return candidate;
  }
  throw new AnvilNotFoundError('no Anvil binary was found');
}

const PROGRAM = process.platform === 'win32' ? 'anvil.exe' : 'anvil';
const PACKAGE = `@foundry-rs/anvil-${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`;

function installedBinary(resolve: (specifier: string) => string): string | undefined {
  try {
    const binary = join(dirname(resolve(`${PACKAGE}/package.json`)), 'bin', PROGRAM);
    return isExecutable(binary) ? binary : undefined;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'MODULE_NOT_FOUND') return undefined;
    throw error;
  }
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    // The file is missing, unreadable or not executable.
    return false;
  }
}

/** No Anvil binary was found. The message explains how to install one. */
export class AnvilNotFoundError extends Error {
  override readonly name = 'AnvilNotFoundError';

  constructor(reason: string) {
    super(
      `${reason}. Install Foundry (https://getfoundry.sh) so that 'anvil' is on the PATH, ` +
        `or set ANVIL_BIN to the binary; if npm has it for this platform, npm i ${PACKAGE} installs it`,
    );
  }
}
