/** Lets one large body be read and judged at a time. */
export type LargeBodyGate = ReturnType<typeof createLargeBodyGate>;

/** One exchange's way through the gate. */
export type GatePass = ReturnType<LargeBodyGate['pass']>;

export function createLargeBodyGate() {
  let last: Promise<void> = Promise.resolve();
  return {
    pass: () => {
      let open: (() => void) | undefined;
      return {
        /** Resolves when it is this body's turn. */
        enter: (): Promise<void> => {
          const turn = last;
          const mine = new Promise<void>((resolve) => {
            open = resolve;
          });
          last = turn.then(() => mine);
          return turn;
        },
        /** Lets the next one in; without effect where this one never asked, and the second time. */
        leave: () => open?.(),
      };
    },
  };
}
