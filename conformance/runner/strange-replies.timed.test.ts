import { test } from 'vitest';
import { expectLinearTime } from '../../fixtures/testing/growth.testing.ts';
import { judgeBytes, sizeOf, strangeReplies } from './strange-replies.testing.ts';

/* Large enough that a quadratic search takes longer than everything else. */
const BYTES = { entries: 400_000, values: 550_000 };
/** Short entries need fewer bytes to show a quadratic search. */
const MAX_SIZE = { entries: 32_768, values: 550_000 };

// Also finds slow built-ins, such as a regular expression that backtracks.
test.each(strangeReplies(6))(
  '%s: %s -> judged in time linear in its bytes',
  (operation, _, of, has) =>
    expectLinearTime(
      (size) => {
        const body = of(size);
        return () => judgeBytes(operation, body);
      },
      sizeOf(of, BYTES[has], MAX_SIZE[has]),
    ),
);
