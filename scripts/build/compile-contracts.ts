import { createHash } from 'node:crypto';
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { DEPLOYED_CONTRACTS } from '../program/chains/artifacts.ts';

/** One compiled contract, as it is committed under `fixtures/bytecode/`. */
export type CompiledContract = {
  readonly contract: string;
  readonly abi: readonly unknown[];
  /** Creation code, without constructor arguments. */
  readonly bytecode: `0x${string}`;
  /** Runtime code, immutables zero. */
  readonly deployedBytecode: `0x${string}`;
  readonly compiler: string;
  readonly settings: Readonly<Record<string, unknown>>;
};

const require = createRequire(import.meta.url);

const SOURCES = new URL('../../reference/contracts/', import.meta.url);
const EXECUTION_SOURCES = new URL('../../conformance/execution/contracts/', import.meta.url);
const READER_SOURCES = new URL('../../reference/market/live/', import.meta.url);
const TOKEN_SOURCES = new URL('../program/chains/contracts/', import.meta.url);
const OUTPUT = new URL('../../fixtures/bytecode/', import.meta.url);
/** What the compiler made of an input, by the hash of both: it does the same each time, and takes half a minute. */
const KEPT = new URL('../../node_modules/.cache/swapcheck/solc/', import.meta.url);

/**
 * What the compiler is told. No metadata hash, so that comments and paths
 * leave the bytecode alone; 1,000,000 runs gave the least gas of 200 to 1,000,000.
 */
const SETTINGS = {
  evmVersion: 'cancun',
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
} as const;

/** For contracts that only tests deploy: four times as fast to compile, dearer to run. */
export const UNOPTIMIZED = {
  ...SETTINGS,
  viaIR: false,
  optimizer: { enabled: false },
};

/** Said of any `tstore` in assembly, once; `Demand` starts again with every trade. */
const TRANSIENT_STORAGE_NOTICE = '2394';

/** Returns the sources beside the routers, by file name. */
export function readSources(folder: URL = SOURCES): Record<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sol'));
  return Object.fromEntries(
    names.sort().map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]),
  );
}

/**
 * Returns every contract in `sources`, compiled, by its name.
 *
 * @throws {CompilationError} on any error or warning of the compiler
 */
export function compileContracts(
  sources: Readonly<Record<string, string>>,
  settings: CompiledContract['settings'] = SETTINGS,
): ReadonlyMap<string, CompiledContract> {
  const { compiler, output } = runCompiler(inputOf(sources, settings));
  const complaints = (output.errors ?? [])
    .filter(({ errorCode }) => errorCode !== TRANSIENT_STORAGE_NOTICE)
    .map(({ formattedMessage }) => formattedMessage);
  if (complaints.length > 0) throw new CompilationError(complaints);
  return new Map(
    Object.values(output.contracts).flatMap((file) =>
      Object.entries(file).map(([contract, { abi, evm }]) => [
        contract,
        {
          contract,
          abi,
          bytecode: `0x${evm.bytecode.object}`,
          deployedBytecode: `0x${evm.deployedBytecode.object}`,
          compiler,
          settings,
        },
      ]),
    ),
  );
}

/** What the compiler reads, as it reads it. */
function inputOf(
  sources: Readonly<Record<string, string>>,
  settings: CompiledContract['settings'],
): string {
  return JSON.stringify({
    language: 'Solidity',
    sources: Object.fromEntries(
      Object.entries(sources).map(([name, content]) => [name, { content }]),
    ),
    settings: {
      ...settings,
      outputSelection: {
        '*': { '*': ['abi', 'evm.bytecode.object', 'evm.deployedBytecode.object'] },
      },
    },
  });
}

/** Returns one hash of some texts, and of the compiler's version. */
function hashOf(...texts: readonly string[]): string {
  const { version } = require('solc/package.json') as { version: string };
  const hash = createHash('sha256').update(version);
  for (const text of texts) hash.update(text);
  return hash.digest('hex');
}

/** Returns what the compiler makes of an input, in this run or one before. */
function runCompiler(input: string): Compilation {
  const hash = hashOf(input);
  const file = new URL(`${hash}.json`, KEPT);
  const kept = existsSync(file) && readFileSync(file, 'utf8');
  if (kept) return JSON.parse(kept) as Compilation;
  // Loaded for this alone: it takes half a second, and has no types.
  const solc = require('solc') as { compile(input: string): string; version(): string };
  const made: Compilation = { compiler: solc.version(), output: JSON.parse(solc.compile(input)) };
  mkdirSync(KEPT, { recursive: true });
  // Others may read it meanwhile.
  const part = new URL(`${hash}.${process.pid}`, KEPT);
  writeFileSync(part, JSON.stringify(made));
  renameSync(part, file);
  return made;
}

/** The contracts that are used, as they are compiled together. */
function readGroups(): readonly Parameters<typeof compileContracts>[] {
  return [
    [{ ...readSources(), ...readSources(TOKEN_SOURCES) }, SETTINGS],
    // They run on any chain that is read from, those without the latest opcodes too.
    [
      { ...readSources(EXECUTION_SOURCES), ...readSources(READER_SOURCES) },
      { ...SETTINGS, evmVersion: 'paris' },
    ],
  ];
}

/** Returns the text of each file under `fixtures/bytecode/`, by its name, compiled from the sources. */
export function renderBytecode(): ReadonlyMap<string, string> {
  const compiled = new Map(readGroups().flatMap((group) => [...compileContracts(...group)]));
  const files = Object.entries(DEPLOYED_CONTRACTS).map(
    ([file, contract]) =>
      [`${file}.json`, `${JSON.stringify(compiled.get(contract), null, 1)}\n`] as const,
  );
  const texts = files.map(([, text]) => text);
  return new Map([...files, [COMPILED_FROM, renderCompiledFrom(texts)]]);
}

/** The file that tells what the others were compiled from, so that a stale one is found without compiling. */
export const COMPILED_FROM = 'compiled-from.json';

/** Returns its text: a hash of what the compiler reads, and one of the files that it made of that. */
export function renderCompiledFrom(files: readonly string[]): string {
  const sources = hashOf(
    ...readGroups().map(([sources, settings = SETTINGS]) => inputOf(sources, settings)),
  );
  return `${JSON.stringify({ sources, files: hashOf(...files) }, null, 1)}\n`;
}

/** Where the compiled contracts are committed. */
export function bytecodeFile(name: string): URL {
  return new URL(name, OUTPUT);
}

/** Thrown when the compiler has anything to complain about. */
export class CompilationError extends Error {
  override readonly name = 'CompilationError';

  constructor(complaints: readonly string[]) {
    super(`solc complains:\n${complaints.join('\n')}`);
  }
}

type Compilation = { readonly compiler: string; readonly output: SolcOutput };

type SolcOutput = {
  readonly errors?: readonly { readonly errorCode: string; readonly formattedMessage: string }[];
  /** By file and by name. */
  readonly contracts: Record<string, Record<string, SolcContract>>;
};

type SolcContract = {
  readonly abi: readonly unknown[];
  readonly evm: Record<'bytecode' | 'deployedBytecode', { readonly object: string }>;
};

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(OUTPUT, { recursive: true });
  for (const [name, text] of renderBytecode()) {
    writeFileSync(bytecodeFile(name), text);
    process.stdout.write(`fixtures/bytecode/${name}\n`);
  }
}
