import type { RequestMix } from './request-mix.ts';

/**
 * Swap requests of one kind, with amounts from 10^3 to 10^9. For services that accept every
 * request.
 */
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
