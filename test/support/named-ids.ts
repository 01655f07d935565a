/**
 * Every id that a request can name, and whose it is, written from the specification: the oracle of the tests of others'
 * ids. A new operation or member that names one has to be entered here by session.
 */

/** The ids that belong to a tenant. Of each there is one of the owner, and one of the same form that nobody has. */
export type Kind =
  | 'subaccount'
  | 'wallet'
  | 'enrollment'
  | 'network order'
  | 'exchange order'
  | 'partner intent'
  | 'partner event'
  | 'partner line'
  | 'partner endpoint'
  | 'partner delivery'
  | 'partner key'
  | 'app intent'
  | 'session'
  | 'payment'
  | 'account'
  | 'connect'
  | 'payout'
  | 'endpoint'
  | 'delivery'
  | 'event'
  | 'line'
  | 'signature'
  | 'api key'
  | 'client secret'
  | 'user'
  | 'trading order'
  | 'trading intent'
  | 'position';

/** `place:member=kind`, by operation. Of two ids of one request the first is tried with the caller's own second. */
const OWNED = `
  submitNetvenueOrder     header:Trader-ID=subaccount
  closeNetvenuePosition   header:Trader-ID=subaccount
  setNetvenueTpSl         header:Trader-ID=subaccount
  listNetvenueOrders      header:Trader-ID=subaccount query:cursor=network_order
  getNetvenueOrder        header:Trader-ID=subaccount path:order_uuid=network_order
  cancelNetvenueOrder     header:Trader-ID=subaccount path:order_uuid=network_order
  editNetvenueOrder       header:Trader-ID=subaccount path:order_uuid=network_order
  listSessions            query:cursor=enrollment
  getSession              path:ex_wallet=wallet
  revokeSession           path:ex_wallet=wallet
  submitExvenueOrder      header:Trader-ID=wallet
  cancelAllExvenueOrders  header:Trader-ID=wallet
  closeExvenuePosition    header:Trader-ID=wallet
  setExvenueTpSl          header:Trader-ID=wallet
  cancelExvenueOrder      header:Trader-ID=wallet path:order_id=exchange_order
  getExvenueOrder         header:Trader-ID=wallet path:order_id=exchange_order
  getExvenueRegistration  path:ex_address=wallet
  getBalance              header:Trader-ID=subaccount
  getLeverageLimits       header:Trader-ID=subaccount
  listNetvenuePositions   header:Trader-ID=subaccount
  listRules               header:Trader-ID=subaccount
  listSupportedPairs      header:Trader-ID=subaccount
  validateTrade           header:Trader-ID=subaccount
  listPayouts             header:Trader-ID=subaccount
  getPendingPayout        header:Trader-ID=subaccount
  listClosedPositions     header:Trader-ID=subaccount
  listFilledOrders        header:Trader-ID=subaccount
  getPartnerIntent        path:intent_id=partner_intent
  listPartnerStatement    query:cursor=partner_line
  searchPartnerRecords    query:q=network_order
  searchAppRecords        query:q=endpoint
  listAppStatement        query:cursor=line
  listOwnKeys             query:cursor=partner_key
  listOwnSecrets          query:cursor=client_secret
  listPartnerEvents       query:after=partner_event query:cursor=partner_event
  listPartnerWebhookEndpoints query:cursor=partner_endpoint
  updatePartnerWebhookEndpoint path:endpoint_id=partner_endpoint
  deactivatePartnerWebhookEndpoint path:endpoint_id=partner_endpoint
  rotatePartnerWebhookSecret path:endpoint_id=partner_endpoint
  testPartnerWebhookEndpoint path:endpoint_id=partner_endpoint
  listPartnerWebhookDeliveries path:endpoint_id=partner_endpoint query:cursor=partner_delivery
  recoverPartnerWebhookEndpoint path:endpoint_id=partner_endpoint
  getPartnerWebhookDelivery path:delivery_id=partner_delivery
  redeliverPartnerWebhook path:delivery_id=partner_delivery
  listUserSessions        query:cursor=session
  revokeUserSession       body:session_id=session
  getAppIntent            path:intent_id=app_intent
  getPayment              path:payment_id=payment
  listPropAccounts        query:cursor=account
  getPropAccount          path:id=account
  syncPropAccount         path:prop_account_id=account
  replaceConnectAccount   path:processor_account_id=connect
  detachConnectAccount    path:processor_account_id=connect
  renewOnboardingLink     path:processor_account_id=connect
  listUserPayouts         query:cursor=payout
  estimatePayout          header:X-Prop-Account=account
  requestPayout           body:prop_account_id=account
  submitPayout            path:payout_id=payout
  cancelPayout            path:payout_id=payout
  listWebhookEndpoints    query:cursor=endpoint
  updateWebhookEndpoint   path:endpoint_id=endpoint
  deactivateWebhookEndpoint path:endpoint_id=endpoint
  rotateWebhookSecret     path:endpoint_id=endpoint
  testWebhookEndpoint     path:endpoint_id=endpoint
  listWebhookDeliveries   path:endpoint_id=endpoint query:cursor=delivery
  recoverWebhookEndpoint  path:endpoint_id=endpoint
  getWebhookDelivery      path:delivery_id=delivery
  redeliverWebhook        path:delivery_id=delivery
  listAppEvents           query:after=event query:cursor=event
  sendNotification        body:user_id=user
  listAgreementAudits     query:cursor=signature
  listApiKeys             query:cursor=api_key
  createApiKey            body:prop_account_id=account
  revokeApiKey            path:api_key_id=api_key
  listTradingOrders       header:X-Prop-Account=account query:cursor=trading_order
  submitTradingOrder      header:X-Prop-Account=account
  closeTradingPosition    header:X-Prop-Account=account
  closeTradingPositions   header:X-Prop-Account=account body:position_uuids=position
  setTradingTpSl          header:X-Prop-Account=account
  getTradingOrder         header:X-Prop-Account=account path:order_uuid=trading_order
  cancelTradingOrder      header:X-Prop-Account=account path:order_uuid=trading_order
  editTradingOrder        header:X-Prop-Account=account path:order_uuid=trading_order
  getTradingIntent        header:X-Prop-Account=account path:intent_id=trading_intent
  listTradingPositions    header:X-Prop-Account=account
  getTradingBalance       header:X-Prop-Account=account
  listTradingHistory      header:X-Prop-Account=account
  getTradingDesk          header:X-Prop-Account=account
  listTradingRules        header:X-Prop-Account=account
  streamTradingEvents     header:X-Prop-Account=account
  issueTradingStreamTicket header:X-Prop-Account=account
`;

