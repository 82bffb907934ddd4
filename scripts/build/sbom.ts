import { execFileSync } from 'node:child_process';

/*
 * Prints what is installed with the package as a CycloneDX document: npm's own,
 * less the tools of development. `npm sbom --omit dev` is not used, since it also
 * leaves out packages that a tool happens to need too.
 */
type Bom = {
  readonly components: readonly {
    readonly 'bom-ref': string;
    readonly properties: readonly { readonly name: string; readonly value: string }[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
};

const all = JSON.parse(
  execFileSync('npm', ['sbom', '--sbom-format=cyclonedx', '--sbom-type=application'], {
    encoding: 'utf8',
    maxBuffer: 1e8,
    stdio: ['ignore', 'pipe', 'inherit'],
    shell: process.platform === 'win32',
  }),
) as Bom;
const tools = new Set(
  all.components
    .filter(({ properties }) =>
      properties.some(({ name }) => name === 'cdx:npm:package:development'),
    )
    .map((component) => component['bom-ref']),
);
const shipped: Bom = {
  ...all,
  components: all.components.filter((component) => !tools.has(component['bom-ref'])),
  dependencies: all.dependencies
    .filter(({ ref }) => !tools.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((it) => !tools.has(it)) })),
};
process.stdout.write(`${JSON.stringify(shipped, undefined, 2)}\n`);
