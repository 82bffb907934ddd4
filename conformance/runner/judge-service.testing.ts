import { createClient } from '../client/client.ts';
import { inProcess, type Service } from '../client/in-process.testing.ts';
import type { RequestGenerator } from '../generate/generator.ts';
import type { RunEvent, RunListener } from '../model/events.ts';
import type { Report } from '../model/report.ts';
import { CATALOG } from '../rules/catalog.ts';
import { runRules } from './run.ts';
import type { RunOptions } from './run-options.ts';

/** Generates no traffic, so that only probes send requests. */
export const NO_TRAFFIC: RequestGenerator = {
  traffic: () => [],
  simplify: () => [],
  weigh: () => 1,
};

/**
 * Judges an in-process service, by default against the whole catalog. Also returns the events of
 * the run.
 */
export async function judgeService(
  service: Service,
  { apiKey = 'key', ...options }: Partial<RunOptions> & { readonly apiKey?: string } = {},
  listener: RunListener = () => undefined,
): Promise<{ readonly report: Report; readonly events: readonly RunEvent[] }> {
  const events: RunEvent[] = [];
  const report = await runRules(
    {
      client: createClient({ transport: inProcess(service), apiKey, clock: options.clock }),
      ...{ target: 'http://service.example', rules: CATALOG, ...options },
    },
    (event) => {
      events.push(event);
      listener(event);
    },
  );
  return { report, events };
}
