import { readFileSync, writeFileSync } from 'node:fs';

/** One folder of a part: it may import from the folders before it, and from none after it. */
export type Layer = {
  readonly folder: string;
  /** What is in it, for CONTRIBUTING. */
  readonly holds: string;
  /** Packages that it must do without. */
  readonly without?: readonly string[];
  /** Its own folders, from the ground up; beside them stand files that use them. */
  readonly layers?: readonly Layer[];
};

/** One of the four programs that share the repository. */
export type Part = {
  readonly name: 'conformance' | 'load' | 'study' | 'reference';
  readonly about: string;
  /** From the ground up. */
  readonly layers: readonly Layer[];
  /** Folders of `conformance/` that another part may import from. */
  readonly sees: readonly string[];
};

const PURE = ['koa', 'node:*'] as const;

/** The map of layers: the linter's rules and CONTRIBUTING's table are written from it by `npm run layers`. */
export const PARTS: readonly Part[] = [
  {
    name: 'conformance',
    about: 'the judge. Knows no server code',
    sees: [],
    layers: [
      { folder: 'contract', holds: 'wire types, schemas, paths, the clauses of the specification' },
      { folder: 'output', holds: 'what is printed and written, usage errors, interrupts' },
      { folder: 'client', holds: 'one GET, whatever answers; requests and the place of the key' },
      {
        folder: 'checks',
        holds: 'pure: the reader of a plan; amounts, references, graph, balance',
      },
      { folder: 'discovery', holds: 'what the service says of itself, and what is worth asking' },
      { folder: 'model', holds: 'the types that all speak of: rule, session, event, report' },
      { folder: 'drawing', holds: 'a plan as a picture' },
      {
        folder: 'generate',
        holds: 'valid requests, and the smallest violation of each rule on them',
      },
      {
        folder: 'rule-kit',
        holds: 'what rules are made of: views of a reply, findings, combinators',
      },
      { folder: 'rules', holds: 'the clauses of the specification as files' },
      { folder: 'execution', holds: 'plans settled on forked chains' },
      {
        folder: 'runner',
        holds: 'rules and requests into a report, as events; no console, no files',
      },
      { folder: 'report', holds: 'a report in each format' },
      { folder: 'captured', holds: 'replies that others asked for: from files, and as they pass' },
      { folder: 'library', holds: 'what the package exports, and what the commands call' },
      { folder: 'embed', holds: 'the same rules in a vitest suite' },
      { folder: 'commands', holds: 'arguments into a run into an exit code' },
    ],
  },
  {
    name: 'load',
    about: 'profiles, engine, thresholds, reports. Knows no server code',
    sees: ['contract', 'output', 'client', 'discovery', 'model'],
    layers: [
      { folder: 'model', holds: 'the types that all speak of: profile, request, figures, result' },
      { folder: 'profiles', holds: 'profiles built in, read and checked' },
      { folder: 'mix', holds: 'which requests are sent, and how often each' },
      { folder: 'run', holds: 'clock and schedule, connections, recorder' },
      { folder: 'thresholds', holds: 'bounds on figures' },
      { folder: 'result', holds: 'figures and judged samples into a result and its verdict' },
      { folder: 'watch', holds: 'a run while it goes: terminal, Prometheus' },
      { folder: 'play', holds: 'a profile played, or rates tried until one breaks' },
      { folder: 'compare', holds: 'two results, or two services in turns' },
      { folder: 'distributed', holds: 'a profile written down for other engines' },
      { folder: 'report', holds: 'a result in each format' },
      { folder: 'commands', holds: 'arguments into a run into an exit code' },
    ],
  },
  {
    name: 'study',
    about: 'what quotes are worth, measured. Knows no server code',
    sees: [
      'contract',
      'output',
      'client',
      'checks',
      'discovery',
      'model',
      'drawing',
      'generate',
      'execution',
    ],
    layers: [
      { folder: 'model', holds: 'settings, measured trades, the report and its figures' },
      { folder: 'statistics', holds: 'pure: quantiles, shares, bootstrap intervals' },
      { folder: 'corpus', holds: 'which trades are asked for, and what that will cost' },
      { folder: 'measure', holds: 'services asked, plans settled block by block' },
      { folder: 'summary', holds: 'pure: measured trades into figures' },
      { folder: 'report', holds: 'a study in each format' },
      { folder: 'commands', holds: 'arguments into a study into an exit code' },
    ],
  },
  {
    name: 'reference',
    about: 'the service, which keeps every promise',
    sees: ['contract'],
    layers: [
      { folder: 'domain', holds: 'addresses, tokens, caches', without: PURE },
      { folder: 'pools', holds: 'pool maths, a family a file', without: PURE },
      { folder: 'market', holds: 'market files and live markets' },
      {
        folder: 'routing',
        holds: 'the best plan for a trade',
        without: PURE,
        layers: [
          { folder: 'graph', holds: 'pools as arcs between tokens; what a plan is' },
          { folder: 'dual', holds: 'values of tokens at which flows balance, and circles are cut' },
          { folder: 'paths', holds: 'single paths, and those that share no pool' },
          { folder: 'search', holds: 'the networks that compete, with and without gas' },
          { folder: 'settle', holds: 'networks in whole base units, as contracts round' },
        ],
      },
      { folder: 'makers', holds: 'market makers, their signed orders over HTTP and in process' },
      { folder: 'encoding', holds: 'a plan as calldata, a router a file', without: PURE },
      { folder: 'contracts', holds: 'our routers in Solidity, and their tests' },
      { folder: 'forms', holds: 'replies in ways that the specification leaves open' },
      { folder: 'server', holds: 'the four operations over HTTP' },
      { folder: 'commands', holds: 'arguments into a service or a plan, into an exit code' },
      { folder: 'mutants', holds: 'the service with one fault each' },
    ],
  },
];

