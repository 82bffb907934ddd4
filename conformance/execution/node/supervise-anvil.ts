import { spawn } from 'node:child_process';

/*
 * Runs Anvil on systems without a POSIX shell. Ends Anvil when standard input closes, which happens
 * when the parent process ends.
 */

const [binary = '', ...args] = process.argv.slice(2);
const anvil = spawn(binary, args, { stdio: ['ignore', 'inherit', 'inherit'], windowsHide: true });
anvil.on('spawn', () => process.stdout.write(`pid ${anvil.pid}\n`));
anvil.on('error', ({ message }) => {
  process.stderr.write(`${message}\n`);
  process.exitCode = 1;
  process.stdin.destroy();
});
anvil.on('exit', (code) => process.exit(code ?? 1));
process.stdin.on('end', () => anvil.kill('SIGKILL')).resume();
