import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import buildProgram from '../../fixtures/testing/built-program.testing.ts';
import {
  findOptionalProgram,
  findProgram,
} from '../../fixtures/testing/external-programs.testing.ts';
import { startProgram } from '../../fixtures/testing/start-program.testing.ts';
import { formsMiddleware } from '../../reference/forms/apply-forms.ts';
import { type RunningReference, startReference } from '../../reference/server/app.ts';

const OPENAPI = fileURLToPath(new URL('../../docs/openapi.json', import.meta.url));

let packed: ReturnType<typeof installPacked>;
let reference: RunningReference;
let largeIds: RunningReference;

beforeAll(async () => {
  packed = installPacked();
  reference = await startReference();
  largeIds = await startReference({ middleware: [formsMiddleware(['large-ids'])] });
}, 600_000);

afterAll(async () => {
  packed?.remove();
  await reference?.close();
  await largeIds?.close();
});

async function inFolder(program: string, args: readonly string[], service = reference) {
  const env = {
    ...process.env,
    SWAPCHECK_BASE_URL: service.url,
    SWAPCHECK_API_KEY: 'demo',
    SWAPCHECK: join(packed.folder, 'node_modules/.bin/swapcheck'),
  };
  const { code, text } = await startProgram(program, args, { cwd: packed.folder, env }).ended;
  return { code, output: text };
}

async function load(name: string) {
  const require = createRequire(join(packed.folder, 'package.json'));
  return import(pathToFileURL(require.resolve(name)).href);
}

describe('the package', () => {
  test('publint -> no messages', async () => {
    const { publint } = await load('publint');
    const pkgDir = join(packed.folder, 'node_modules/swapcheck');
    expect((await publint({ pkgDir, pack: false, strict: true })).messages).toEqual([]);
  });

  test('arethetypeswrong -> no problems, except that the package has only ES modules', async () => {
    const { checkPackage, createPackageFromTarballData } = await load('@arethetypeswrong/core');
    const bytes = new Uint8Array(readFileSync(packed.tarball));
    const { problems } = await checkPackage(createPackageFromTarballData(bytes));
    const others = problems.filter(
      ({ resolutionKind }: { resolutionKind: string }) =>
        resolutionKind !== 'node10' && resolutionKind !== 'node16-cjs',
    );
    expect(others).toEqual([]);
  });

  test('every example -> type-checks', async () => {
    const files = ['koa', 'express', 'fastify', 'url', 'replies', 'client', 'own-rules'];
    const options = ['--allowJs', '--checkJs', '--noEmit', '--skipLibCheck', '--strict'];
    const target = ['--module', 'nodenext', '--target', 'es2023', '--noImplicitAny', 'false'];
    const sources = files.map((name) => `${name}.mjs`);
    const tsc = join(packed.folder, 'node_modules/.bin/tsc');
    expect(await inFolder(tsc, [...options, ...target, ...sources])).toEqual({
      code: 0,
      output: '',
    });
  });
});

describe('the examples', () => {
  test.each(['koa', 'express', 'fastify', 'url'])('%s -> conforming', async (name) => {
    const { code, output } = await inFolder(process.execPath, [`${name}.mjs`]);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/^conforming \d+ `must` rules? passed/m),
    ]);
  });

  test('replies -> no failure in the one captured reply', async () => {
    const { code, output } = await inFolder(process.execPath, ['replies.mjs']);
    expect([code, output]).toEqual([
      0,
      expect.stringMatching(/^no-failure .* in 1 captured reply/m),
    ]);
  });

  test('client -> a quote', async () => {
    const { code, output } = await inFolder(process.execPath, ['client.mjs']);
    expect([code, output]).toEqual([0, expect.stringMatching(/^1 \S+: \d+ \S+$/m)]);
  });

  test('own-rules -> judged together with the specification', async () => {
    const program = join(packed.folder, 'node_modules/.bin/swapcheck');
    const args = ['test', reference.url, '--rules', 'own-rules.mjs', '--only', 'own', '--verbose'];
    const { code, output } = await inFolder(program, args);
    expect(output).toMatch(/own\/symbols-fit: gives symbols that fit/);
    expect(code).toBe(0);
  });

  test('rules in TypeScript -> read, or rejected in one sentence that names the fix', async () => {
    writeFileSync(join(packed.folder, 'rules.ts'), 'export const rules: unknown[] = [];');
    const program = join(packed.folder, 'node_modules/.bin/swapcheck');
    const { code, output } = await inFolder(program, [
      'test',
      reference.url,
      '--rules',
      'rules.ts',
    ]);
    expect([code, output]).toEqual([
      2,
      expect.stringMatching(/does not read TypeScript|no rule: exp/),
    ]);
  });

  test('the examples for a shell and for Python -> exit code 0', async () => {
    expect(await inFolder('sh', ['service.sh'])).toMatchObject({ code: 0 });
    const script = 'import test_service as t; t.test_service_conforms()';
    const python = findProgram('python3');
    expect(await inFolder(python, ['-c', script])).toEqual({ code: 0, output: '' });
  });
});

