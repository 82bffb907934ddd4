import { Command } from 'commander';
import { interruptible } from '../output/interruptible.ts';
import { repeated, wholeNumber } from '../output/option-values.ts';
import { type CheckFlags, withCheckOptions } from './check-command.ts';

export type RecordFlags = CheckFlags & {
  /** Unset, those that the command names. */
  readonly record?: readonly string[];
  readonly target: string;
  readonly port: number;
  readonly apiKey?: string;
  readonly maxBody?: number;
  readonly timeout?: number;
};

/** Where passing replies are kept, unless something else is named. */
const RECORDINGS = ['reports/swapcheck-record.ndjson', 'reports/swapcheck-record.har'];

/** Returns `swapcheck record`, a proxy that judges what passes through it. */
export function createRecordCommand(version: string): Command {
  const command = withCheckOptions(
    new Command('record')
      .requiredOption('--target <URL>', 'root of the service, such as https://api.example.org')
      .option(
        '--port <n>',
        'port of 127.0.0.1 to listen on, 0 for a free one',
        wholeNumber(0, 65_535),
        8790,
      )
      .option('--api-key <key>', 'added to requests that have no key (default: $SWAPCHECK_API_KEY)')
      .option(
        '--record <file>',
        `keep the exchanges in a .har or .ndjson, repeatable (default: ${RECORDINGS.join(' and ')})`,
        repeated(String),
      )
      .option(
        '--max-body <mib>',
        'judge no larger body, in MiB; it is passed on all the same (default: 16)',
        wholeNumber(1, 256),
      )
      .option(
        '--timeout <ms>',
        'how long the service may be silent (default: 60000)',
        wholeNumber(1, 600_000),
      ),
  );
  return command.action(async () => {
    const { record } = await import('./record.ts');
    process.exitCode = await interruptible((signal) =>
      record(command.opts<RecordFlags>(), RECORDINGS, version, signal),
    );
  });
}
