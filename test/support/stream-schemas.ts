import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { document } from '../../src/contract/document.ts';

const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
ajv.addSchema(document, 'contract');

/** The contract's schema of each type of event of a stream. */
const SCHEMAS: Record<string, string> = {
  snapshot: 'TradingSnapshot',
  order: 'TradingOrderEvent',
  position: 'TradingPositionEvent',
  account: 'TradingAccountEvent',
  closed: 'TradingStreamEnd',
  'order.updated': 'PartnerOrderEvent',
  'subaccount.updated': 'PartnerSubaccountEvent',
  'enrollment.updated': 'PartnerEnrollmentEvent',
  'registration.updated': 'PartnerRegistrationEvent',
  'position.updated': 'PartnerPositionEvent',
  'exit.triggered': 'PartnerExitEvent',
  'position.liquidated': 'PartnerLiquidationEvent',
  'funding.settled': 'PartnerFundingEvent',
  'position.unprotected': 'PositionUnprotectedEvent',
  'position.protected': 'PositionProtectedEvent',
};

/** The contract violations of an event's data; null when it is valid. */
export const faultOf = (type: string, data: unknown): string | null => faultBy(SCHEMAS[type], data);

/** The contract violations of what the stream of an account says of the exits of a position; null when it is valid. */
export const faultOfProtection = (data: unknown): string | null => faultBy('PositionProtection', data);

function faultBy(schema: string | undefined, data: unknown): string | null {
  const check = ajv.getSchema(`contract#/components/schemas/${schema}`);
  return check?.(data) ? null : ajv.errorsText(check?.errors);
}