const go = findOptionalProgram('go');

test.skipIf(go === undefined)('the example in Go -> ok', async () => {
  const { code, output } = await inFolder(go ?? '', ['test', 'service_test.go']);
  expect([code, output]).toEqual([0, expect.stringMatching(/^ok /)]);
});

const javac = findOptionalProgram('javac');
const mvn = findOptionalProgram('mvn');

describe('clients generated from the OpenAPI document, with large reference ids', () => {
  const summary = /^2 chains, \d+ bought, 400 rejected, ids up to 9007199254740991\n$/;

  test('openapi-typescript and openapi-fetch -> a client that type-checks and calls the reference', async () => {
    copyFileSync(OPENAPI, join(packed.folder, 'openapi.json'));
    writeFileSync(join(packed.folder, 'generated.ts'), TYPESCRIPT_CLIENT);
    const bin = (name: string) => join(packed.folder, 'node_modules/.bin', name);
    const generated = await inFolder(bin('openapi-typescript'), [
      'openapi.json',
      '-o',
      'interface.d.ts',
    ]);
    expect(generated).toMatchObject({ code: 0 });
    const options = ['--module', 'nodenext', '--target', 'es2023', '--strict', '--skipLibCheck'];
    expect(await inFolder(bin('tsc'), [...options, 'generated.ts'])).toEqual({
      code: 0,
      output: '',
    });
    const ran = await inFolder(process.execPath, ['generated.js'], largeIds);
    expect(ran).toEqual({ code: 0, output: expect.stringMatching(summary) });
  });

  test('openapi-python-client -> a client that calls the reference', async () => {
    copyFileSync(OPENAPI, join(packed.folder, 'openapi.json'));
    writeFileSync(join(packed.folder, 'ask.py'), PYTHON_CLIENT);
    const python = findProgram('python3');
    execFileSync(python, ['-m', 'venv', 'venv'], { cwd: packed.folder });
    const installed = await inFolder('venv/bin/pip', ['install', '-q', PYTHON_GENERATOR]);
    expect(installed.code, `${installed.output}\nPyPI must be reachable`).toBe(0);
    const args = ['generate', '--path', 'openapi.json', '--meta', 'none', '--output-path', 'made'];
    expect(await inFolder('venv/bin/openapi-python-client', args)).toMatchObject({ code: 0 });
    const ran = await inFolder('venv/bin/python', ['ask.py'], largeIds);
    expect(ran).toEqual({ code: 0, output: expect.stringMatching(summary) });
  });

  test.skipIf(go === undefined)(
    'oapi-codegen -> a client that compiles and calls the reference',
    async () => {
      const folder = join(packed.folder, 'go-client');
      mkdirSync(join(folder, 'api'), { recursive: true });
      copyFileSync(OPENAPI, join(packed.folder, 'openapi.json'));
      writeFileSync(join(folder, 'go.mod'), GO_MODULE);
      writeFileSync(join(folder, 'main.go'), GO_CLIENT);
      const runGo = (...args: readonly string[]) => inFolder(go ?? '', args, largeIds);
      const output = [
        '-generate',
        'types,client',
        '-package',
        'api',
        '-o',
        'go-client/api/client.go',
      ];
      const generated = await runGo('run', GO_GENERATOR, ...output, 'openapi.json');
      const hint = `${generated.output}\nThe Go module proxy must be reachable`;
      expect(generated.code, hint).toBe(0);
      expect(await runGo('-C', 'go-client', 'mod', 'tidy')).toMatchObject({ code: 0 });
      const ran = await runGo('-C', 'go-client', 'run', '.');
      expect(ran).toEqual({ code: 0, output: expect.stringMatching(summary) });
    },
  );

  test.skipIf(javac === undefined || mvn === undefined)(
    'openapi-generator for Java -> a client that compiles and calls the reference',
    async () => {
      copyFileSync(OPENAPI, join(packed.folder, 'openapi.json'));
      writeFileSync(join(packed.folder, 'Ask.java'), JAVA_CLIENT);
      const java = join(dirname(javac ?? ''), 'java');
      const runMaven = async (...args: readonly string[]) => {
        const { code, output } = await inFolder(mvn ?? '', ['-q', '-B', ...args]);
        expect(code, `${output}\nMaven Central must be reachable`).toBe(0);
      };
      await runMaven('dependency:copy', `-Dartifact=${JAVA_GENERATOR}`, '-DoutputDirectory=java');
      const [, name, version] = JAVA_GENERATOR.split(':');
      const options = [
        '-i',
        'openapi.json',
        '-g',
        'java',
        '--library',
        'native',
        '-o',
        'java/made',
      ];
      const jar = ['-jar', `java/${name}-${version}.jar`];
      expect(await inFolder(java, [...jar, 'generate', ...options])).toMatchObject({ code: 0 });
      const output = `-DoutputDirectory=${join(packed.folder, 'java/needs')}`;
      const scope = '-DincludeScope=compile';
      await runMaven('-f', 'java/made/pom.xml', 'dependency:copy-dependencies', scope, output);
      const sources = ['-sourcepath', 'java/made/src/main/java', 'Ask.java'];
      const classes = ['-nowarn', '-cp', 'java/needs/*', '-d', 'java/classes'];
      expect(await inFolder(javac ?? '', [...classes, ...sources])).toMatchObject({ code: 0 });
      const path = `java/classes${delimiter}java/needs/*`;
      const ran = await inFolder(java, ['-cp', path, 'Ask'], largeIds);
      expect(ran).toEqual({ code: 0, output: expect.stringMatching(summary) });
    },
  );
}, 600_000);

