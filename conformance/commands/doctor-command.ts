import { Command } from 'commander';
import type { ForkSource } from '../execution/fork.ts';
import { forkOption } from '../execution/fork-option.ts';
import type { Report } from '../model/report.ts';
import { type ReportRequest, reportOption } from '../output/report-formats.ts';
import { REPORT_FORMATS } from '../report/formats.ts';

export type DoctorFlags = {
  readonly apiKey?: string;
  readonly fork?: readonly ForkSource[];
  readonly report: readonly ReportRequest<Report>[];
};

/** Returns `swapcheck doctor`, which looks for what a run needs and judges nothing. */
export function createDoctorCommand(): Command {
  return new Command('doctor')
    .argument('[BASE_URL]', 'root of the service that is to be judged')
    .option('--api-key <key>', 'the API key to send (default: $SWAPCHECK_API_KEY)')
    .addOption(forkOption())
    .addOption(reportOption(REPORT_FORMATS))
    .action(async (baseUrl: string | undefined, flags: DoctorFlags) => {
      const { examine } = await import('./doctor.ts');
      process.exitCode = await examine(baseUrl, flags);
    });
}
