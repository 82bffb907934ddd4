import type { MutantTable } from './faults/mutant.ts';
import { isCalldata, isGiven } from './faults/requests.ts';

const anotherStatus = (status: number, words: string): MutantTable => ({
  [`status/${status}-for-400`]: {
    caughtBy: 'endpoint/status',
    title: `invalid parameters result in ${status} ${words} with an Error`,
    rejection: { status },
  },
});

/** @see Specification 0, 1.4, 4 and 7 */
export const endpointMutants: MutantTable = {
  ...anotherStatus(404, 'Not Found'),
  ...anotherStatus(422, 'Unprocessable Content'),
  ...anotherStatus(503, 'Service Unavailable'),
  'status/201-for-200': {
    caughtBy: 'endpoint/status',
    title: 'plans with calldata have status 201 Created',
    where: isCalldata,
    text: (_, ctx) => {
      ctx.status = 201;
    },
  },
  'status/redirect': {
    caughtBy: 'endpoint/status',
    title: 'requests for plans on the second chain are redirected',
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
    title: 'a 400 has an HTML page',
    rejection: { type: 'text/html', body: '<html><body><h1>400 Bad Request</h1></body></html>' },
  },
  'error/plain-sentence': {
    caughtBy: 'endpoint/json',
    title: 'a 400 has a plain sentence as application/json',
    rejection: { body: 'Bad Request: a parameter is invalid.' },
  },
  'error/with-200': {
    caughtBy: 'error/not-with-200',
    title: 'an Error has status 200',
    rejection: { status: 200 },
  },
};
