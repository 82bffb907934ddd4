import { describe, expect, test } from 'vitest';
import { put } from './put.ts';

const bodyOf = () => ({
  sell: { amount: '5' },
  routes: [{ legs: [{ id: 1 }, { id: 2 }] }, { legs: [] }],
});

/** Returns a body with other values at a path. */
function changed(change: (body: ReturnType<typeof bodyOf>, query: URLSearchParams) => unknown) {
  const body = bodyOf();
  expect(change(body, new URLSearchParams('sellAmount=7'))).toBeUndefined();
  return JSON.parse(JSON.stringify(body));
}

describe('put', () => {
  test('a name -> the object there', () => {
    expect(changed(put('sell', { amount: '6' })).sell).toEqual({ amount: '6' });
  });

  test('* -> every element', () => {
    const { routes } = changed(put('routes.*.legs.*', ({ id }) => ({ id: 10 * id })));
    expect(routes).toEqual([{ legs: [{ id: 10 }, { id: 20 }] }, { legs: [] }]);
  });

  test('an index -> one element, counted from the end if negative', () => {
    expect(changed(put('routes.0.legs.-1', { id: 9 })).routes[0].legs).toEqual([
      { id: 1 },
      { id: 9 },
    ]);
  });

  test('nothing at the path -> nothing changes', () => {
    expect(changed(put('routes.-1.legs.0', { id: 9 }))).toEqual(bodyOf());
  });

  test('undefined takes a field out, false leaves the object', () => {
    expect(changed(put('sell', { amount: undefined })).sell).toEqual({});
    expect(changed(put('sell', () => false))).toEqual(bodyOf());
  });

  test('the query -> what was asked', () => {
    const echo = put('sell', (_, __, query) => ({ amount: query.get('sellAmount') }));
    expect(changed(echo).sell).toEqual({ amount: '7' });
  });
});