const PYTHON_GENERATOR = 'openapi-python-client==0.29.1';
const GO_GENERATOR = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.4.1';
const JAVA_GENERATOR = 'org.openapitools:openapi-generator-cli:7.10.0';

const TYPESCRIPT_CLIENT = `import createClient from 'openapi-fetch';
import type { paths } from './interface.js';

const { GET } = createClient<paths>({ baseUrl: process.env.SWAPCHECK_BASE_URL ?? '' });
const apiKey = 'demo';
const chains = await GET('/api/v1.0/chains', { params: { query: { apiKey } } });
const chainId = chains.data?.[0]?.chainId ?? 0;
const info = await GET('/api/v1.0/chainInfo', { params: { query: { chainId, apiKey } } });
const sellToken = '0x0000000000000000000000000000000000000000';
const buyToken = info.data?.usdTokenAddress ?? '';
const query = { chainId, sellToken, buyToken, apiKey, router: 'default-router' } as const;
const plan = await GET('/api/v1.0/swap', { params: { query: { ...query, sellAmount: '1000000000000000000' } } });
const rejected = await GET('/api/v1.0/swap', { params: { query } });
const message: string | undefined = rejected.error?.message;
if (!message) throw new Error('no message');
const largest: number = Math.max(...(plan.data?.tokens ?? []).map((token) => token.referenceId));
console.log([
  chains.data?.length + ' chains',
  plan.data?.buy.amount + ' bought',
  rejected.response.status + ' rejected',
  'ids up to ' + largest,
].join(', '));
`;

