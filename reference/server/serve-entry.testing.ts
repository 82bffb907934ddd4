import { createServeCommand } from '../commands/serve-command.ts';

/** `swapcheck serve` alone, for tests that start it as a process. */
await createServeCommand().parseAsync();
