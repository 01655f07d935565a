/**
 * An id of one kind. The compiler rejects an id of another kind. It accepts a plain string: literals, and ids built from
 * parts, need no cast. What comes from rows and requests has its kind, so two of them cannot be swapped.
 */
type Id<Kind extends string> = string & { readonly __kind?: Kind };

/** The id of a partner. */
export type PartnerId = Id<'partner'>;
/** The id of an app. */
export type AppId = Id<'app'>;
/** The tenant that owns a row: a partner or an app. */
export type OwnerId = Id<'partner' | 'app'>;
/** The id of an end user. */
export type UserId = Id<'user'>;
/** The id of a prop account. */
export type PropAccountId = Id<'prop account'>;
/** The id of a payment of ours. */
export type PaymentId = Id<'payment'>;
/** The id of a payout of ours. */
export type PayoutId = Id<'payout'>;
/** A UUID of version 7. Requests to upstreams carry it as their idempotency key. */
export type IntentId = Id<'intent'>;
/** An order's UUID: the id of the intent that placed it, or an id assigned by the network. */
export type OrderUuid = Id<'intent' | 'order'>;
/** A network identity: of an entity, or of one of its subaccounts. */
export type Hotkey = Id<'hotkey'>;
/** `0x` and 40 hex digits, in lower case. */
export type WalletAddress = Id<'wallet'>;

/** The kinds of ids by their names in the contract. */
type IdMembers = {
  app_id: AppId;
  partner_id: PartnerId;
  owner: OwnerId;
  user_id: UserId;
  prop_account_id: PropAccountId;
  'X-Prop-Account': PropAccountId;
  payment_id: PaymentId;
  payout_id: PayoutId;
  intent_id: IntentId;
  order_uuid: OrderUuid;
  client_order_id: OrderUuid;
  entity_hotkey: Hotkey;
  synthetic_hotkey: Hotkey;
  ex_address: WalletAddress;
  ex_wallet: WalletAddress;
  payout_address: WalletAddress;
  payout_wallet: WalletAddress;
};

/** The members of a request, or of a row in the contract's terms, where each id has its kind. */
export type WithIds<Members> = {
  [Name in keyof Members]: Name extends keyof IdMembers
    ? IdMembers[Name] | Exclude<Members[Name], string>
    : Members[Name];
};
