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
import { DEPLOYED_CONTRACTS } from '../../fixtures/chains/artifacts.ts';

/** A compiled contract, as committed in `fixtures/bytecode/`. */
export type CompiledContract = {
  readonly contract: string;
  readonly abi: readonly unknown[];
  /** Creation code, without constructor arguments. */
  readonly bytecode: `0x${string}`;
  /** Runtime code, with zeros for immutables. */
  readonly deployedBytecode: `0x${string}`;
  readonly compiler: string;
  readonly settings: Readonly<Record<string, unknown>>;
};

const require = createRequire(import.meta.url);

const SOURCES = new URL('../../reference/contracts/', import.meta.url);
const EXECUTION_SOURCES = new URL('../../conformance/execution/contracts/', import.meta.url);
const READER_SOURCES = new URL('../../reference/market/live/', import.meta.url);
const TOKEN_SOURCES = new URL('../../fixtures/chains/contracts/', import.meta.url);
const OUTPUT = new URL('../../fixtures/bytecode/', import.meta.url);
/**
 * Results of the compiler, keyed by a hash of its version and input, because compiling takes half a
 * minute.
 */
const CACHE = new URL('../../node_modules/.cache/swapcheck/solc/', import.meta.url);

/**
 * Without a metadata hash, comments and paths do not change the bytecode. Values from 200 to
 * 1,000,000 optimizer runs were tested, and 1,000,000 resulted in the lowest gas.
 */
const SETTINGS = {
  evmVersion: 'cancun',
  viaIR: true,
  optimizer: { enabled: true, runs: 1_000_000 },
  metadata: { bytecodeHash: 'none', appendCBOR: false },
} as const;

/**
 * Settings for contracts that only tests deploy. With these settings, contracts compile four times
 * as fast but use more gas.
 */
export const UNOPTIMIZED = {
  ...SETTINGS,
  viaIR: false,
  optimizer: { enabled: false },
};

/**
 * Code of a general warning about `tstore` in assembly. The warning does not apply, because
 * `Demand` is reset with every trade.
 */
const TRANSIENT_STORAGE_NOTICE = '2394';

/** Returns the Solidity sources in a folder, by file name. Default: the folder of the routers. */
export function readSources(folder: URL = SOURCES): Record<string, string> {
  const names = readdirSync(folder).filter((name) => name.endsWith('.sol'));
  return Object.fromEntries(
    names.sort().map((name) => [name, readFileSync(new URL(name, folder), 'utf8')]),
  );
}

/**
 * Returns every compiled contract of `sources`, by its name.
 * @throws {CompilationError} on any error or warning of the compiler
 */
export function compileContracts(
  sources: Readonly<Record<string, string>>,
  settings: CompiledContract['settings'] = SETTINGS,
): ReadonlyMap<string, CompiledContract> {
  const { compiler, output } = runCompiler(inputOf(sources, settings));
  const messages = (output.errors ?? [])
    .filter(({ errorCode }) => errorCode !== TRANSIENT_STORAGE_NOTICE)
    .map(({ formattedMessage }) => formattedMessage);
  if (messages.length > 0) throw new CompilationError(messages);
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

function hashOf(input: string): string {
  const { version } = require('solc/package.json') as { version: string };
  return createHash('sha256').update(version).update(input).digest('hex');
}

function runCompiler(input: string): Compilation {
  const hash = hashOf(input);
  const file = new URL(`${hash}.json`, CACHE);
  const cached = existsSync(file) && readFileSync(file, 'utf8');
  if (cached) return JSON.parse(cached) as Compilation;
  // Load the compiler only when needed, because loading takes half a second. The package has no
  // types.
  const solc = require('solc') as { compile(input: string): string; version(): string };
  const made: Compilation = { compiler: solc.version(), output: JSON.parse(solc.compile(input)) };
  mkdirSync(CACHE, { recursive: true });
  // Rename the file only when it is complete, because other processes may read it.
  const part = new URL(`${hash}.${process.pid}`, CACHE);
  writeFileSync(part, JSON.stringify(made));
  renameSync(part, file);
  return made;
}

function readGroups(): readonly Parameters<typeof compileContracts>[] {
  return [
    [{ ...readSources(), ...readSources(TOKEN_SOURCES) }, SETTINGS],
    // These contracts run on any chain, including chains without the latest opcodes.
    [
      { ...readSources(EXECUTION_SOURCES), ...readSources(READER_SOURCES) },
      { ...SETTINGS, evmVersion: 'paris' },
    ],
  ];
}

/** Compiles the sources and returns the text of each file of `fixtures/bytecode/`, by name. */
export function renderBytecode(): ReadonlyMap<string, string> {
  const compiled = new Map(readGroups().flatMap((group) => [...compileContracts(...group)]));
  return new Map(
    Object.entries(DEPLOYED_CONTRACTS).map(([file, contract]) => [
      `${file}.json`,
      `${JSON.stringify(compiled.get(contract), null, 1)}\n`,
    ]),
  );
}

/** Returns the location of a file in `fixtures/bytecode/`. */
export function bytecodeFile(name: string): URL {
  return new URL(name, OUTPUT);
}

/** Thrown if the compiler reports an error or a warning. */
export class CompilationError extends Error {
  override readonly name = 'CompilationError';

  constructor(messages: readonly string[]) {
    super(`solc failed:\n${messages.join('\n')}`);
  }
}

type Compilation = { readonly compiler: string; readonly output: SolcOutput };

type SolcOutput = {
  readonly errors?: readonly { readonly errorCode: string; readonly formattedMessage: string }[];
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
