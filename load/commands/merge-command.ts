import { statSync } from 'node:fs';
import { Command } from 'commander';
import { readText } from '../../conformance/output/read-file.ts';
import { type ReportRequest, reportOption } from '../../conformance/output/report-formats.ts';
import { publishReports, tryReportPaths } from '../../conformance/output/write-reports.ts';
import type { LoadResult } from '../model/load-result.ts';
import { LOAD_FORMATS } from '../report/formats.ts';
import { exitCodeOf } from './subject.ts';

/**
 * Returns `swapcheck load merge`, which merges the results of several machines. The exit codes are
 * those of `swapcheck load`.
 */
export function createMergeCommand(): Command {
  const command = new Command('merge')
    .description('merge the results of simultaneous runs from several machines')
    .argument(
      '<RESULT...>',
      'JSON results of one profile, as `load --report json` writes them, or folders of `load export` after a run by k6 or Locust',
    )
    .addOption(reportOption(LOAD_FORMATS));
  return command.exitOverride().action(async (paths: readonly string[]) => {
    // If `load` has the same flag, commander assigns the value to `load`, wherever the flag
    // appears.
    const { report } = command.optsWithGlobals<{ report: readonly ReportRequest<LoadResult>[] }>();
    const [{ mergeResults }, { readLoadResult }, { readExportedRun }] = await Promise.all([
      import('../result/merge-results.ts'),
      import('../result/read-result.ts'),
      import('../result/read-exported-run.ts'),
    ]);
    await tryReportPaths(report);
    const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory();
    const results = await Promise.all(
      paths.map((path) =>
        isFolder(path) ? readExportedRun(path) : readLoadResult(readText(path), path),
      ),
    );
    const [first] = results;
    const isSingleExport = results.length === 1 && first?.client.engine !== undefined;
    const files = results.map((result, at) => ({ source: paths[at] ?? '', result }));
    const result = isSingleExport ? first : mergeResults(files);
    await publishReports(result, report, {
      verdict: `${result.verdict.toUpperCase()}: ${result.reason}`,
    });
    process.exitCode = exitCodeOf(result);
  });
}
