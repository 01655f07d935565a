import { document } from '../../contract/document.ts';
import { withNullableRequests } from '../../contract/nullable.ts';
import { withExamples } from './examples.ts';

/** The contract as it is served: with examples, and with null in requests where a member may be absent. */
export const servedContract = (): Record<string, unknown> => withExamples(withNullableRequests(document));
