import { argv } from 'node:process';
import { register } from 'tsx/esm/api';

/* Where a thread begins in a checkout: it learns to read TypeScript, and runs the module named. */

register();
await import(argv[2]);
