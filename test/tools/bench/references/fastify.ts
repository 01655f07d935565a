import fastify from 'fastify';
import { acceptBare } from './insert.ts';

/* A reference of P1: what test/tools/bench/references/koa.ts does, with fastify. Listens on PORT, works on DATABASE_URL. */
const app = fastify();
app.get('/healthz', () => ({ status: 'ok' }));
app.post('/orders', async (request, reply) => {
  const id = await acceptBare(request.body);
  return reply.status(202).send({ id, status: 'pending' });
});
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' });
