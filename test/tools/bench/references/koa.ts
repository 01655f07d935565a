import Koa from 'koa';
import { koaBody } from 'koa-body';
import { acceptBare } from './insert.ts';

/* The reference of P1: one Koa route without any code of the service. Listens on PORT, works on DATABASE_URL. */
const app = new Koa();
app.use(koaBody());
app.use(async (ctx) => {
  if (ctx.path === '/healthz') {
    ctx.body = { status: 'ok' };
    return;
  }
  const id = await acceptBare(ctx.request.body);
  ctx.status = 202;
  ctx.body = { id, status: 'pending' };
});
app.listen(Number(process.env.PORT), '127.0.0.1').keepAliveTimeout = 65_000; // as the service's: it is idle between rounds
