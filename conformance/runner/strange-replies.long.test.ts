import { afterAll, test } from 'vitest';
import { createStepCounter } from '../../fixtures/testing/growth.testing.ts';

const MAX_SIZE = 2_048;
const BYTES = 32_000;

const counter = createStepCounter();
afterAll(counter.stop);
const { judgeBytes, sizeOf, strangeReplies } = await counter.load(
  () => import('./strange-replies.testing.ts'),
);

test.each(strangeReplies(process.env['SWAPCHECK_LONG'] === '1' ? 400 : 6))(
  '%s: %s -> judged in steps linear in its bytes',
  (operation, _, of) =>
    counter.expectLinear(
      (size) => {
        const body = of(size);
        return () => judgeBytes(operation, body);
      },
      sizeOf(of, BYTES, MAX_SIZE),
    ),
);
