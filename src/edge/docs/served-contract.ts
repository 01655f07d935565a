import { document } from '../../contract/document.ts';
import { withNullableRequests } from '../../contract/nullable.ts';
import { withTypes } from '../../contract/typed.ts';
import { withExamples } from './examples.ts';
import { withSamples } from './samples.ts';

/** The contract as it is served: with examples, also as code, null in requests where a member may be absent, and a type everywhere. */
export const servedContract = (): Record<string, unknown> =>
  withSamples(withExamples(withTypes(withNullableRequests(document))));
