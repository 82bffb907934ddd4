import { type Command, InvalidArgumentError, type Option } from 'commander';
import { didYouMean } from '../output/nearest.ts';
import { type OptionParser, TEXT_SCHEMA } from '../output/option-values.ts';
import { readYamlOf } from '../output/read-yaml.ts';
import { UsageError } from '../output/usage-error.ts';

/** The configuration that is read without `--config`, if it is in the working folder. */
export const DEFAULT_CONFIG = 'swapcheck.yaml';

/** The part of a configuration that describes the service. */
export type ServiceConfig = {
  /** Base URL of the service. */
  readonly url?: string;
  /** A command that starts it. */
  readonly start?: string;
  readonly ready?: { readonly path: string; readonly seconds: number };
};

/**
 * Sets the options that the command line omits from a JSON or YAML file with the same names:
 * `max-requests: 500`, `report: [text, json=out.json]`. Returns the description of the service.
 *
 * @param elsewhere - Options of other commands, which are skipped.
 * @throws {UsageError} for a file that cannot be read, and for names and values that the command line
 * would reject.
 */
export function applyConfigFile(
  command: Command,
  path: string,
  elsewhere: readonly string[] = [],
): ServiceConfig {
  const { url, start, ready, ...options } = readConfig(path);
  for (const [name, value] of Object.entries(options)) {
    const option = command.options.find(({ long }) => long === `--${name}`);
    if (option === undefined && elsewhere.includes(name)) continue;
    if (option === undefined || name === 'config') {
      const hint = didYouMean(name, [...namesOf(command), 'url', 'start', 'ready']);
      throw new UsageError(`--config ${path}: there is no option '${name}'${hint}`);
    }
    if (command.getOptionValueSource(option.attributeName()) === 'cli') continue;
    command.setOptionValueWithSource(
      option.attributeName(),
      parseConfigValue(option, value, path),
      'config',
    );
  }
  return readService(path, url, start, ready);
}

const DEFAULT_READY = { path: '/', seconds: 60 };

function readService(path: string, url: unknown, start: unknown, ready: unknown): ServiceConfig {
  const wrong = (name: string, expected: string) =>
    new UsageError(`--config ${path}: ${name}: expected ${expected}`);
  if (url !== undefined && typeof url !== 'string') throw wrong('url', 'an http or https URL');
  if (start !== undefined && typeof start !== 'string') throw wrong('start', 'a command');
  if (start !== undefined && url === undefined)
    throw wrong('url', 'the URL at which the service of start: listens');
  if (ready !== undefined && start === undefined)
    throw wrong('start', 'the command that starts the service of ready:');
  return {
    ...(url !== undefined && { url }),
    ...(start !== undefined && { start, ready: readReady(ready, wrong) }),
  };
}

function readReady(
  ready: unknown,
  wrong: (name: string, expected: string) => UsageError,
): NonNullable<ServiceConfig['ready']> {
  const given = typeof ready === 'string' ? { path: ready } : (ready ?? {});
  if (typeof given !== 'object') throw wrong('ready', 'a path, or a path and seconds');
  const {
    path = DEFAULT_READY.path,
    seconds = DEFAULT_READY.seconds,
    ...others
  } = given as {
    readonly path?: unknown;
    readonly seconds?: unknown;
  };
  if (Object.keys(others).length > 0) throw wrong('ready', 'path and seconds only');
  if (typeof path !== 'string' || !path.startsWith('/'))
    throw wrong('ready.path', 'a path such as /health');
  if (typeof seconds !== 'number' || !(seconds > 0))
    throw wrong('ready.seconds', 'a number above 0');
  return { path, seconds };
}

function namesOf({ options }: Command): readonly string[] {
  return options.flatMap(({ long }) => long?.replace(/^--/, '') ?? []);
}

function readConfig(path: string): Record<string, unknown> {
  const config = readYamlOf('--config', path);
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new UsageError(`--config ${path}: expected an object of option names and values`);
  }
  return config as Record<string, unknown>;
}

function parseConfigValue(option: Option, value: unknown, path: string): unknown {
  const invalid = (item: unknown, expected: string) => {
    const text = typeof item === 'string' ? item : JSON.stringify(item);
    return new UsageError(`--config ${path}: ${option.long} ${text}: ${expected}`);
  };
  if (option.isBoolean()) {
    if (typeof value === 'boolean') return value;
    throw invalid(value, 'expected true or false');
  }
  let parsed: unknown;
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item === 'object') throw invalid(item, 'expected a text or a number');
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

const SERVICE_SCHEMA = {
  url: { description: 'base URL of the service', type: 'string', pattern: '^https?://' },
  start: {
    description: 'a command that starts the service; it is stopped at the end',
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
 * Returns the JSON Schema of a file for `--config` of a command, derived from the command's options.
 */
export function configSchemaOf(command: Command): object {
  const options = command.options.filter(({ long }) => long !== '--config');
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
