import { ERROR_CAUSES, type ErrorProbe, type ServiceErrors } from '../model/metrics.ts';

const SIGNS: readonly (readonly [
  by: Exclude<ServiceErrors['told'][number]['by'], 'nothing'>,
  read: (probe: ErrorProbe) => string,
])[] = [
  ['status', ({ status }) => String(status)],
  ['error', ({ status, error }) => `${status} ${error}`],
  ['message', ({ status, error, message }) => `${status} ${error} ${wordsOf(message)}`],
];

/** Returns how a client can distinguish each two causes of errors, the most reliable sign first. */
export function distinguishErrors(name: string, probes: ErrorProbe[]): ServiceErrors {
  const causes = ERROR_CAUSES.filter((cause) => probes.some((probe) => probe.cause === cause));
  const told = causes.flatMap((one, at) =>
    causes.slice(at + 1).map((other) => {
      const sign = SIGNS.find(([, read]) => {
        const signs = (cause: string) =>
          new Set(probes.filter((probe) => probe.cause === cause).map(read));
        const others = signs(other);
        return ![...signs(one)].some((each) => others.has(each));
      });
      return { one, other, by: sign?.[0] ?? 'nothing' } as const;
    }),
  );
  return { name, probes, told };
}

/** Messages that differ only in quoted values count as one. */
function wordsOf(message: string): string {
  return message
    .replace(/(["'`]).*?\1/g, '?')
    .replace(/0x[0-9a-f]+|\d+/gi, '?')
    .toLowerCase();
}
