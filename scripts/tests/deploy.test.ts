import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { validate } from 'dockerfile-utils';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { createServeCommand } from '../../reference/commands/serve-command.ts';
import { useFolder } from './helpers/use-folder.testing.ts';

const require = createRequire(import.meta.url);

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

/** Reads arguments as the program would; a wrong one throws. */
function readServeArguments(args: readonly string[]): Record<string, unknown> {
  const [name, ...rest] = args;
  expect(name).toBe('serve');
  const command = createServeCommand().exitOverride();
  command.parseOptions([...rest]);
  expect(command.parseOptions([...rest]).unknown).toEqual([]);
  return command.opts();
}

test('Dockerfile -> a linter has nothing to say; whoever runs it has no rights', () => {
  const text = read('Dockerfile');
  expect(validate(text)).toEqual([]);
  expect(text).toMatch(/^USER node$/m);
});

test('the systemd unit -> starts serve with options that it has, keys reloaded by a signal', () => {
  const unit = read('docs/deploy/swapcheck.service');
  const [, command = ''] = /^ExecStart=\/usr\/bin\/env swapcheck (.+)$/m.exec(unit) ?? [];
  expect(readServeArguments(command.split(' '))).toMatchObject({ port: 8080, adminPort: 9090 });
  expect(unit).toContain('ExecReload=/bin/kill -HUP $MAINPID');
});

describe('the Kubernetes manifest', () => {
  const { write } = useFolder();
  const [deployment, service] = parseAllDocuments(read('docs/deploy/swapcheck.k8s.yaml')).map(
    (document) => document.toJS(),
  );

  /** Returns what the published types of the API have against it. */
  function faultsOf(asked: object, exposed: object): string {
    const types = dirname(require.resolve('kubernetes-types/package.json'));
    // The folder's name may hold a quotation mark.
    const typesOf = (api: string) => `import(${JSON.stringify(join(types, api))})`;
    const module = write(
      'manifest.ts',
      `const deployment: ${typesOf('apps/v1')}.Deployment = ${JSON.stringify(asked)};
const service: ${typesOf('core/v1')}.Service = ${JSON.stringify(exposed)};`,
    );
    const tsc = join(dirname(require.resolve('typescript/package.json')), 'bin/tsc');
    const args = [tsc, '--ignoreConfig', '--noEmit', '--strict', '--types', '', module];
    return spawnSync(process.execPath, args, { encoding: 'utf8' }).stdout;
  }

  test('its fields -> those of the API, each of its type; others are refused', () => {
    expect(faultsOf(deployment, service)).toBe('');
    const broken = { ...deployment, spec: { ...deployment.spec, replicas: '1', replica: 1 } };
    expect(faultsOf(broken, service)).toMatch(
      /'string' is not assignable to type 'number'|'replica' does not exist/,
    );
  });
  const [container] = deployment.spec.template.spec.containers;

  test('its arguments -> options of serve, at the ports that it names', () => {
    const options = readServeArguments(container.args);
    const ports = Object.fromEntries(
      container.ports.map((port: { name: string; containerPort: number }) => [
        port.name,
        port.containerPort,
      ]),
    );
    expect(ports).toEqual({ http: options['port'], admin: options['adminPort'] });
    expect(options['adminHost']).toBe('0.0.0.0');
    expect(container.readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'admin' });
    expect(container.livenessProbe.httpGet).toEqual({ path: '/healthz', port: 'admin' });
  });

  test('its parts -> fit together', () => {
    const { labels } = deployment.spec.template.metadata;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(service.spec.selector).toEqual(labels);
    const volumes = deployment.spec.template.spec.volumes.map(
      (each: { name: string }) => each.name,
    );
    for (const { name } of container.volumeMounts) expect(volumes).toContain(name);
  });
});
