import { inProcess, type Service } from '../client/in-process.testing.ts';
import { openService, type ServiceAccess } from '../discovery/open-service.ts';
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

/** Options of a run and of its service. */
export type JudgeOptions = Partial<RunOptions> &
  Pick<ServiceAccess, 'apiKey' | 'clock' | 'concurrency' | 'rate' | 'maxRequests'>;

/**
 * Judges an in-process service, by default against the whole catalog. Also returns the events of
 * the run.
 */
export async function judgeService(
  service: Service,
  options: JudgeOptions = {},
  listener: RunListener = () => undefined,
): Promise<{ readonly report: Report; readonly events: readonly RunEvent[] }> {
  const events: RunEvent[] = [];
  const report = await runRules(
    {
      ...{ target: 'http://service.example', rules: CATALOG, ...options },
      service: openService({
        apiKey: 'key',
        ...options,
        transport: inProcess(service),
        signal: undefined,
      }),
    },
    (event) => {
      events.push(event);
      listener(event);
    },
  );
  return { report, events };
}
