import type { Command } from 'commander';

/** Name of the configuration that is read without `--config`. */
export const CONFIG_FILE = 'swapcheck.yaml';

/** Adds `--config` and `--no-config`. @see applyConfig */
export function withConfigOptions(command: Command): Command {
  return command
    .option(
      '--config <file>',
      `read options from a JSON or YAML file (default: ${CONFIG_FILE} in this folder)`,
    )
    .option('--no-config', `ignore ${CONFIG_FILE}`);
}
