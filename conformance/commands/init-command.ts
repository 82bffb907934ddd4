import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Command, Option } from 'commander';
import { parseBaseUrl } from '../client/base-url.ts';
import { UsageError } from '../output/usage-error.ts';

/** What a user's project is checked by. */
type CiSystem = 'github' | 'gitlab' | 'none';

type InitFlags = { readonly ci: CiSystem; readonly force?: boolean };

/** Returns `swapcheck init`, which writes what a project needs to be judged in continuous integration. */
export function createInitCommand(version: string): Command {
  return new Command('init')
    .argument('[BASE_URL]', 'root of the service, such as https://api.example.org')
    .addOption(
      new Option('--ci <system>', 'what runs the job')
        .choices(['github', 'gitlab', 'none'])
        .default('github'),
    )
    .option('--force', 'write over files that are there')
    .action((baseUrl: string | undefined, flags: InitFlags) => {
      process.stdout.write(initProject(process.cwd(), baseUrl, { ...flags, version }));
    });
}

/**
 * Writes a configuration and a job into a project, and returns what was written
 * and what is left to do.
 *
 * @throws {UsageError} naming the files that are there already, unless `force` is set; nothing is written then
 */
export function initProject(
  folder: string,
  baseUrl: string | undefined,
  { ci, force, version }: InitFlags & { readonly version: string },
): string {
  const url = baseUrl === undefined ? 'https://swap.example.org' : parseBaseUrl(baseUrl).href;
  const job = JOBS[ci];
  const files = [
    ['swapcheck.yaml', CONFIG],
    ...(job === undefined ? [] : [[job.path, job.text(url.replace(/\/$/, ''), version)] as const]),
  ] as const;
  const present = files.map(([path]) => path).filter((path) => existsSync(join(folder, path)));
  if (present.length > 0 && !force) {
    throw new UsageError(`${present.join(', ')}: there already, --force writes over what is there`);
  }
  for (const [path, text] of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const wrote = files.map(([path]) => `wrote ${path}\n`).join('');
  const secret = job === undefined ? '' : `next: ${job.next}\n`;
  return `${wrote}${secret}try:  SWAPCHECK_API_KEY=... swapcheck test ${url.replace(/\/$/, '')} --config swapcheck.yaml\n`;
}

/** Options of `swapcheck test` alone: what is secret, and where the service is, comes from the environment. */
const CONFIG = `# Options of \`swapcheck test --config swapcheck.yaml\`, named as on the command line, which goes first.
# All of them: docs/config.md, and the schema docs/config.schema.json.
level: must
seed: 1
max-time: 600
report:
  - text
  - json=reports/swapcheck.json
  - junit=reports/swapcheck.xml
  - html=reports/swapcheck.html
# rate: 5                  # requests a second, where the service limits them
# only: [plan/*, 2.2]      # rules, clauses or sections
# chain: [1, 10]
# waivers: waivers.yaml    # known failures, each with a reason and a date: swapcheck test --write-waivers
`;

/** In a job's words, what to install: swapcheck's place in a registry, or a tarball of \`npm pack\`. */
const INSTALL_NOTE = 'the package in your registry, or the path of a tarball that `npm pack` made';

type Job = {
  readonly path: string;
  readonly text: (url: string, version: string) => string;
  readonly next: string;
};

const JOBS: Readonly<Record<CiSystem, Job | undefined>> = {
  github: {
    path: '.github/workflows/swapcheck.yml',
    next: 'add the secret SWAPCHECK_API_KEY to the repository',
    text: (url, version) => `name: swapcheck
on:
  push:
  schedule:
    - cron: '17 5 * * *'
  workflow_dispatch:
permissions:
  contents: read
jobs:
  judge:
    runs-on: ubuntu-latest
    timeout-minutes: 20
    env:
      SERVICE_URL: ${url}
      # ${INSTALL_NOTE}
      SWAPCHECK: swapcheck@${version}
    steps:
      - uses: actions/checkout@v4
      - uses: actions/setup-node@v4
        with:
          node-version: 22
      - name: Judge the service
        env:
          SWAPCHECK_API_KEY: \${{ secrets.SWAPCHECK_API_KEY }}
        run: npx --yes "$SWAPCHECK" test "$SERVICE_URL" --config swapcheck.yaml --report annotations=- --report markdown="$GITHUB_STEP_SUMMARY"
      - uses: actions/upload-artifact@v4
        if: \${{ !cancelled() }}
        with:
          name: swapcheck
          path: reports
          if-no-files-found: ignore
`,
  },
  gitlab: {
    path: '.gitlab-ci.yml',
    next: 'add the masked variable SWAPCHECK_API_KEY to the project',
    text: (url, version) => `swapcheck:
  image: node:22
  variables:
    SERVICE_URL: ${url}
    # ${INSTALL_NOTE}
    SWAPCHECK: swapcheck@${version}
  script:
    - npx --yes "$SWAPCHECK" test "$SERVICE_URL" --config swapcheck.yaml
  artifacts:
    when: always
    paths: [reports]
    reports:
      junit: reports/swapcheck.xml
`,
  },
  none: undefined,
};
