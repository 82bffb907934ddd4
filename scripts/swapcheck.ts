#!/usr/bin/env node
import { CommanderError } from 'commander';
import { messageOf } from '../conformance/contract/message-of.ts';
import { notify } from '../conformance/output/terminal.ts';
import { UsageError } from '../conformance/output/usage-error.ts';
import { createProgram } from './cli/program.ts';
import { explainRemovedOption } from './cli/removed-options.ts';

// Process listings show this title instead of the arguments, which may contain a key.
process.title = 'swapcheck';

/** Commander's messages. They are printed at the end, without the key. */
const MAX_ERROR_CHARACTERS = 2 ** 17;
const MAX_ENCODED_KEY_CHARACTERS = 2 ** 16;
let errorText = '';
const words = process.argv.slice(2);
const program = await createProgram(words);
/**
 * For `help` with an unknown command, commander would print the complete help instead of an error.
 */
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
/** Maximum time by which a pending call to a node delays the exit. */
const EXIT_DELAY_MS = 200;
try {
  await program.parseAsync(isHelpOfUnknown ? words.slice(1) : words, { from: 'user' });
} catch (error) {
  process.exitCode = exitCodeFor(error);
  if (errorText !== '') {
    notify((await withoutKey(explainRemovedOption(errorText, words))).trimEnd());
  }
}
// The service of `serve` must keep running.
if (program.args[0] !== 'serve') setTimeout(exitOnceWritten, EXIT_DELAY_MS).unref();

function exitOnceWritten(): void {
  process.stdout.write('', () => process.exit());
}

/**
 * Returns the exit code for an error. Commander has already reported its own errors. For other
 * errors, adds a line to the error text.
 */
function exitCodeFor(error: unknown): number {
  if (error instanceof CommanderError && error.code.startsWith('commander.')) {
    return error.exitCode === 0 ? 0 : 2;
  }
  const message = messageOf(error);
  errorText += `error: ${message}\n`;
  return error instanceof CommanderError || error instanceof UsageError ? 2 : 3;
}

/**
 * Removes the key from the start of a message, which may quote an argument such as a complete URL.
 */
async function withoutKey(text: string): Promise<string> {
  const { createRedactor } = await import('../conformance/client/redaction.ts');
  const { redactSentence } = createRedactor(process.env['SWAPCHECK_API_KEY']);
  // A node may send megabytes. The end of the cut text is dropped, since it may be part of a key.
  const redacted = redactSentence(text.slice(0, MAX_ERROR_CHARACTERS));
  const end = text.length > MAX_ERROR_CHARACTERS ? -MAX_ENCODED_KEY_CHARACTERS : undefined;
  return redacted
    .slice(0, end)
    .replaceAll(/(?<=[?&]apiKey=)[^&'"\s]*/gi, '$$SWAPCHECK_API_KEY')
    .replaceAll(/[^\s'"=:@/]{0,500}:[^\s'"@]{0,500}(?=@)/g, '***')
    .replaceAll(/(\S{200})\S{200,}/g, '$1…');
}

/**
 * Reports a failed write to standard output in one sentence, with exit code 3. Ignores failed
 * writes to standard error.
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
