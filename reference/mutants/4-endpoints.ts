import type { MutantTable } from './faults/mutant.ts';
import { isCalldata, isGiven } from './faults/requests.ts';

const anotherStatus = (status: number, words: string): MutantTable => ({
  [`status/${status}-for-400`]: {
    caughtBy: 'endpoint/status',
    title: `invalid parameters give ${status} ${words} with an Error`,
    refusal: { status },
  },
});

/** @see Specification 0, 1.4, 4 and 7 */
export const endpointMutants: MutantTable = {
  ...anotherStatus(404, 'Not Found'),
  ...anotherStatus(422, 'Unprocessable Content'),
  ...anotherStatus(503, 'Service Unavailable'),
  'status/201-for-200': {
    caughtBy: 'endpoint/status',
    title: 'a plan comes with 201 Created where calldata was asked for',
    where: isCalldata,
    text: (_, ctx) => {
      ctx.status = 201;
    },
  },
  'status/redirect': {
    caughtBy: 'endpoint/status',
    title: 'plans for the second chain are to be fetched elsewhere',
    where: isGiven('chainId', '31338'),
    instead: (ctx) => {
      ctx.status = 302;
      ctx.set('Location', 'http://localhost:9/api/v1.0/swap');
      ctx.set('Content-Type', 'application/json');
      ctx.body = '{}';
    },
  },
  'error/html-page': {
    caughtBy: 'endpoint/content-type',
    title: 'a 400 comes as an HTML page',
    refusal: { type: 'text/html', body: '<html><body><h1>400 Bad Request</h1></body></html>' },
  },
  'error/plain-sentence': {
    caughtBy: 'endpoint/json',
    title: 'a 400 says what is wrong in a plain sentence, as application/json',
    refusal: { body: 'Bad Request: a parameter is invalid.' },
  },
  'error/with-200': {
    caughtBy: 'error/not-with-200',
    title: 'an Error comes with status 200',
    refusal: { status: 200 },
  },
  'swap/in-an-array': {
    caughtBy: 'swap/response',
    title: 'plans come in an array',
    plan: (plan) => [plan],
  },
  'tokens/in-an-object': {
    caughtBy: 'tokens/response',
    title: 'the tokens come inside an object',
    tokens: (tokens) => ({ tokens }),
  },
  'chains/by-id': {
    caughtBy: 'chains/response',
    title: 'the chains come as an object by id',
    chains: (chains) => Object.fromEntries(chains.map((chain) => [chain.chainId, chain])),
  },
  'chain-info/in-an-array': {
    caughtBy: 'chain-info/response',
    title: 'the details of a chain come in an array',
    chainInfo: (info) => [info],
  },
};
