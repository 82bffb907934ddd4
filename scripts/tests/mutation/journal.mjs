import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { relative } from 'node:path';
import { declareClassPlugin, PluginKind } from '@stryker-mutator/api/plugin';

const FILE = 'reports/mutation.ndjson';

/** Records each mutant when its tests end. Stryker writes its own reports only at the end, so an interrupted run has none. */
class Journal {
  onDryRunCompleted() {
    mkdirSync('reports', { recursive: true });
    writeFileSync(FILE, '');
  }

  onMutantTested({ fileName, location, mutatorName, replacement, status }) {
    const place = `${relative('.', fileName)}:${location.start.line}:${location.start.column}`;
    const line = { place, mutator: mutatorName, replacement, status };
    appendFileSync(FILE, `${JSON.stringify(line)}\n`);
  }
}

export const strykerPlugins = [declareClassPlugin(PluginKind.Reporter, 'journal', Journal)];
