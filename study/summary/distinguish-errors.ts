import { ERROR_CAUSES, type ErrorProbe, type ServiceErrors } from '../model/metrics.ts';

const PROPERTIES: readonly (readonly [
  by: Exclude<ServiceErrors['distinguished'][number]['by'], 'nothing'>,
  read: (probe: ErrorProbe) => string,
])[] = [
  ['status', ({ status }) => String(status)],
  ['error', ({ status, error }) => `${status} ${error}`],
  ['message', ({ status, error, message }) => `${status} ${error} ${withoutValues(message)}`],
];

/**
 * For every pair of error causes, returns the property by which a client can distinguish the two.
 * Prefers the status to `error`, and `error` to the message.
 */
export function distinguishErrors(name: string, probes: ErrorProbe[]): ServiceErrors {
  const causes = ERROR_CAUSES.filter((cause) => probes.some((probe) => probe.cause === cause));
  const distinguished = causes.flatMap((one, at) =>
    causes.slice(at + 1).map((other) => {
      const property = PROPERTIES.find(([, read]) => {
        const valuesOf = (cause: string) =>
          new Set(probes.filter((probe) => probe.cause === cause).map(read));
        const others = valuesOf(other);
        return ![...valuesOf(one)].some((each) => others.has(each));
      });
      return { one, other, by: property?.[0] ?? 'nothing' } as const;
    }),
  );
  return { name, probes, distinguished };
}

function withoutValues(message: string): string {
  return message
    .replace(/(["'`]).*?\1/g, '?')
    .replace(/0x[0-9a-f]+|\d+/gi, '?')
    .toLowerCase();
}
