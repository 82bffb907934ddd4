/** Folders of each part from the bottom up: a folder imports only from folders before it. */
const LAYERS = {
  conformance:
    'contract output client service checks discovery model drawing generate rule-kit rules execution runner report captured library embed commands',
  load: 'model profiles mix engine thresholds result watch run compare distributed report commands',
  study: 'model statistics corpus measure summary report commands',
  reference: 'planner market makers encoding contracts forms server page commands',
  'conformance/execution': 'node settle scenario fork requests explain rows',
  'reference/planner': 'domain pools prices graph dual paths search settle choose',
};

/** Folders of conformance/ that each part may import from. */
const SHARED = {
  conformance: '.*',
  load: 'contract|output|client|service|discovery|model',
  study: 'contract|output|client|service|checks|discovery|model|drawing|generate|execution',
  reference: 'contract',
};

/** Folders of reference/ that only calculate. */
const PURE = 'planner|encoding';

const layerRules = Object.entries(LAYERS).flatMap(([path, layers]) => {
  const names = layers.split(' ');
  const besides = path.includes('/') ? '|[^/]+$' : '';
  return [
    {
      name: `every folder of ${path}/ is a layer`,
      comment:
        'Add the folder to LAYERS in .dependency-cruiser.mjs and to the map in CONTRIBUTING.',
      from: { path: `^${path}/(?!(${names.join('|')})/)[^/]+/` },
      to: {},
    },
    ...names.map((name, at) => ({
      name: `${path}/${name}/ imports only from lower layers`,
      from: { path: `^${path}/${name}/` },
      to: { path: `^${path}/((${names.slice(at + 1).join('|') || '-'})/${besides})` },
    })),
  ];
});

const partRules = Object.entries(SHARED).map(([part, shared]) => ({
  name: `${part}/ imports no other part, except for shared folders of the judge`,
  from: { path: `^${part}/` },
  to: {
    path: '^(conformance|load|study|reference|scripts|fixtures/chains)/',
    pathNot: `^(${part}|conformance/(${shared}))/`,
  },
}));

const forbidden = [
  { name: 'no cycles between files', from: {}, to: { circular: true } },
  { name: 'no cycles between folders', scope: 'folder', from: {}, to: { circular: true } },
  ...layerRules,
  ...partRules,
  {
    name: 'the planner imports only itself, and the library of schemas',
    from: { path: '^reference/planner/' },
    to: {
      path: '^(conformance|load|study|reference|scripts|fixtures/chains)/',
      pathNot: '^(reference/planner/|conformance/contract/schema[.]ts$)',
    },
  },
  {
    name: 'calculations use no server',
    from: { path: `^reference/(${PURE})/` },
    to: { path: 'node_modules/(@koa/|koa/)' },
  },
  {
    name: 'calculations use no module of Node',
    from: { path: `^reference/(${PURE})/` },
    to: { dependencyTypes: ['core'] },
  },
];

// biome-ignore lint/style/noDefaultExport: dependency-cruiser reads its configuration from the default export
export default {
  forbidden: forbidden.map((rule) => ({ severity: 'error', ...rule })),
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    // Tests may import from anywhere.
    exclude: { path: ['^dist/', '[.](test|testing)[.]ts$'] },
  },
};
