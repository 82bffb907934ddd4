import type { RequestMix } from './request-mix.ts';

/** Plans of one kind, their amounts over six decades: for services that answer anything. */
export const sampleMix: RequestMix = {
  seed: 1,
  kinds: [
    {
      endpoint: 'swap',
      weight: 1,
      expect: 'success',
      templates: [{ before: '/api/v1.0/swap?sellAmount=', amountLog10: [3, 9], after: '&apiKey=' }],
    },
  ],
};
