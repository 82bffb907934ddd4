/** In place of something that cannot be done: the reason why not. */
export type Impossible = { readonly kind: 'impossible'; readonly why: string };

export function impossible(why: string): Impossible {
  return { kind: 'impossible', why };
}

/** Returns whether a result is only the reason why there is none. */
export function isImpossible(result: object): result is Impossible {
  return 'kind' in result && result.kind === 'impossible';
}
