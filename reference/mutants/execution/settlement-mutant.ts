import type { Middleware } from 'koa';
import type { SwapResponse } from '../../../conformance/contract/resources.ts';
import { alterBody } from '../alter-reply.ts';
import { alterRequest } from '../alter-request.ts';
import type { Mutant } from '../mutant.ts';

/** Returns middleware that asks for another trade, and puts what was asked for into its reply. */
export function askForAnother(
  change: (query: URLSearchParams) => void,
  restore: (plan: SwapResponse, asked: URLSearchParams) => void,
): Middleware {
  const asked = alterRequest('swap', change);
  const restored = alterBody('swap', restore);
  return (ctx, next) => restored(ctx, () => asked(ctx, next) as Promise<void>);
}

/** Returns a mutant whose fault only a chain shows. */
export function settlementMutant(
  id: string,
  clause: string,
  caughtBy: string,
  title: string,
  middleware: Mutant['middleware'],
): Mutant {
  return { id: `settlement/${id}`, clause, caughtBy: `execution/${caughtBy}`, title, middleware };
}
