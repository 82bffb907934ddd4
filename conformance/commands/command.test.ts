import { describe, expect, test } from 'vitest';
import { useFolder } from '../../fixtures/testing/use-folder.testing.ts';
import { createProgram } from '../../scripts/cli/program.ts';

const { folder, write } = useFolder();

async function messageOfRejection(args: readonly string[]): Promise<string> {
  let printed = '';
  const program = await createProgram(args);
  for (const command of program.commands) {
    command.exitOverride().configureOutput({
      writeErr: (text) => {
        printed += text;
      },
    });
  }
  try {
    await program.parseAsync(args, { from: 'user' });
  } catch (error) {
    return `${printed}${error instanceof Error ? `${error.name}: ${error.message}` : error}`;
  }
  return 'not rejected';
}

describe('the commands of the judge', () => {
  test.each([
    [['test', '--seed', '1.5'], /'1\.5' is invalid\. Expected a whole number from 0 to/],
    [['test', '--rate', '0'], /Expected a number above 0/],
    [['test', '--tolerance-ppm', '-1'], /'-1' is invalid\. Expected a number from 0 to/],
    [['test', '--level', 'may'], /Expected must or should/],
    [['test', '--report', 'pdf'], /There is no format "pdf"/],
    [
      ['test', '--fork', '1'],
      /UsageError: --fork 1: SWAPCHECK_RPC_1 is not set: .* or pass --fork 1=RPC/,
    ],
    [['test', '--fork', 'nochain=http://a'], /Expected CHAIN=RPC.*a chain id or a name/],
    [
      ['test', '--fork', '1=@/nowhere'],
      /UsageError: --fork 1=@\/nowhere cannot be read \(ENOENT\)/,
    ],
    [['test', 'ftp://a'], /UsageError: BASE_URL 'ftp:\/\/a': expected an http or https URL/],
    [['test', 'http://u:p@a'], /UsageError: BASE_URL/],
    [
      ['test', 'http://127.0.0.1:1', '--only', 'no/such'],
      /UsageError: --only: no rule .*"no\/such"/,
    ],
    [
      ['test', '--config', '/nowhere.yaml'],
      /UsageError: --config \/nowhere\.yaml: it cannot be read \(ENOENT\)/,
    ],
    [
      ['test', '--waivers', '/nowhere.yaml'],
      /UsageError: --waivers \/nowhere\.yaml: it cannot be read \(ENOENT\)/,
    ],
    [['check'], /missing required argument 'PATH'/],
    [['check', '/nowhere.json'], /UsageError: \/nowhere\.json cannot be read \(ENOENT\)/],
    [['check', folder, '--only', 'no/such'], /UsageError/],
    [['replay'], /missing required argument 'FILE'/],
    [['replay', '/nowhere.json'], /UsageError: \/nowhere\.json cannot be read \(ENOENT\)/],
    [['replay', write('cut.json', '{')], /UsageError: .*cut\.json is not JSON/],
    [
      ['replay', write('report.json', '{"verdict":"conforming"}')],
      /UsageError: .*report\.json is not evidence of a settlement: .*; it is a report, whose failures/,
    ],
    [['rules', '--format', 'pdf'], /Allowed choices are text, json, markdown/],
  ])('%j -> rejected with the expected value', async (args, message) => {
    expect(await messageOfRejection(args)).toMatch(message);
  });

  test.each([
    ['1=htp://node.example/v2/a1b2c3d4e5f6'],
    ['https://node.example/v2/a1b2c3d4e5f6'],
    ['https://node.example/?key=a1b2c3d4e5f6'],
    [`1=@${write('node-url', 'node.example/v2/a1b2c3d4e5f6')}`],
  ])('--fork %s -> rejected, without the key', async (fork) => {
    expect(await messageOfRejection(['test', '--fork', fork])).toMatch(
      /^UsageError: --fork(?!.*a1b2c3d4).*Expected/,
    );
    const config = write('fork.yaml', `fork: ["${fork}"]`);
    expect(await messageOfRejection(['test', 'http://127.0.0.1:1', '--config', config])).toMatch(
      /^UsageError: --fork(?!.*a1b2c3d4).*Expected/,
    );
  });

  test.each([
    ['seeds: 1', /there is no option 'seeds', did you mean 'seed'\?/],
    ['seed: many', /--seed many: Expected a whole number/],
    ['seed: [1, 2]', /--seed \[1,2\]: expected one value, not a list/],
    ['chain: [[1]]', /--chain \[1\]: expected a text or a number/],
    ['frozen: maybe', /--frozen maybe: expected true or false/],
    ['[1]', /expected an object/],
    ['a: [', /config.yaml: /],
    ['seed: [[[', /config\.yaml: it is nested too deeply/],
  ])('--config with %j -> rejected', async (text, message) => {
    const path = write('config.yaml', text.replace('[[[', '['.repeat(100_000)));
    expect(await messageOfRejection(['test', 'http://127.0.0.1:1', '--config', path])).toMatch(
      message,
    );
  });

  test.each([
    ['rule: a', /expected a list/],
    ['- 1', /entry 1: expected an object/],
    ['- {rule: no/such}', /entry 1: there is no rule 'no\/such'/],
    ['- {rule: plan/acylic}', /no rule 'plan\/acylic', did you mean 'plan\/acyclic'\?/],
    ['- {rule: plan/acyclic, reason: "", expires: 2030-01-01}', /reason: expected a sentence/],
    ['- {rule: plan/acyclic, reason: known, expires: soon}', /expires: expected YYYY-MM-DD/],
    ['- {rule: plan/acyclic, pair: [a], reason: known}', /pair: expected two/],
    ['- {rule: plan/acyclic, until: 2030-01-01}', /no field 'until'/],
    ['- {rule: plan/acyclic, expire: 2030-01-01}', /no field 'expire', did you mean 'expires'\?/],
    ['- {rule: plan/acyclic, chain: one, reason: known}', /chain: expected a chain id/],
    ['- {rule: plan/acyclic, reason: known}', /expires: expected YYYY-MM-DD/],
  ])('--waivers with %j -> rejected', async (text, message) => {
    const path = write('waivers.yaml', text);
    expect(await messageOfRejection(['test', 'http://127.0.0.1:1', '--waivers', path])).toMatch(
      message,
    );
  });
});