/** Ids that belong to nobody or to everybody, with the reason. Operators act on every tenant's by their role. */
const SHARED = `
  listExvenueOrders       header:Trader-ID            the exchange shows every wallet to anyone
  getExchangeBalance      header:Trader-ID            the exchange shows every wallet to anyone
  getSpotBalance          header:Trader-ID            the exchange shows every wallet to anyone
  listExvenuePositions    header:Trader-ID            the exchange shows every wallet to anyone
  listExvenueOrders       query:cursor                a place in the venue's own list of the trader
  listExvenuePositions    query:cursor                a place in the venue's own list of the trader
  listNetvenuePositions   query:cursor                a place in the venue's own list of the trader
  listPayouts             query:cursor                a place in the venue's own list of the trader
  listRules               query:cursor                a place in the venue's own list of the trader
  listTradingPositions    query:cursor                a place in the venue's own list of the trader
  listTradingRules        query:cursor                a place in the venue's own list of the trader
  listClosedPositions     query:cursor                a place in the venue's own history of the trader
  listFilledOrders        query:cursor                a place in the venue's own history of the trader
  listTradingHistory      query:cursor                a place in the venue's own history of the trader
  submitNetvenueOrder     body:order_uuid             the caller's own new handle
  submitTradingOrder      body:order_uuid             the caller's own new handle
  submitNetvenueOrder     body:bracket_orders[].order_uuid  the caller's own new handle
  editNetvenueOrder       body:bracket_orders[].order_uuid  the caller's own new handle
  submitTradingOrder      body:bracket_orders[].order_uuid  the caller's own new handle
  editTradingOrder        body:bracket_orders[].order_uuid  the caller's own new handle
  enrollSession           body:ex_wallet              proven by its key
  registerNetvenueTrader  body:ex_address             a link without proof touches no other partner
  createWalletChallenge   body:ex_address             a text to sign
  registerExvenueTrader   body:ex_wallet              bought for whoever owns the wallet
  streamPartnerEvents     query:last_event_id         a place in the caller's own log; another one begins anew
  streamTradingEvents     query:last_event_id         a place in the account's own log; another one begins anew
  listPartnerRequests     query:cursor                a place in the caller's own log
  listAppRequests         query:cursor                a place in the caller's own log
  listPartnerRequests     query:request_id            the caller's own mark
  listAppRequests         query:request_id            the caller's own mark
  listTiers               query:cursor                on sale to everybody
  listConnectAccounts     query:cursor                a user has at most one
  listFailedPropAccounts  query:cursor                a place in the app's own list
  listPaymentRecords      query:cursor                a place in the app's own list
  listPayoutRecords       query:cursor                a place in the app's own list
  checkOut                body:tier_id                on sale to everybody
  openFreeAccount         body:tier_id                on sale to everybody
  takeProcessorNotification body:id                   signed by the processor
  issueAccessToken        body:client_id              a credential, with its secret
  revokeAccessToken       body:client_id              a credential, with its secret
`;

/** One place of a request that names an id of a kind. */
export type NamedId = { operation: string; place: string; member: string; kind: Kind };

const lines = (table: string) =>
  table
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/));

/** The ids of tenants that requests name. */
export const NAMED_IDS: readonly NamedId[] = lines(OWNED).flatMap(([operation = '', ...cells]) =>
  cells.map((cell) => {
    const [, place = '', member = '', kind = ''] = /^(\w+):([^=]+)=(.+)$/.exec(cell) ?? [];
    return { operation, place, member, kind: kind.replaceAll('_', ' ') as Kind }; // as: a wrong one has no id in the tests
  }),
);

/** `operation place:member` of every id that is entered, whoever owns it. */
export const ENTERED: ReadonlySet<string> = new Set([
  ...NAMED_IDS.map(({ operation, place, member }) => `${operation} ${place}:${member}`),
  ...lines(SHARED).map(([operation, slot]) => `${operation} ${slot}`),
]);
