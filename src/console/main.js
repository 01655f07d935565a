import { byId } from './dom.js';
import { openFrame } from './frame.js';
import { readRoute } from './route.js';
import { acceptInvitation, keepSession, logOut, readOperator } from './session.js';
import { views } from './views.js';

openFrame({
  views,
  name: "Operator's console",
  leave: logOut,
  async enter() {
    keepSession();
    const { view, query } = readRoute(location.hash);
    if (view === 'invitation' && query.token) await acceptInvitation(query.token);
    byId('who').textContent = await readOperator();
  },
});
