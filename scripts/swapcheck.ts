#!/usr/bin/env node
import { CommanderError } from 'commander';
import { createProgram } from './program/program.ts';

// A key that was given as an argument stands in no list of processes.
process.title = 'swapcheck';

/** What is told of a mistake. */
let said = '';
const words = process.argv.slice(2);
const program = await createProgram(words);
/** commander prints the whole help where it is asked for that of a command that is none. */
const isHelpOfNone =
  words[0] === 'help' && words[1] && program.commands.every((one) => one.name() !== words[1]);
for (const command of [program, ...program.commands]) {
  const name = command === program ? '' : `${command.name()} `;
  command
    .exitOverride()
    .configureOutput({
      writeErr: (text) => {
        said += text;
      },
    })
    .showHelpAfterError(`See swapcheck ${name}--help.`);
}

guardStandardStreams();
/** A call of a node that hangs keeps no process that is done. */
const LAST_WAIT_MS = 200;
try {
  await program.parseAsync(isHelpOfNone ? words.slice(1) : words, { from: 'user' });
} catch (error) {
  process.exitCode = exitCodeFor(error);
  process.stderr.write(await withoutKey(said));
}
// The service that `serve` started is what is still under way.
if (program.args[0] !== 'serve') setTimeout(exitOnceWritten, LAST_WAIT_MS).unref();

/** Where writing to a pipe takes its time, what was printed is not lost. */
function exitOnceWritten(): void {
  process.stdout.write('', () => process.exit());
}

/** Commander has printed what it threw for; everything else gets one plain line. */
function exitCodeFor(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const message = error instanceof Error ? error.message : String(error);
  said += `error: ${message}\n`;
  return error instanceof Error && error.name === 'UsageError' ? 2 : 3;
}

/** A sentence quotes what was typed, and a secret may stand in it: a URL that was copied whole. */
async function withoutKey(text: string): Promise<string> {
  const { createRedactor } = await import('../conformance/client/redaction.ts');
  const { sentence } = createRedactor(process.env['SWAPCHECK_API_KEY']);
  return sentence(text)
    .replaceAll(/(?<=[?&]apiKey=)[^&'"\s]*/gi, '$$SWAPCHECK_API_KEY')
    .replaceAll(/[^\s'"=:@/]{0,500}:[^\s'"@]{0,500}(?=@)/g, '***')
    .replaceAll(/(\S{200})\S{200,}/g, '$1…');
}

/**
 * Whatever could not be written to standard output is lost: one sentence says
 * so, and the exit code is 3. Nobody can be told of standard error.
 */
function guardStandardStreams(): void {
  let isLost = false;
  process.stdout.on('error', ({ message }) => {
    if (!isLost) process.stderr.write(`error: could not write to standard output: ${message}\n`);
    isLost = true;
  });
  process.stderr.on('error', () => undefined);
  process.on('exit', () => {
    if (isLost) process.exitCode = 3;
  });
}
