import { accountsFrom } from '../../conformance/execution/fork/accounts.ts';

/** The accounts that request and settle the trades of every study. */
export const STUDY_ACCOUNTS = accountsFrom('study');
