import type { Handler } from '../../../contract/handler.ts';
import type { HeadSigner } from '../../../kernel/head-keys.ts';

/** Serves `GET /.well-known/agreement-keys.json`: the public keys of receipts, as a JWK set (RFC 7517, section 5). */
export const getAgreementKeys: Handler<'getAgreementKeys', { heads: HeadSigner }> = async ({ deps }) => ({
  status: 200,
  body: { keys: deps.heads.publicKeys },
});
