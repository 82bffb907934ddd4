/** The result of work that cannot be done, with the reason. */
export type Impossible = { readonly kind: 'impossible'; readonly why: string };

export function impossible(why: string): Impossible {
  return { kind: 'impossible', why };
}

/** Returns whether work could not be done, so that its result is only the reason. */
export function isImpossible(result: object): result is Impossible {
  return 'kind' in result && result.kind === 'impossible';
}
