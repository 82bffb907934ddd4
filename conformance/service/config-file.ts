import { existsSync } from 'node:fs';
import { type Command, InvalidArgumentError, type Option } from 'commander';
import { didYouMean } from '../output/nearest.ts';
import { type OptionParser, TEXT_SCHEMA } from '../output/option-values.ts';
import { printable } from '../output/printable.ts';
import { readYamlOf } from '../output/read-yaml.ts';
import { notify } from '../output/terminal.ts';
import { UsageError } from '../output/usage-error.ts';
import { CONFIG_FILE } from './config-options.ts';

/** Options that describe a service and how to reach it, whichever command sends the requests. */
export const SERVICE_OPTIONS: readonly string[] = [
  ...['chain', 'fork', 'settle-on', 'router-name', 'user', 'timeout', 'max-body', 'wait'],
  ...['header', 'proxy', 'ca', 'client-cert', 'client-key', 'insecure'],
];

/** Options that select what is judged, and how. */
export const JUDGING_OPTIONS: readonly string[] = [
  ...['only', 'level', 'profile', 'seed', 'max-requests', 'max-time', 'rate', 'concurrency'],
  ...['tolerance-ppm', 'frozen', 'bail', 'require-fork', 'request', 'rules', 'last-failed'],
  ...['waivers', 'write-waivers', 'prune-waivers', 'report', 'record', 'verbose'],
];

/** The service that a command uses. */
export type ConfiguredService = {
  /** Base URL; undefined if neither the command line nor a configuration contains one. */
  readonly url?: string;
  /** Command that starts the service; set only if its URL is from the configuration. */
  readonly start?: ServiceStart;
};

/** Command that starts a service, and its settings. */
export type ServiceStart = {
  /** A command for the shell. */
  readonly command: string;
  /** A path that responds as soon as the service is ready. */
  readonly path: string;
  /** Maximum time until the service is ready. */
  readonly seconds: number;
  /** The file for the output of the service. */
  readonly log: string;
};

/**
 * Sets options that the command line omits to their values in the configuration: the file that
 * `--config` names, or `swapcheck.yaml` in the working folder. Returns the service to use. If the
 * user did not name the file, prints its name to standard error, with what it starts and imports
 * and the proxy that it uses.
 *
 * @param command - Has the options of `withConfigOptions`.
 * @param named - The base URL on the command line.
 * @param names - Options that the command reads from the file. Other options in the file are
 * skipped.
 * @throws {UsageError} for a file that cannot be read, and for names and values that the command
 * line would reject.
 */
export function applyConfig(
  command: Command,
  named: string | undefined,
  names: readonly string[] = SERVICE_OPTIONS,
): ConfiguredService {
  const fromCommandLine = named === undefined ? {} : { url: named };
  const { config } = command.opts<{ readonly config?: string | false }>();
  if (config === false) return fromCommandLine;
  const file = config ?? (existsSync(CONFIG_FILE) ? CONFIG_FILE : undefined);
  if (file === undefined) return fromCommandLine;
  const { url, start, ready, ...options } = readConfig(file);
  for (const [name, value] of Object.entries(options)) {
    if (!SERVICE_OPTIONS.includes(name) && !JUDGING_OPTIONS.includes(name)) {
      const known = [...SERVICE_OPTIONS, ...JUDGING_OPTIONS, 'url', 'start', 'ready'];
      throw fault(file, `there is no option '${name}'${didYouMean(name, known)}`);
    }
    const option = command.options.find(({ long }) => long === `--${name}`);
    if (option === undefined || !names.includes(name)) continue;
    const attribute = option.attributeName();
    if (command.getOptionValueSource(attribute) === 'cli') continue;
    const parsed = parseValue(option, value, file);
    command.setOptionValueWithSource(attribute, parsed, 'config');
  }
  const inFile = readService(file, url, start, ready);
  const service = named === undefined ? inFile : fromCommandLine;
  if (config === undefined) reportEffects(command, named === undefined ? service : {});
  return service;
}

/**
 * Checks that a configuration named by the user contains a service, so that the command does not
 * use another service.
 *
 * @throws {UsageError} without a base URL.
 */
export function assertService(
  config: string | false | undefined,
  url: URL | string | undefined,
): void {
  if (typeof config !== 'string' || url !== undefined) return;
  throw new UsageError(
    `--config ${config}: a BASE_URL is required, on the command line or as url: in the file`,
  );
}

function fault(file: string, what: string): UsageError {
  return new UsageError(`--config ${file}: ${what}`);
}

const DEFAULT_READY = { path: '/', seconds: 60 };
const SERVICE_LOG = 'reports/service.log';

type Wrong = (name: string, expected: string, value?: unknown) => UsageError;

function readService(
  file: string,
  url: unknown,
  start: unknown,
  ready: unknown,
): ConfiguredService {
  const wrong: Wrong = (name, expected, value) => {
    const got = value === undefined ? '' : `, got ${printable(JSON.stringify(value), 200)}`;
    return fault(file, `${name}: expected ${expected}${got}`);
  };
  if (url !== undefined && typeof url !== 'string') throw wrong('url', 'an http or https URL', url);
  if (start !== undefined && typeof start !== 'string') throw wrong('start', 'a command', start);
  if (start !== undefined && url === undefined)
    throw wrong('url', 'the URL at which the service of start: listens');
  if (ready !== undefined && start === undefined)
    throw wrong('start', 'the command that starts the service of ready:');
  return {
    ...(url !== undefined && { url }),
    ...(start !== undefined && {
      start: { command: start, log: SERVICE_LOG, ...readReady(ready, wrong) },
    }),
  };
}

