import { readFileSync, writeFileSync } from 'node:fs';

/** What is in a folder, for CONTRIBUTING; or that, and more of it. */
type Holds =
  | string
  | {
      readonly holds: string;
      /** Packages that it must do without. */
      readonly without?: readonly string[];
      /** Its own folders; beside them stand files that use them. */
      readonly layers?: Layers;
    };

/** Folders from the ground up: each may import from those before it, and from none after it. */
type Layers = Readonly<Record<string, Holds>>;

/** One of the four programs that share the repository. */
export type Part = {
  readonly name: 'conformance' | 'load' | 'study' | 'reference';
  readonly about: string;
  readonly layers: Layers;
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
    layers: {
      contract: 'wire types, schemas, paths, the clauses of the specification',
      output: 'what is printed and written, usage errors, interrupts',
      client: 'one GET, whatever answers; requests and the place of the key',
      checks: 'pure: the reader of a plan; amounts, references, graph, balance',
      discovery: 'what the service says of itself, and what is worth asking',
      model: 'the types that all speak of: rule, session, event, report',
      drawing: 'a plan as a picture',
      generate: 'valid requests, and the smallest violation of each rule on them',
      'rule-kit': 'what rules are made of: views of a reply, findings, combinators',
      rules: 'the clauses of the specification as files',
      execution: 'plans settled on forked chains',
      runner: 'rules and requests into a report, as events; no console, no files',
      report: 'a report in each format',
      captured: 'replies that others asked for: from files, and as they pass',
      library: 'what the package exports, and what the commands call',
      embed: 'the same rules in a vitest suite',
      commands: 'arguments into a run into an exit code',
    },
  },
  {
    name: 'load',
    about: 'profiles, engine, thresholds, reports. Knows no server code',
    sees: ['contract', 'output', 'client', 'discovery', 'model'],
    layers: {
      model: 'the types that all speak of: profile, request, figures, result',
      profiles: 'profiles built in, read and checked',
      mix: 'which requests are sent, and how often each',
      run: 'clock and schedule, connections, recorder',
      thresholds: 'bounds on figures',
      result: 'figures and judged samples into a result and its verdict',
      watch: 'a run while it goes: terminal, Prometheus',
      play: 'a profile played, or rates tried until one breaks',
      compare: 'two results, or two services in turns',
      distributed: 'a profile written down for other engines',
      report: 'a result in each format',
      commands: 'arguments into a run into an exit code',
    },
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
    layers: {
      model: 'settings, measured trades, the report and its figures',
      statistics: 'pure: quantiles, shares, bootstrap intervals',
      corpus: 'which trades are asked for, and what that will cost',
      measure: 'services asked, plans settled block by block',
      summary: 'pure: measured trades into figures',
      report: 'a study in each format',
      commands: 'arguments into a study into an exit code',
    },
  },
  {
    name: 'reference',
    about: 'the service, which keeps every promise',
    sees: ['contract'],
    layers: {
      planner: {
        holds: 'the best plan for a trade; knows nothing about HTTP',
        without: PURE,
        layers: {
          domain: 'addresses, tokens, caches',
          pools: 'pool maths, a family a file',
          prices: 'what the planner reads of a market; mid prices, the price of gas',
          graph: 'pools as arcs between tokens; what a plan is',
          dual: 'values of tokens at which flows balance, and circles are cut',
          paths: 'single paths, and those that share no pool',
          search: 'the networks that compete, with and without gas',
          settle: 'networks in whole base units, as contracts round',
        },
      },
      market: 'market files and live markets',
      makers: 'market makers, their signed orders over HTTP and in process',
      encoding: { holds: 'a plan as calldata, a router a file', without: PURE },
      contracts: 'our routers in Solidity, and their tests',
      forms: 'replies in ways that the specification leaves open',
      server: 'the four operations over HTTP',
      commands: 'arguments into a service or a plan, into an exit code',
      mutants: 'the service with one fault each',
    },
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
  layers: Layers,
  around: readonly Pattern[],
): readonly Override[] {
  const names = Object.keys(layers);
  return Object.entries(layers).flatMap(([name, layer], at) => {
    const folder = `${path}/${name}`;
    const { without, layers: own = {} } = typeof layer === 'string' ? {} : layer;
    const patterns = [
      ...around,
      ...upwardPatterns(folder, names.slice(at + 1)),
      ...(without === undefined ? [] : [packagePattern(folder, without)]),
    ];
    return [override([`${folder}/**`], patterns), ...overridesIn(folder, own, patterns)];
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

function packagePattern(folder: string, without: readonly string[]): Pattern {
  return { group: without, message: `${folder}/ is pure: it does without ${list(without)}.` };
}

function list(names: readonly string[]): string {
  return names.join(', ');
}

/** Returns the map as CONTRIBUTING shows it. */
function describeLayers(): string {
  const lines = (layers: Layers, indent: string): readonly string[] =>
    Object.entries(layers).flatMap(([folder, layer]) => {
      const { holds, layers: own = {} } = typeof layer === 'string' ? { holds: layer } : layer;
      const name = `${indent}${folder}/`.padEnd(15);
      return [`${name}${holds}`, ...lines(own, `${indent}  `)];
    });
  const parts = PARTS.map(({ name, about, layers }) =>
    [`${`${name}/`.padEnd(15)}${about}`, ...lines(layers, '  ')].join('\n'),
  );
  const data = `${'fixtures/'.padEnd(15)}data`;
  const top = `${'scripts/'.padEnd(15)}swapcheck.ts, the one place that knows all of them; benches, builders`;
  return ['```', ...parts, data, top, '```'].join('\n');
}

/** Returns the linter's configuration with its overrides on imports taken from the map. */
function withLayers(configuration: string): string {
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
function writeLayers(root: URL): void {
  const rewrite = (name: string, change: (text: string) => string) => {
    const file = new URL(name, root);
    writeFileSync(file, change(readFileSync(file, 'utf8')));
  };
  rewrite('biome.json', withLayers);
  rewrite('CONTRIBUTING.md', withLayerMap);
}

if (import.meta.filename === process.argv[1]) writeLayers(new URL('../', import.meta.url));
