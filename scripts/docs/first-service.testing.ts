import { readFileSync } from 'node:fs';
import type { ConformanceOptions } from '../../conformance/library/run-conformance.ts';
import { runConformance } from '../../conformance/library/run-conformance.ts';
import { startProgram } from '../../fixtures/testing/start-program.testing.ts';

export type Language = keyof typeof EXTENSIONS;

type Mistake = {
  readonly rule: string;
  readonly node: readonly [right: string, wrong: string];
  readonly python: readonly [right: string, wrong: string];
  readonly go: readonly [right: string, wrong: string];
};

/** The mistakes in docs/getting-started.md, in the order of the page. */
export const MISTAKES: readonly Mistake[] = [
  {
    rule: 'trade-token/amount',
    node: ['amount: String(sell)', 'amount: Number(sell)'],
    python: ['"amount": str(sell)', '"amount": sell'],
    go: ['"amount": sell.String()', '"amount": sell'],
  },
  {
    rule: 'swap/native-aliases-accepted',
    node: [`, \`0x\${'e'.repeat(40)}\`]`, ']'],
    python: ['{"0x" + "0" * 40, "0x" + "e" * 40}', '{"0x" + "0" * 40}'],
    go: [', "0x" + strings.Repeat("e", 40)}', '}'],
  },
  {
    rule: 'swap/exactly-one-amount',
    node: [
      "'sellAmount' in query === 'buyAmount' in query",
      "!('sellAmount' in query || 'buyAmount' in query)",
    ],
    python: [
      '("sellAmount" in query) == ("buyAmount" in query)',
      'not ("sellAmount" in query or "buyAmount" in query)',
    ],
    go: [
      'query.Has("sellAmount") == query.Has("buyAmount")',
      '!query.Has("sellAmount") && !query.Has("buyAmount")',
    ],
  },
  {
    rule: 'route-token/moves-something',
    node: ['((RESERVES[bought] - amount) * 997n) + 1n', '((RESERVES[bought] - amount) * 1000n)'],
    python: ['((RESERVES[buy] - amount) * 997) + 1', '((RESERVES[buy] - amount) * 1000)'],
    go: [
      'new(big.Int).Add(paid.Div(paid, times(left, 997)), big.NewInt(1)), nil',
      'paid.Div(paid, times(left, 1000)), nil',
    ],
  },
];

const EXTENSIONS = { node: 'mjs', python: 'py', go: 'go' } as const;

/** The languages of the first service, each with its file extension. */
export const LANGUAGES = Object.entries(EXTENSIONS) as readonly (readonly [Language, string])[];

/** Returns the URL of a file of the first service. */
export function exampleFile(name: string): URL {
  return new URL(`../../examples/first-service/${name}`, import.meta.url);
}

/** Returns the program after its first `fixed` mistakes have been fixed. */
export function programAfter(language: Language, fixed: number): string {
  const file = exampleFile(`service.${EXTENSIONS[language]}`);
  return MISTAKES.slice(fixed).reduce(
    (text, mistake) => {
      const [right, wrong] = mistake[language];
      if (text.split(right).length !== 2)
        throw new Error(`${file.pathname} must contain exactly once: ${right}`);
      return text.replace(right, () => wrong);
    },
    readFileSync(file, 'utf8'),
  );
}

async function withService<Result>(
  [command, ...args]: readonly [string, ...string[]],
  use: (url: string) => Promise<Result>,
): Promise<Result> {
  const { child, ended } = startProgram(command, args, { env: { ...process.env, PORT: '0' } });
  try {
    return await use(
      await new Promise<string>((resolve) => {
        child.stdout?.once('data', (text) => resolve(String(text).trim()));
      }),
    );
  } finally {
    child.kill();
    await ended;
  }
}

/** Returns the conformance report of a program that prints its address. */
export function judgeProgram(
  program: readonly [string, ...string[]],
  options: Pick<ConformanceOptions, 'only' | 'forks'> = {},
) {
  return withService(program, (url) =>
    runConformance({ service: { url }, apiKey: 'demo', ...options }),
  );
}

/** Returns the ids of the rules that failed, in the order of the catalog. */
export function failedRules({ rules }: Awaited<ReturnType<typeof judgeProgram>>) {
  return rules.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
}
