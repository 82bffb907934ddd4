import { Command, Option } from 'commander';
import { notify } from '../market/notify.ts';
import type { PlanDrawing } from './plan-drawing.ts';
import type { RouteFlags } from './route-flags.ts';

type DrawSvg = (drawing: PlanDrawing) => string | Promise<string>;

/**
 * Returns the command `swapcheck route`: plans one trade over a market file, offline. Exits 0
 * with a plan, 1 if there is no route, 2 for wrong usage.
 */
export function createRouteCommand(drawSvg: DrawSvg): Command {
  return new Command('route')
    .requiredOption('--market <file>', 'the market to trade in')
    .requiredOption('--sell <token>', 'address or symbol of the token to sell')
    .requiredOption('--buy <token>', 'address or symbol of the token to buy')
    .option('--sell-amount <amount>', 'exact input, in base units of the sell token')
    .option('--buy-amount <amount>', 'exact output, in base units of the buy token')
    .option('--router <name>', 'router that settles the plan', 'default-router')
    .option('--gas-price <wei>', "price of gas, 0 to ignore gas (default: the market file's)")
    .addOption(
      new Option('--format <format>', 'how to print the plan')
        .choices(['text', 'json', 'svg'])
        .default('text'),
    )
    .option('--certificate', 'print the dual prices that prove the bound, as JSON')
    .option(
      '--max-solutions <count>',
      'maximum number of solutions if some cycle is profitable (default: 4096)',
    )
    .action(async (flags: RouteFlags) => {
      process.exitCode = await route(flags, drawSvg);
    });
}

async function route(flags: RouteFlags, drawSvg: DrawSvg): Promise<number> {
  // Loaded on demand: other commands start without the reference.
  const [{ parseRouteFlags }, { createPlanner }, { certify }, text, drawing] = await Promise.all([
    import('./route-flags.ts'),
    import('../planner/planner.ts'),
    import('../planner/certificate.ts'),
    import('./plan-text.ts'),
    import('./plan-drawing.ts'),
  ]);
  const { market, router, request } = parseRouteFlags(flags);
  const plan = createPlanner()(market, request);
  if (plan.kind === 'no-route') {
    const reason = REASONS[plan.reason];
    notify(`no route from ${flags.sell} to ${flags.buy}: ${reason}`);
    return 1;
  }
  const print = {
    text: text.formatPlan,
    json: text.planAsJson,
    svg: () => drawSvg(drawing.drawingOf(market, plan)),
  }[flags.format];
  const printed = flags.certificate
    ? text.certificateAsJson(router, plan, certify(market, request, plan))
    : await print(market, router, plan);
  process.stdout.write(`${printed}\n`);
  return 0;
}

const REASONS = {
  disconnected: 'no pools connect the two tokens',
  'insufficient-liquidity': 'the pools hold too little',
  dust: 'the amount is so small that it buys nothing',
} as const;
