import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { serialize } from 'node:v8';
import { gzipSync } from 'node:zlib';

/*
 * Builds one executable for the current platform, into dist/binary or the given folder. It contains
 * Node, the built program, the packages that the program needs, and Anvil. Next to the executable
 * are their notices and the embedded chains. These chains must not be distributed (THIRD_PARTY.md).
 */
const require = createRequire(import.meta.url);
const root = dirname(require.resolve('#package'));
const folder = process.argv[2] ?? join(root, 'dist', 'binary');
const isWindows = process.platform === 'win32';
const isMac = process.platform === 'darwin';
const executable = join(folder, isWindows ? 'swapcheck.exe' : 'swapcheck');

/** Text in Node's executable that shows whether a program was injected. */
const FUSE = 'NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2';
const BUILD_ONLY = /\.(d\.[cm]?ts|map|flow)$|(?<!\.d)\.[cm]?ts$/;
const PROSE = /\.(md|markdown)$/;
const LICENSE = /^(licen[cs]e|copying|notice)/i;

rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });
const packages = shippedPackages();
const program = gzipSync(serialize(programFiles()), { level: 6 });
const parts = {
  program,
  digest: createHash('sha256').update(program).digest('hex').slice(0, 16),
};
for (const [name, content] of Object.entries(parts)) writeFileSync(join(folder, name), content);
await inject();
writeFileSync(join(folder, 'NOTICES.txt'), notices());
const chains = join(root, 'dist', 'chains');
if (existsSync(chains)) cpSync(chains, join(folder, 'chains'), { recursive: true });
process.stdout.write(`${executable}: ${Math.round(statSync(executable).size / 2 ** 20)} MiB\n`);

type InstalledPackage = {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  readonly location: string;
  readonly dev?: boolean;
  readonly license?: string;
};

function shippedPackages(): readonly InstalledPackage[] {
  const text = execFileSync('npm', ['query', '*'], {
    cwd: root,
    encoding: 'utf8',
    maxBuffer: 1e8,
    stdio: ['ignore', 'pipe', 'ignore'],
    shell: isWindows,
  });
  const installed: readonly InstalledPackage[] = JSON.parse(text);
  return installed.filter(({ location, dev }) => location !== '' && dev !== true);
}

function programFiles() {
  const own = ['dist', 'fixtures', 'docs'].flatMap((name) => filesIn(join(root, name)));
  const ofPackages = packages.flatMap(({ path }) =>
    filesIn(path).filter((file) => !PROSE.test(file)),
  );
  const paths = [...own, ...ofPackages, join(root, 'package.json'), join(root, 'LICENSE')];
  return new Map(
    [...new Set(paths)].map((path) => [
      relative(root, path).replaceAll('\\', '/'),
      { mode: statSync(path).mode & 0o777, content: readFileSync(path) },
    ]),
  );
}

/** Returns the files of a package. Excludes nested packages, which are listed separately. */
function filesIn(path: string): readonly string[] {
  return readdirSync(path, { withFileTypes: true }).flatMap((entry) => {
    const below = join(path, entry.name);
    if (below === chainsFolder() || below === folder || entry.name === 'node_modules') return [];
    if (entry.isDirectory()) return filesIn(below);
    return entry.isFile() && !BUILD_ONLY.test(entry.name) ? [below] : [];
  });
}

function chainsFolder(): string {
  return join(root, 'dist', 'chains');
}

async function inject(): Promise<void> {
  const at = (name: string) => join(folder, name);
  const config = {
    main: fileURLToPath(new URL('binary-entry.cjs', import.meta.url)),
    output: at('blob'),
    disableExperimentalSEAWarning: true,
    assets: { program: at('program'), digest: at('digest') },
  };
  writeFileSync(at('sea.json'), JSON.stringify(config));
  execFileSync(process.execPath, ['--experimental-sea-config', at('sea.json')]);
  copyFileSync(process.execPath, executable);
  chmodSync(executable, 0o755);
  // Injecting the program invalidates Node's signature.
  if (isMac) execFileSync('codesign', ['--remove-signature', executable]);
  const postject = require('postject') as { inject(...args: unknown[]): Promise<void> };
  await postject.inject(executable, 'NODE_SEA_BLOB', readFileSync(at('blob')), {
    sentinelFuse: FUSE,
    ...(isMac && { machoSegmentName: 'NODE_SEA' }),
  });
  if (isMac) execFileSync('codesign', ['--sign', '-', executable]);
  for (const name of ['program', 'digest', 'blob', 'sea.json']) rmSync(at(name));
}

/** Returns the notices that the licenses require in every copy. */
function notices(): string {
  const node = `Node.js ${process.version}, MIT and the licenses of its parts:\nhttps://github.com/nodejs/node/blob/${process.version}/LICENSE\n`;
  const each = packages.map(({ name, version, license, path }) => {
    const texts = readdirSync(path)
      .filter((file) => LICENSE.test(file) && statSync(join(path, file)).isFile())
      .map((file) => readFileSync(join(path, file), 'utf8').trim());
    return `${name} ${version}, ${license ?? 'see its text'}\n\n${texts.join('\n\n')}\n`;
  });
  return [node, ...each].join(`\n${'-'.repeat(79)}\n\n`);
}
