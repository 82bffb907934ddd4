import { describe, expect, test } from 'vitest';
import { markup, prose } from './markup.ts';

describe('markup', () => {
  test('interpolated text -> escaped; nested markup -> unchanged', () => {
    expect(markup`<b title="${'"\''}">${'<&>'}${markup`<i>${1}</i>`}</b>`.text).toBe(
      '<b title="&quot;&#39;">&lt;&amp;&gt;<i>1</i></b>',
    );
  });
});

describe('prose', () => {
  test.each([
    ['`sell` and `<buy>`', '<code>sell</code> and <code>&lt;buy&gt;</code>'],
    ['no code', 'no code'],
    ['a lone ` stays', 'a lone ` stays'],
  ])('%j -> %j', (words, html) => {
    expect(prose(words).text).toBe(html);
  });
});
