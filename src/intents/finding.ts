import { type RecordedRejection, type UpstreamResult, unknownEffect } from '../kernel/upstream-result.ts';
import type { Finding } from './define.ts';

/**
 * What the response to a repeat proves about the request that was sent first. An acceptance is proof, and so is the
 * upstream's stored response to the first request. Every other response concerns the repeat alone: its credentials, its
 * form, the rate, or a present fault.
 */
export function findingOfRepeat<Result>(result: UpstreamResult<Result>): Finding<Result> {
  if (result.kind === 'accepted' || result.kind === 'unknown' || isRecorded(result)) return result;
  return unknownEffect(result.kind === 'rejected' ? `a repeat was rejected: ${result.slug}` : result.why);
}

const isRecorded = (result: UpstreamResult<unknown>): result is RecordedRejection =>
  result.kind === 'rejected' && 'recorded' in result;
