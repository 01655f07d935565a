import type { HrTime } from '@opentelemetry/api';
import { VERSION } from '../version.ts';

/** The scope of all telemetry of the service. */
export const SCOPE = { name: 'trading-partner-service', version: VERSION };

/** Milliseconds as the SDK's pair of seconds and nanoseconds. */
export function hrTime(ms: number): HrTime {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}
