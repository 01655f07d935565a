import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import { koaBody } from 'koa-body';
import { listOperations } from '../../../../src/contract/document.ts';
import { requestValidator } from '../../../../src/edge/validate.ts';

/*
 * A reference of P1: the route with the validation of the contract and no database at all, so nothing it accepts is
 * kept. Listens on PORT.
 */
const operation = listOperations().find(({ id }) => id === 'submitNetvenueOrder');
if (!operation) throw new Error('The contract has no operation submitNetvenueOrder');
const validate = requestValidator(operation);
const headers = operation.parameters.flatMap(({ name, in: place }) => (place === 'header' ? [name] : []));

const app = new Koa();
app.use(koaBody());
app.use(async (ctx) => {
  if (ctx.path === '/healthz') {
    ctx.body = { status: 'ok' };
    return;
  }
  const header = Object.fromEntries(headers.map((name) => [name, ctx.get(name) || undefined]));
  validate({ path: {}, query: { ...ctx.query }, header, body: ctx.request.body });
  ctx.status = 202;
  ctx.body = { id: randomUUID(), status: 'pending' };
});
app.listen(Number(process.env.PORT), '127.0.0.1').keepAliveTimeout = 65_000; // as the service's: it is idle between rounds
