import { byId } from './dom.js';
import { openFrame } from './frame.js';
import { keepSession, logOut, readOperator } from './session.js';
import { views } from './views.js';

openFrame({
  views,
  name: "Operator's console",
  leave: logOut,
  async enter() {
    keepSession();
    byId('who').textContent = await readOperator();
  },
});
