import { join } from 'node:path';

/**
 * Repository and commit from which the CI job builds swapcheck. No public registry has the package.
 */
export type Source = { readonly repository: string; readonly commit: string };

/** A project for which a job is written. */
export type Project = {
  /** Folder of the service within its repository, with slashes; empty at the root. */
  readonly subfolder: string;
  readonly stack: Stack;
  /** Go version that the project requires, such as 1.24.0, if it has a `go.mod`. */
  readonly goVersion?: string | undefined;
  readonly source: Source | undefined;
};

/** Commands that install and start a service in one language. */
export type Stack = {
  /** Files that identify a project in this language. */
  readonly files: readonly string[];
  readonly start?: string;
  readonly port?: number;
  readonly language?: 'node' | 'python' | 'go';
  readonly install?: string;
};

/** Reports that a job keeps as artifacts, as values of `--report`. */
export const ARTIFACT_REPORTS: readonly string[] = [
  'json=reports/swapcheck.json',
  'junit=reports/swapcheck.xml',
  'html=reports/swapcheck.html',
];

/** Returns the name of a project's job, which differs for each subfolder of a repository. */
export function jobName({ subfolder }: Pick<Project, 'subfolder'>): string {
  return ['swapcheck', ...subfolder.split('/').filter((part) => part !== '')]
    .join('-')
    .replace(/[^A-Za-z0-9_-]+/g, '-');
}

/**
 * Builds a pinned commit, unless a build of it is cached. Nobody has registered the package's name,
 * so it must never be installed by name.
 */
const BUILD = `if test -f "$SWAPCHECK_HOME/dist/scripts/swapcheck.js"; then exit 0; fi
test -n "$SWAPCHECK_REPOSITORY" && test -n "$SWAPCHECK_COMMIT" || { echo "set SWAPCHECK_REPOSITORY and SWAPCHECK_COMMIT"; exit 2; }
git init -q "$SWAPCHECK_HOME"
git -C "$SWAPCHECK_HOME" fetch -q --depth 1 "$SWAPCHECK_REPOSITORY" "$SWAPCHECK_COMMIT"
git -C "$SWAPCHECK_HOME" checkout -q FETCH_HEAD
(cd "$SWAPCHECK_HOME" && npm ci --no-audit --no-fund)`;

/**
 * Judges the service. Without the commented line, plans of routers with an encoder are not settled.
 * Options of the command line replace the list of reports in `swapcheck.yaml`.
 */
function judgingLines(reports: readonly string[]): string {
  const options = [...reports, ...ARTIFACT_REPORTS].map((each) => `--report ${each}`).join(' ');
  return `# To execute calldata on a fork of chain 1, set SWAPCHECK_RPC_1 to the URL of a node and remove the '#':
# set -- --fork 1 --require-fork
node "$SWAPCHECK_HOME/dist/scripts/swapcheck.js" test ${options} "$@"`;
}

function indent(text: string, by: number): string {
  return text.replace(/^/gm, ' '.repeat(by));
}

const GITHUB_ACTIONS = {
  python: 'actions/setup-python@a26af69be951a213d495a4c3e4e4022e16d87065 # v5.6.0',
  go: 'actions/setup-go@d35c59abb061a4a6fb18e82ac0862c26744d6ab5 # v5.5.0',
};

