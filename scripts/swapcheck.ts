#!/usr/bin/env node
import { CommanderError } from 'commander';
import { notify } from '../conformance/output/terminal.ts';
import { UsageError } from '../conformance/output/usage-error.ts';
import { createProgram } from './cli/program.ts';

// Process lists show the title instead of the arguments, which may contain a key.
process.title = 'swapcheck';

/** Commander's messages are printed at the end, without the key. */
let errorText = '';
const words = process.argv.slice(2);
const program = await createProgram(words);
/** For `help` of an unknown command, commander would print the complete help instead of an error. */
const isHelpOfUnknown =
  words[0] === 'help' && words[1] && program.commands.every((one) => one.name() !== words[1]);
for (const command of [program, ...program.commands]) {
  const name = command === program ? '' : `${command.name()} `;
  command
    .exitOverride()
    .configureOutput({
      writeErr: (text) => {
        errorText += text;
      },
    })
    .showHelpAfterError(`See swapcheck ${name}--help.`);
}

guardStandardStreams();
/** A node's pending call delays the exit by at most this time. */
const EXIT_DELAY_MS = 200;
try {
  await program.parseAsync(isHelpOfUnknown ? words.slice(1) : words, { from: 'user' });
} catch (error) {
  process.exitCode = exitCodeFor(error);
  if (errorText !== '') notify((await withoutKey(errorText)).trimEnd());
}
// The service of `serve` continues to run.
if (program.args[0] !== 'serve') setTimeout(exitOnceWritten, EXIT_DELAY_MS).unref();

function exitOnceWritten(): void {
  process.stdout.write('', () => process.exit());
}

/** Commander has already reported its own errors; other errors are printed in one line. */
function exitCodeFor(error: unknown): number {
  if (error instanceof CommanderError && error.code.startsWith('commander.')) {
    return error.exitCode === 0 ? 0 : 2;
  }
  const message = error instanceof Error ? error.message : String(error);
  errorText += `error: ${message}\n`;
  return error instanceof CommanderError || error instanceof UsageError ? 2 : 3;
}

/** A message may quote an argument such as a complete URL. */
async function withoutKey(text: string): Promise<string> {
  const { createRedactor } = await import('../conformance/client/redaction.ts');
  const { redactSentence } = createRedactor(process.env['SWAPCHECK_API_KEY']);
  return redactSentence(text)
    .replaceAll(/(?<=[?&]apiKey=)[^&'"\s]*/gi, '$$SWAPCHECK_API_KEY')
    .replaceAll(/[^\s'"=:@/]{0,500}:[^\s'"@]{0,500}(?=@)/g, '***')
    .replaceAll(/(\S{200})\S{200,}/g, '$1…');
}

/**
 * A failed write to standard output is reported in one sentence, with exit code 3. Failed writes to standard error are
 * ignored.
 */
function guardStandardStreams(): void {
  let hasFailed = false;
  process.stdout.on('error', ({ message }) => {
    if (!hasFailed) notify(`error: could not write to standard output: ${message}`);
    hasFailed = true;
  });
  process.stderr.on('error', () => undefined);
  process.on('exit', () => {
    if (hasFailed) process.exitCode = 3;
  });
}
