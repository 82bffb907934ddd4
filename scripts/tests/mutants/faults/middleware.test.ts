import type { Context } from 'koa';
import { describe, expect, test } from 'vitest';
import { middlewareOf } from './middleware.ts';
import type { Fault } from './mutant.ts';
import { everyNth } from './occasions.ts';
import { isExactOutput, misread } from './requests.ts';

const PLAN = '/api/v1.0/swap?sellAmount=5';

function serviceWith(fault: Fault) {
  const middleware = middlewareOf(fault);
  return async (url: string) => {
    const ctx = { req: { url }, status: 200, body: '', set: () => {} } as unknown as Context;
    await middleware(ctx, async () => {
      const target = ctx.req.url ?? '';
      ctx.status = target.includes('broken') ? 400 : 200;
      ctx.body = { target };
    });
    return {
      status: ctx.status,
      body: JSON.parse(JSON.stringify(ctx.body)),
    };
  };
}

describe(middlewareOf, () => {
  test('a changed query -> the service reads the changed query; changes to the reply use the original query', async () => {
    const get = serviceWith({
      query: misread('sellAmount', /^5$/, '6'),
      plan: (plan, query) => ({ ...plan, requested: query.get('sellAmount') }),
    });
    const target = '/api/v1.0/swap?sellAmount=6';
    expect((await get(PLAN)).body).toEqual({ target, requested: '5' });
  });

  test('a fault in one operation -> the other operations are unchanged', async () => {
    const get = serviceWith({ of: 'tokens', reject: () => true });
    expect((await get('/api/v1.0/tokens')).status).toBe(400);
    expect((await get(PLAN)).status).toBe(200);
  });

  test('a change to replies with status 200 -> replies with status 400 are unchanged, and vice versa', async () => {
    const get = serviceWith({ plan: () => 'a plan', error: () => 'an Error' });
    expect((await get(PLAN)).body).toBe('a plan');
    expect((await get(`${PLAN}&broken`)).body).toBe('an Error');
  });

  test('where -> the fault affects only requests that meet the condition', async () => {
    const get = serviceWith({ where: isExactOutput, plan: () => 'broken' });
    expect((await get(PLAN)).body).toEqual({ target: PLAN });
    expect((await get('/api/v1.0/swap?buyAmount=5')).body).toBe('broken');
  });

  test('when -> each service counts its own requests', async () => {
    const fault: Fault = { when: everyNth(2, 'swap'), plan: () => 'broken' };
    for (const get of [serviceWith(fault), serviceWith(fault)]) {
      expect((await get(PLAN)).body).toEqual({ target: PLAN });
      expect((await get(PLAN)).body).toBe('broken');
    }
  });
});
