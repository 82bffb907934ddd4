import { type Command, InvalidArgumentError, type Option } from 'commander';
import { didYouMean } from '../output/nearest.ts';
import { type OptionParser, TEXT_SCHEMA } from '../output/option-values.ts';
import { readYamlOf } from '../output/read-yaml.ts';
import { UsageError } from '../output/usage-error.ts';

/**
 * Fills the options that the command line leaves out from a JSON or YAML file
 * that names them alike: `max-requests: 500`, `report: [text, json=out.json]`.
 *
 * @throws {UsageError} for a file that cannot be read, and for names and values
 * that the command line would refuse.
 */
export function applyConfigFile(command: Command, path: string): void {
  for (const [name, value] of Object.entries(readConfig(path))) {
    const option = command.options.find(({ long }) => long === `--${name}`);
    if (option === undefined || name === 'config') {
      const hint = didYouMean(name, namesOf(command));
      throw new UsageError(`--config ${path}: there is no option '${name}'${hint}`);
    }
    if (command.getOptionValueSource(option.attributeName()) === 'cli') continue;
    command.setOptionValueWithSource(
      option.attributeName(),
      parseConfigValue(option, value, path),
      'config',
    );
  }
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
  const refuse = (item: unknown, expected: string) => {
    const text = typeof item === 'string' ? item : JSON.stringify(item);
    return new UsageError(`--config ${path}: ${option.long} ${text}: ${expected}`);
  };
  if (option.isBoolean()) {
    if (typeof value === 'boolean') return value;
    throw refuse(value, 'expected true or false');
  }
  let parsed: unknown;
  for (const item of Array.isArray(value) ? value : [value]) {
    if (typeof item === 'object') throw refuse(item, 'expected a text or a number');
    const text = String(item);
    try {
      parsed = option.parseArg === undefined ? text : option.parseArg(text, parsed);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw refuse(item, error.message);
    }
  }
  const isOneOnly = Array.isArray(value) && !Array.isArray(parsed);
  if (isOneOnly) throw refuse(value, 'expected one value, not a list');
  return parsed;
}

/**
 * Returns the JSON Schema of a file for `--config` of a command. It is made of
 * the command's own options, by which such a file is read.
 */
export function configSchemaOf(command: Command): object {
  const options = command.options.filter(({ long }) => long !== '--config');
  return {
    type: 'object',
    properties: Object.fromEntries(
      options.map((option) => [
        option.long?.replace(/^--/, '') ?? '',
        { description: option.description, ...schemaOf(option) },
      ]),
    ),
    additionalProperties: false,
  };
}

function schemaOf(option: Option): object {
  if (option.isBoolean()) return { type: 'boolean' };
  const { schema } = (option.parseArg ?? {}) as Partial<OptionParser<unknown>>;
  return schema ?? TEXT_SCHEMA;
}