const PYTHON_CLIENT = `import os
from made import Client
from made.api.swap import get_chain_info, get_chains, get_swap

client = Client(base_url=os.environ["SWAPCHECK_BASE_URL"])
key = os.environ["SWAPCHECK_API_KEY"]
listed = get_chains.sync(client=client, api_key=key)
chain_id = listed[0].chain_id
info = get_chain_info.sync(client=client, chain_id=chain_id, api_key=key)
pair = dict(chain_id=chain_id, sell_token="0x" + "0" * 40, buy_token=info.usd_token_address, api_key=key)
plan = get_swap.sync(client=client, sell_amount="1000000000000000000", **pair)
rejected = get_swap.sync_detailed(client=client, **pair)
assert rejected.parsed.message
largest = max(token.reference_id for token in plan.tokens)
print(f"{len(listed)} chains, {int(plan.buy.amount)} bought, {rejected.status_code.value} rejected, ids up to {largest}")
`;

const GO_MODULE = `module client

go 1.22

require github.com/oapi-codegen/runtime v1.1.1
`;

const GO_CLIENT = `package main

import (
	"client/api"
	"context"
	"fmt"
	"os"
	"strings"
)

func check(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	client, err := api.NewClientWithResponses(os.Getenv("SWAPCHECK_BASE_URL"))
	check(err)
	ctx, key := context.Background(), os.Getenv("SWAPCHECK_API_KEY")
	chains, err := client.GetChainsWithResponse(ctx, &api.GetChainsParams{ApiKey: key})
	check(err)
	chain := (*chains.JSON200)[0].ChainId
	info, err := client.GetChainInfoWithResponse(ctx, &api.GetChainInfoParams{ChainId: chain, ApiKey: key})
	check(err)
	amount := "1000000000000000000"
	trade := api.GetSwapParams{ChainId: chain, SellToken: "0x" + strings.Repeat("0", 40), BuyToken: info.JSON200.UsdTokenAddress, ApiKey: key}
	rejected, err := client.GetSwapWithResponse(ctx, &trade)
	check(err)
	trade.SellAmount = &amount
	plan, err := client.GetSwapWithResponse(ctx, &trade)
	check(err)
	var largest int64
	for _, token := range plan.JSON200.Tokens {
		largest = max(largest, token.ReferenceId)
	}
	fmt.Printf("%d chains, %s bought, %d rejected, ids up to %d\\n", len(*chains.JSON200), plan.JSON200.Buy.Amount, rejected.StatusCode(), largest)
}
`;

const JAVA_CLIENT = `import java.util.stream.LongStream;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.SwapApi;

public class Ask {
  public static void main(String[] arguments) throws ApiException {
    ApiClient client = new ApiClient();
    client.updateBaseUri(System.getenv("SWAPCHECK_BASE_URL"));
    SwapApi api = new SwapApi(client);
    String key = System.getenv("SWAPCHECK_API_KEY");
    var chains = api.getChains(key);
    Long chain = chains.get(0).getChainId();
    String sell = "0x" + "0".repeat(40);
    String buy = api.getChainInfo(chain, key).getUsdTokenAddress();
    var plan = api.getSwap(chain, sell, buy, key, "1000000000000000000", null, null, null, null, null, null, null);
    long largest = plan.getTokens().stream().mapToLong(token -> token.getReferenceId()).max().getAsLong();
    int status = 200;
    try {
      api.getSwap(chain, sell, buy, key, null, null, null, null, null, null, null, null);
    } catch (ApiException error) {
      status = error.getCode();
    }
    System.out.printf("%d chains, %s bought, %d rejected, ids up to %d%n", chains.size(), plan.getBuy().getAmount(), status, largest);
  }
}
`;

const root = fileURLToPath(new URL('../..', import.meta.url));

function installPacked() {
  buildProgram();
  const folder = mkdtempSync(join(tmpdir(), 'swapcheck-packed-'));
  const npm = (...args: readonly string[]) =>
    execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
  const packed = npm('pack', root, '--json', '--ignore-scripts');
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  const tarball = join(folder, filename);
  cpSync(join(root, 'examples'), folder, { recursive: true });
  const needs = JSON.parse(readFileSync(join(root, 'scripts/build/packed-package.json'), 'utf8'));
  const dependencies = { ...needs.dependencies, swapcheck: `file:${filename}` };
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...needs, dependencies }));
  npm('install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund');
  return { folder, tarball, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
