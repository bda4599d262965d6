// @ts-check
/** The step ledger: rows are only ever added, on a connection of its own; what the SDK rolls back stays written here. */

import pg from 'pg';

const RETRY_MS = 200;
const INSERT =
  'INSERT INTO relayproof.step_runs(workflow, step, attempt, executor, phase, detail) VALUES ($1, $2, $3, $4, $5, $6)';

/** @typedef {{ run: number, retry: number, failed?: boolean }} About */

/** Numbers the executions of this process and writes them down. */
export class Evidence {
  executorId = '';
  /** @type {Map<string, number>} */
  #counts = new Map();
  /** @type {pg.Client | undefined} */
  #client;
  #url;
  #label;

  /** @param {string} url @param {string} label */
  constructor(url, label) {
    this.#url = url;
    this.#label = label;
  }

  /** Number of this execution of the workflow within this process: 1, 2, ... @param {string} workflow */
  run(workflow) {
    return this.#next(JSON.stringify([workflow]));
  }

  /** Number of this execution of the step within this process. @param {string} workflow @param {string} step */
  attempt(workflow, step) {
    return this.#next(JSON.stringify([workflow, step]));
  }

  /**
   * Returns when the row is written, however long that takes: a step without evidence must not go on.
   * @param {'begin' | 'end'} phase @param {string} workflow @param {string} step @param {number} attempt
   * @param {About} about
   */
  async add(phase, workflow, step, attempt, about) {
    const at = Number(process.hrtime.bigint()); // the host's monotonic clock
    const detail = JSON.stringify({ ...about, executor_id: this.executorId, at_ns: at });
    for (;;) {
      const client = this.#client;
      try {
        if (client === undefined) await this.connect();
        else return void (await client.query(INSERT, [workflow, step, attempt, this.#label, phase, detail]));
      } catch (problem) {
        if (client !== undefined && client === this.#client) this.#drop(client);
        console.error(`evidence is not written yet: ${problem}`);
        await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
      }
    }
  }

  async connect() {
    const client = new pg.Client({
      connectionString: this.#url,
      application_name: 'relayproof-evidence',
      connectionTimeoutMillis: 5000,
      query_timeout: 10_000,
      keepAlive: true,
    });
    client.on('error', () => this.#drop(client)); // without a listener a lost connection ends the process
    await client.connect();
    if (this.#client === undefined) this.#client = client;
    else await client.end(); // another step was faster
  }

  /** @param {pg.Client} client */
  #drop(client) {
    if (this.#client === client) this.#client = undefined;
    client.end().catch(() => {}); // it is gone already
  }

  /** @param {string} key */
  #next(key) {
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count;
  }
}
