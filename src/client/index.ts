/** The client of the Trading Partner Service, for Node 20.3 or later and browsers. See src/docs/client.md. */

export type { components, operations, paths } from '../contract/types.ts';
export { type Client, type ClientOptions, connect, type StreamPath } from './client.ts';
export type { Credentials } from './credentials.ts';
export { type Effect, ServiceError } from './errors.ts';
export type { StreamEvent } from './server-sent-events.ts';
export type { Reply, Settled, SettleOptions } from './settled.ts';
export type { StreamOptions } from './stream.ts';
export { type ReceivedWebhook, verifyWebhook, WebhookError, type WebhookEvent } from './webhook.ts';
