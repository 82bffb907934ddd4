import { createClient } from '../../conformance/client/client.ts';
import { createHttpTransport } from '../../conformance/client/http-transport.ts';
import type { RequestTarget } from '../../conformance/client/request.ts';
import type { Transport, WireReply } from '../../conformance/client/transport.ts';
import { discover } from '../../conformance/discovery/discover.ts';
import { weightOf } from '../../conformance/generate/simplify.ts';
import { coverMarket } from '../../conformance/generate/traffic.ts';
import { CATALOG } from '../../conformance/rules/catalog.ts';
import { createReplyJudge } from '../../conformance/runner/judging.ts';
import { Ledger } from '../../conformance/runner/ledger.ts';
import { startBuiltInReference } from '../cli/built-in-reference.ts';
import { compareRates } from './kit.ts';

/*
 * npm run bench:judge: measures how many replies are judged per second, from the bytes of a reply
 * to the verdict of every rule, compared with bare JSON.parse of the same bytes. The replies are
 * the reference's responses to the traffic of a default run. They are recorded before timing
 * starts.
 */

const MIN_RATE = 1_500;
const TOLERANCE_PPM = 0;

type Sample = { readonly target: RequestTarget; readonly wire: WireReply };

const { facts, samples } = await sampleReference();
const bodies = samples.map(({ wire }) => wire.body);
const plans = samples.filter(({ target, wire }) => isSwap(target) && wire.status === 200).length;
const kilobytes = bodies.reduce((sum, { length }) => sum + length, 0) / 1_000;
const rules = CATALOG.filter(({ kind }) => kind === 'reply').length;
process.stdout.write(
  `${samples.length} replies of ${(kilobytes / samples.length).toFixed(1)} kB on average, ${plans} of them plans; ${rules} rules\n\n`,
);
const { judge, parse } = await compareRates('replies', samples.length, {
  judge: judgeAll,
  parse: parseAll,
});
process.stdout.write(
  `\n${(judge.cpu / parse.cpu).toFixed(3)} of bare \`JSON.parse\` by CPU time; expected at least ${MIN_RATE} replies a second\n`,
);
if (!(judge.wall >= MIN_RATE)) process.exitCode = 1;

async function sampleReference() {
  const reference = await startBuiltInReference();
  const http = createHttpTransport(new URL(reference.url));
  let last: WireReply | undefined;
  const recording: Transport = {
    close: http.close,
    send: async (request) => {
      const wire = await http.send(request);
      last = wire.kind === 'wire-reply' ? wire : undefined;
      return wire;
    },
  };
  const client = createClient({ transport: recording, apiKey: reference.apiKey });
  const get = (target: RequestTarget) => client.send(target, new AbortController().signal);
  const recorded: Sample[] = [];
  try {
    const discovered = await discover({ get, chains: [] });
    for (const target of coverMarket(discovered, 1)) {
      await get(target);
      if (last !== undefined) recorded.push({ target, wire: last });
    }
    return { facts: discovered, samples: recorded };
  } finally {
    await client.close();
    await reference.close();
  }
}

async function judgeAll(): Promise<void> {
  const ledger = new Ledger({ rules: CATALOG, weigh: weightOf });
  const judgeReply = createReplyJudge({ rules: CATALOG, ledger, tolerancePpm: TOLERANCE_PPM });
  let next = 0;
  const memory: Transport = {
    close: async () => undefined,
    send: async () => samples[next++]?.wire as WireReply,
  };
  const client = createClient({ transport: memory, apiKey: 'a-key-of-this-bench' });
  const { signal } = new AbortController();
  for (const { target } of samples) {
    judgeReply(await client.send(target, signal), facts, { target });
  }
  const broken = CATALOG.filter(
    ({ id, level }) => level === 'must' && (ledger.tallies.get(id)?.causes.size ?? 0) > 0,
  );
  if (broken.length > 0) {
    throw new Error(`the reference breaks ${broken.map(({ id }) => id).join(', ')}`);
  }
}

function parseAll(): void {
  for (const body of bodies) JSON.parse(body.toString('utf8'));
}

function isSwap({ path }: RequestTarget): boolean {
  return path.endsWith('/swap');
}
