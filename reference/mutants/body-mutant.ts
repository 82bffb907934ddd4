import { alterBody, type Bodies, type Change } from './alter-reply.ts';
import type { Mutant } from './mutant.ts';

/** Returns a mutant that changes each 200 of an operation. */
export function bodyMutant<Operation extends keyof Bodies>(
  operation: Operation,
  id: string,
  clause: string,
  caughtBy: string,
  title: string,
  change: Change<Bodies[Operation]>,
): Mutant {
  return { id, clause, caughtBy, title, middleware: () => alterBody(operation, change) };
}

/** Returns a mutant that changes each plan. */
export function planMutant(
  id: string,
  clause: string,
  caughtBy: string,
  title: string,
  change: Change<Bodies['swap']>,
): Mutant {
  return bodyMutant('swap', id, clause, caughtBy, title, change);
}
