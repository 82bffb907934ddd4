import { readFileSync } from 'node:fs';
import { type Command, InvalidArgumentError, type Option } from 'commander';
import { parse } from 'yaml';
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
      throw new UsageError(`--config ${path}: there is no option '${name}'`);
    }
    if (command.getOptionValueSource(option.attributeName()) === 'cli') continue;
    command.setOptionValueWithSource(
      option.attributeName(),
      parseConfigValue(option, value, path),
      'config',
    );
  }
}

function readConfig(path: string): Record<string, unknown> {
  let config: unknown;
  try {
    config = parse(readFileSync(path, 'utf8'));
  } catch (cause) {
    throw new UsageError(`--config ${path}: ${messageOf(cause)}`, { cause });
  }
  if (typeof config !== 'object' || config === null || Array.isArray(config)) {
    throw new UsageError(`--config ${path}: expected an object of option names and values`);
  }
  return config as Record<string, unknown>;
}

function parseConfigValue(option: Option, value: unknown, path: string): unknown {
  if (option.isBoolean()) {
    if (typeof value === 'boolean') return value;
    throw new UsageError(
      `--config ${path}: ${option.long} ${String(value)}: expected true or false`,
    );
  }
  let parsed: unknown;
  for (const item of Array.isArray(value) ? value : [value]) {
    const text = String(item);
    try {
      parsed = option.parseArg === undefined ? text : option.parseArg(text, parsed);
    } catch (error) {
      if (!(error instanceof InvalidArgumentError)) throw error;
      throw new UsageError(`--config ${path}: ${option.long} ${text}: ${error.message}`);
    }
  }
  return parsed;
}

function messageOf(cause: unknown): string {
  return cause instanceof Error ? (cause.message.split('\n')[0] ?? '') : String(cause);
}
