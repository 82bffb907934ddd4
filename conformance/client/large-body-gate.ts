/** Lets one large body be read and judged at a time. */
export type LargeBodyGate = { readonly pass: () => GatePass };

/** One exchange's way through the gate. */
export type GatePass = {
  /** Resolves when it is this body's turn. */
  readonly enter: () => Promise<void>;
  /** Lets the next one in; without effect where this one never asked, and the second time. */
  readonly leave: () => void;
};

export function createLargeBodyGate(): LargeBodyGate {
  let last: Promise<void> = Promise.resolve();
  return {
    pass: () => {
      let open: (() => void) | undefined;
      return {
        enter: () => {
          const turn = last;
          last = new Promise((resolve) => {
            open = resolve;
          });
          const mine = last;
          last = turn.then(() => mine);
          return turn;
        },
        leave: () => open?.(),
      };
    },
  };
}
