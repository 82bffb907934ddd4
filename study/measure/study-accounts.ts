import { accountsFrom } from '../../conformance/execution/scenario/accounts.ts';

/** The accounts that request and settle the trades of every study. */
export const STUDY_ACCOUNTS = accountsFrom('study');
