/** The key that is let in unless other keys are given. */
export const DEMO_API_KEY = 'demo';