/** Returns a workflow for GitHub, whose steps run in the folder of the service. */
export function githubJob({ subfolder, stack, goVersion, source }: Project): string {
  const { language, install } = stack;
  const inFolder = (path: string) => join(subfolder, path);
  const settings =
    language === 'go' && goVersion !== undefined
      ? `        with:\n          go-version-file: ${JSON.stringify(inFolder('go.mod'))}\n`
      : '';
  const setUp =
    language === 'python' || language === 'go'
      ? `      - uses: ${GITHUB_ACTIONS[language]}\n${settings}`
      : '';
  const installing =
    install === undefined ? '' : `      - name: Install the service\n        run: ${install}\n`;
  const defaults =
    subfolder === ''
      ? ''
      : `    defaults:\n      run:\n        working-directory: ${JSON.stringify(subfolder)}\n`;
  return `name: ${jobName({ subfolder })}
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
    timeout-minutes: 30
${defaults}    env:
      # No public registry has swapcheck yet, so the job builds it from this commit.
      SWAPCHECK_REPOSITORY: "${source?.repository ?? ''}"
      SWAPCHECK_COMMIT: "${source?.commit ?? ''}"
      SWAPCHECK_HOME: \${{ github.workspace }}/.swapcheck
    steps:
      - uses: actions/checkout@11bd71901bbe5b1630ceea73d27597364c9af683 # v4.2.2
      - uses: actions/setup-node@49933ea5288caeca8642d1e84afbd3f7d6820020 # v4.4.0
        with:
          node-version: 22
${setUp}      - uses: actions/cache@5a3ec84eff668545956fd18022155c47e93e2684 # v4.2.3
        with:
          path: .swapcheck
          key: swapcheck-\${{ runner.os }}-\${{ env.SWAPCHECK_COMMIT }}
      - name: Build swapcheck
        run: |
${indent(BUILD, 10)}
${installing}      - name: Judge the service
        env:
          SWAPCHECK_API_KEY: \${{ secrets.SWAPCHECK_API_KEY }}
          # SWAPCHECK_RPC_1: \${{ secrets.SWAPCHECK_RPC_1 }}
        run: |
${indent(judgingLines(['text', 'annotations=-', 'markdown="$GITHUB_STEP_SUMMARY"']), 10)}
      - uses: actions/upload-artifact@ea165f8d65b6e75b540449e92b4886f43607fa02 # v4.6.2
        if: \${{ !cancelled() }}
        with:
          name: ${jobName({ subfolder })}
          path: ${JSON.stringify(inFolder('reports'))}
          if-no-files-found: ignore
`;
}

/** The image has Node but no other language. */
function gitlabLanguage({ stack, goVersion }: Project): readonly string[] {
  switch (stack.language) {
    case 'python':
      return ['apt-get update -qq && apt-get install -y -qq python3-pip'];
    case 'go': {
      if (goVersion === undefined) return ['apt-get update -qq && apt-get install -y -qq golang'];
      const archive = `https://go.dev/dl/go${goVersion}.linux-$(dpkg --print-architecture).tar.gz`;
      return [
        `curl -fsSL "${archive}" | tar -xz -C /usr/local && ln -sf /usr/local/go/bin/go /usr/local/bin/go`,
      ];
    }
    default:
      return [];
  }
}

/**
 * Returns a job for GitLab as one entry of `.gitlab-ci.yml`.
 *
 * @param stage - Set if the pipeline lacks the stage `test`, which is GitLab's default for a job.
 */
export function gitlabJob(project: Project, stage?: string): string {
  const { subfolder, stack, source } = project;
  const inFolder = (path: string) => JSON.stringify(join(subfolder, path));
  const installing = [
    ...gitlabLanguage(project),
    ...(stack.install === undefined ? [] : [stack.install]),
  ];
  return `${jobName(project)}:
${stage === undefined ? '' : `  stage: ${JSON.stringify(stage)}\n`}  image: node:22
  variables:
    # No public registry has swapcheck yet, so the job builds it from this commit.
    SWAPCHECK_REPOSITORY: "${source?.repository ?? ''}"
    SWAPCHECK_COMMIT: "${source?.commit ?? ''}"
    SWAPCHECK_HOME: $CI_PROJECT_DIR/.swapcheck
  cache:
    key: swapcheck-$SWAPCHECK_COMMIT
    paths: [.swapcheck]
  script:
${subfolder === '' ? '' : `    - cd ${JSON.stringify(subfolder)}\n`}    # These commands run in a shell without the key, so that installed packages cannot read it.
    - |
      (
      unset SWAPCHECK_API_KEY
${indent(BUILD, 6)}
      )
${installing.map((each) => `    - |\n      ( unset SWAPCHECK_API_KEY; ${each} )\n`).join('')}    - |
${indent(judgingLines(['text']), 6)}
  artifacts:
    when: always
    paths: [${inFolder('reports')}]
    reports:
      junit: ${inFolder('reports/swapcheck.xml')}
`;
}
