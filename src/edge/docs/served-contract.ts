import { document } from '../../contract/document.ts';
import { withNullableRequests } from '../../contract/nullable.ts';

/** The contract as it is served. */
export const servedContract = (): Record<string, unknown> => withNullableRequests(document);