type Pattern = { readonly group: readonly string[]; readonly message: string };
type Override = {
  readonly includes: readonly string[];
  readonly linter: { readonly rules: { readonly style: Readonly<Record<string, unknown>> } };
};

/** Returns the overrides of the linter that hold the map: one for each part, then one for each folder. */
export function linterOverrides(): readonly Override[] {
  return PARTS.flatMap((part) => {
    const foreign = foreignPatterns(part);
    return [
      override([`${part.name}/**`], foreign),
      ...overridesIn(part.name, part.layers, foreign),
    ];
  });
}

/** The last override of a file is the one that holds: each takes over the patterns of the folder around it. */
function overridesIn(
  path: string,
  layers: readonly Layer[],
  around: readonly Pattern[],
): readonly Override[] {
  return layers.flatMap((layer, at) => {
    const folder = `${path}/${layer.folder}`;
    const above = layers.slice(at + 1).map((other) => other.folder);
    const patterns = [
      ...around,
      ...upwardPatterns(folder, above),
      ...packagePatterns(folder, layer),
    ];
    return [
      override([`${folder}/**`], patterns),
      ...overridesIn(folder, layer.layers ?? [], patterns),
    ];
  });
}

function override(includes: readonly string[], patterns: readonly Pattern[]): Override {
  return {
    includes: [...includes, '!**/*.test.ts', '!**/*.testing.ts'],
    linter: {
      rules: { style: { noRestrictedImports: { level: 'error', options: { patterns } } } },
    },
  };
}

/** What a part must not import of the others. */
function foreignPatterns({ name, sees }: Part): readonly Pattern[] {
  const others = PARTS.filter((part) => part.name !== name).map((part) => `**/${part.name}/**`);
  const seen = sees.map((folder) => `!**/conformance/${folder}/**`);
  const words =
    sees.length === 0 ? 'nothing of the other parts' : `only ${list(sees)} of conformance/`;
  return [
    {
      group: [...others, '**/scripts/**', ...seen],
      message: `${name}/ imports ${words}: the judge never shares code with the subject.`,
    },
  ];
}

/** What a folder must not import of those beside it, and of the files beside those in a layer. */
function upwardPatterns(folder: string, above: readonly string[]): readonly Pattern[] {
  const files = folder.split('/').length > 2 ? ['../*.ts'] : [];
  const group = [...above.map((other) => `**/${other}/**`), ...files];
  if (group.length === 0) return [];
  const words = [...above, ...files.map(() => 'the files beside it')];
  const message = `${folder}/ imports from the layers below it, not from ${list(words)}.`;
  return [{ group: [...group, '!**/conformance/**'], message }];
}

function packagePatterns(folder: string, { without }: Layer): readonly Pattern[] {
  if (without === undefined) return [];
  return [{ group: without, message: `${folder}/ is pure: it does without ${list(without)}.` }];
}

function list(names: readonly string[]): string {
  return names.join(', ');
}

/** Returns the map as CONTRIBUTING shows it. */
export function describeLayers(): string {
  const parts = PARTS.map(({ name, about, layers }) =>
    [
      `${`${name}/`.padEnd(15)}${about}`,
      ...layers.flatMap(({ folder, holds, layers: own = [] }) => [
        `  ${`${folder}/`.padEnd(13)}${holds}`,
        ...own.map((layer) => `    ${`${layer.folder}/`.padEnd(11)}${layer.holds}`),
      ]),
    ].join('\n'),
  );
  const data = `${'fixtures/'.padEnd(15)}data`;
  const top = `${'scripts/'.padEnd(15)}swapcheck.ts, the one place that knows all of them; benches, builders`;
  return ['```', ...parts, data, top, '```'].join('\n');
}

/** Returns the linter's configuration with its overrides on imports taken from the map. */
export function withLayers(configuration: string): string {
  const { overrides, ...rest } = JSON.parse(configuration) as { readonly overrides: Override[] };
  const others = overrides.filter(
    ({ linter }) => !('noRestrictedImports' in (linter.rules.style ?? {})),
  );
  return JSON.stringify({ ...rest, overrides: [...linterOverrides(), ...others] });
}

const MARKS = /(?<=<!-- layers: written by `npm run layers` -->\n)[\s\S]*?(?=\n<!-- \/layers -->)/;

export function withLayerMap(contributing: string): string {
  return contributing.replace(MARKS, () => describeLayers());
}

/** Writes both files anew. */
export function writeLayers(root: URL): void {
  const rewrite = (name: string, change: (text: string) => string) => {
    const file = new URL(name, root);
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  };
  rewrite('biome.json', withLayers);
  rewrite('CONTRIBUTING.md', withLayerMap);
}

if (import.meta.filename === process.argv[1]) writeLayers(new URL('../', import.meta.url));