function readReady(ready: unknown, wrong: Wrong): Pick<ServiceStart, 'path' | 'seconds'> {
  const given = typeof ready === 'string' ? { path: ready } : (ready ?? {});
  if (typeof given !== 'object') throw wrong('ready', 'a path, or a path and seconds', ready);
  const {
    path = DEFAULT_READY.path,
    seconds = DEFAULT_READY.seconds,
    ...others
  } = given as {
    readonly path?: unknown;
    readonly seconds?: unknown;
  };
  if (Object.keys(others).length > 0) throw wrong('ready', 'path and seconds only', ready);
  if (typeof path !== 'string' || !path.startsWith('/'))
    throw wrong('ready.path', 'a path such as /health', path);
  if (typeof seconds !== 'number' || !(seconds > 0))
    throw wrong('ready.seconds', 'a number above 0', seconds);
  return { path, seconds };
}

function readConfig(path: string): Record<string, unknown> {
  const config = readYamlOf('--config', path);
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new UsageError(`--config ${path}: expected an object of option names and values`);
  }
  return config as Record<string, unknown>;
}

function parseValue(option: Option, value: unknown, file: string): unknown {
  const { long } = option;
  const invalid = (item: unknown, expected: string) => {
    const text = typeof item === 'string' ? item : JSON.stringify(item);
    return fault(file, `${long} ${text}: ${expected}`);
  };
  if (option.isBoolean()) {
    if (typeof value === 'boolean') return value;
    throw invalid(value, 'expected true or false');
  }
  let parsed: unknown;
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item === 'object') throw invalid(item, 'expected a text or a number');
    if (typeof item === 'number' && !takesNumbers(option)) {
      throw invalid(item, "expected a text in quotes, such as '2.10': YAML reads 2.10 as 2.1");
    }
    const text = String(item);
    try {
      parsed = option.parseArg === undefined ? text : option.parseArg(text, parsed);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw invalid(item, error.message);
    }
  }
  const isOneOnly = Array.isArray(value) && !Array.isArray(parsed);
  if (isOneOnly) throw invalid(value, 'expected one value, not a list');
  return parsed;
}

function takesNumbers(option: Option): boolean {
  return /"(number|integer)"/.test(JSON.stringify(schemaOf(option)));
}

function valueFromFile<T>(command: Command, long: string): T | undefined {
  const name = command.options.find((option) => option.long === long)?.attributeName() ?? '';
  return command.getOptionValueSource(name) === 'config'
    ? (command.getOptionValue(name) as T)
    : undefined;
}

const MAX_EFFECT_CHARACTERS = 500;

function reportEffects(command: Command, { url, start }: ConfiguredService): void {
  const rules = valueFromFile<readonly string[]>(command, '--rules');
  const proxy = valueFromFile<URL>(command, '--proxy');
  const effects = [
    ...(url === undefined ? [] : [`sends requests to ${url.replace(/\/\/[^/]*@/, '//***@')}`]),
    ...(start === undefined ? [] : [`starts '${start.command}'`]),
    ...(rules === undefined ? [] : [`imports ${rules.join(', ')}`]),
    ...(proxy === undefined ? [] : [`sends through ${proxy.origin}`]),
    ...(valueFromFile(command, '--insecure') ? ['accepts any certificate'] : []),
  ];
  // Each effect is cut, so that a long one cannot push another out of the message.
  const shown = effects.map((effect) => printable(effect, MAX_EFFECT_CHARACTERS));
  const doing = effects.length === 0 ? '' : ` It ${shown.join('; ')}.`;
  const text = `Options are read from ${CONFIG_FILE} (--no-config ignores it).${doing}`;
  notify(text);
}

const SERVICE_SCHEMA = {
  url: { description: 'base URL of the service', type: 'string', pattern: '^https?://' },
  start: {
    description: 'a command that starts the service, which is stopped at the end',
    type: 'string',
  },
  ready: {
    description: 'a path that responds once the service is ready, and how long to wait for it',
    anyOf: [
      { type: 'string', pattern: '^/' },
      {
        type: 'object',
        properties: {
          path: { type: 'string', pattern: '^/' },
          seconds: { type: 'number', exclusiveMinimum: 0 },
        },
        additionalProperties: false,
      },
    ],
  },
};

/**
 * Returns the JSON Schema of a command's configuration file, derived from the command's options.
 */
export function configSchemaOf(command: Command): object {
  const names = [...SERVICE_OPTIONS, ...JUDGING_OPTIONS];
  const options = command.options.filter(({ long }) => names.includes(long?.slice(2) ?? ''));
  return {
    type: 'object',
    properties: {
      ...SERVICE_SCHEMA,
      ...Object.fromEntries(
        options.map((option) => [
          option.long?.replace(/^--/, '') ?? '',
          { description: option.description, ...schemaOf(option) },
        ]),
      ),
    },
    additionalProperties: false,
  };
}

function schemaOf(option: Option): object {
  if (option.isBoolean()) return { type: 'boolean' };
  const { schema } = (option.parseArg ?? {}) as Partial<OptionParser<unknown>>;
  return schema ?? TEXT_SCHEMA;
}
