import { type RecordedRejection, type UpstreamResult, unknownEffect } from '../kernel/upstream-result.ts';
import type { Finding } from './define.ts';

/**
 * What the answer to a repeat proves about the request that was sent first. An acceptance and the upstream's stored
 * answer to the first request do; every other answer concerns the repeat alone: credentials, form, rate or a fault of now.
 */
export function findingOfRepeat<Result>(result: UpstreamResult<Result>): Finding<Result> {
  if (result.kind === 'accepted' || result.kind === 'unknown' || isRecorded(result)) return result;
  return unknownEffect(result.kind === 'rejected' ? `a repeat was rejected: ${result.slug}` : result.why);
}

const isRecorded = (result: UpstreamResult<unknown>): result is RecordedRejection =>
  result.kind === 'rejected' && 'recorded' in result;
