import type { ReplyRule } from '../model/rule.ts';

/** A rule that never comes to an end, for threads that find it here. */
export const CATALOG: readonly ReplyRule[] = [
  {
    ...{ kind: 'reply', id: 'test/endless', clause: '4 status', level: 'must', title: 'ends' },
    judge: ({ reply }) => {
      while (reply.text.length > 0);
      return undefined;
    },
  },
];

export const CATALOG_MODULE = import.meta.url;
