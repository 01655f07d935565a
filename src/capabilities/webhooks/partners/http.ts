/** The handlers of `/v1/webhook-endpoints` and `/v1/webhook-deliveries`: those of v2, for endpoints of a partner. */
export {
  createWebhookEndpoint as createPartnerWebhookEndpoint,
  deactivateWebhookEndpoint as deactivatePartnerWebhookEndpoint,
  getWebhookDelivery as getPartnerWebhookDelivery,
  listWebhookDeliveries as listPartnerWebhookDeliveries,
  listWebhookEndpoints as listPartnerWebhookEndpoints,
  recoverWebhookEndpoint as recoverPartnerWebhookEndpoint,
  redeliverWebhook as redeliverPartnerWebhook,
  rotateWebhookSecret as rotatePartnerWebhookSecret,
  testWebhookEndpoint as testPartnerWebhookEndpoint,
  updateWebhookEndpoint as updatePartnerWebhookEndpoint,
} from '../http.ts';
