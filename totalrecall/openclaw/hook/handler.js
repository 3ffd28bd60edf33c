// The hook of Total Recall. It runs inside OpenClaw's gateway, which waits for it: it reads one or two small
// prepared files, or starts a process and leaves it alone. It never throws and never waits.
import { spawn } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const SETTINGS = join(dirname(fileURLToPath(import.meta.url)), "settings.json");
const NOTES_NAME = "memory/observations.md";
const SNAPSHOT_NAME = "memory/task-snapshot.md";
// What the host takes of one file, in UTF-16 units. Ours is prepared well below it.
const HOST_FILE_UNITS = 20_000;
// A file of ours is smaller, and a key is shorter; whatever else stands there is not read (it may be a pipe).
const FILE_MOST_BYTES = 200_000;
const KEY_MOST_UNITS = 1_000;
const MIN_GAP_MS = 2_000;
// A process that has not ended by then is taken for stuck; the program's own lock keeps order.
const STUCK_AFTER_MS = 15 * 60_000;

// What is started on which event. A stronger one takes the place of a weaker one that still waits.
const COMMANDS = {
  "command:new": "recover",
  "command:reset": "recover",
  "session:auto-reset": "recover",
  "session:compact:before": "flush",
  "session:compact:after": "observe",
};
const STRENGTH = { observe: 0, recover: 1, flush: 2 };

// The host may load this file anew when its config changes; what runs is known to all copies of it.
const RUNS = (globalThis[Symbol.for("totalrecall.hook.runs")] ??= new Map());

export default async function totalrecall(event) {
  try {
    const settings = readSettings();
    if (!settings) return;
    const name = `${event?.type}:${event?.action}`;
    if (name === "agent:bootstrap") bootstrap(settings, event);
    else if (Object.hasOwn(COMMANDS, name)) wake(settings, event, COMMANDS[name]);
  } catch {
    // The agent must not notice us.
  }
}

function readSettings() {
  const settings = JSON.parse(readSmall(SETTINGS));
  const usable =
    settings?.enabled === true &&
    Array.isArray(settings.command) &&
    settings.command.length > 0 &&
    settings.command.every((part) => typeof part === "string" && part) &&
    typeof settings.stateRoot === "string";
  return usable ? settings : null;
}

function readSmall(path) {
  const found = statSync(path);
  if (!found.isFile() || found.size > FILE_MOST_BYTES) throw new Error("not a file of ours");
  return readFileSync(path, "utf8");
}

// ---- Whose event it is ----

function parts(key) {
  const usable = typeof key === "string" && key.length <= KEY_MOST_UNITS;
  const segments = usable ? key.toLowerCase().split(":") : [];
  const whole = segments.length >= 3 && segments[0] === "agent" && segments.every((one) => one !== "");
  return whole ? { agentId: segments[1], rest: segments.slice(2) } : null;
}

// The name under which Total Recall keeps an agent, or "" for one that it is not to serve.
function agentName(settings, event, key) {
  const agentId = event.context?.agentId ?? key?.agentId;
  if (typeof agentId !== "string" || !/^[A-Za-z0-9_-]{1,60}$/.test(agentId)) return "";
  if (key && key.agentId !== agentId.toLowerCase()) return "";
  if (Array.isArray(settings.agents) && !settings.agents.includes(agentId)) return "";
  return settings.profile ? `${agentId}@${settings.profile}` : agentId;
}

const MACHINES = new Set(["cron", "subagent", "acp", "hook", "webhook", "heartbeat", "run", "node"]);
const HOST_JOBS = ["dreaming", "active-memory", "active_memory", "memory-flush", "heartbeat"];
const SEVERAL_PEOPLE = new Set(["group", "supergroup", "channel", "room", "topic", "guild"]);
const ONE_PERSON = new Set(["direct", "dm"]);

export function isMachine(rest) {
  return MACHINES.has(rest[0]) && rest.length > 1 || rest.some((one) => HOST_JOBS.some((job) => one.startsWith(job)));
}

// Only what is known to be one person's chat. A key of a shape that we do not know is not private.
export function isPrivate(sessionKey) {
  const rest = parts(sessionKey)?.rest;
  if (!rest || isMachine(rest)) return false;
  if (rest.some((one) => SEVERAL_PEOPLE.has(one) || MACHINES.has(one) && rest.length > 1)) return false;
  if (rest.length === 1) return rest[0] !== "global" && rest[0] !== "unknown";
  if (rest[0] === "main") return rest.length === 3 && rest[1] === "thread";
  if (rest[0] === "explicit") return rest.length === 2;
  if (rest[0] === "dashboard") return rest.length === 2 && !rest[1].startsWith("incognito");
  // direct:<peer>, <channel>:direct:<peer>, <channel>:<account>:direct:<peer>; a thread may follow.
  const at = rest.findIndex((one) => ONE_PERSON.has(one));
  if (at < 0 || at > 2) return false;
  const behind = rest.length - at - 1;
  return behind === 1 || behind === 3 && rest[at + 2] === "thread";
}

// ---- A run begins: hand over what was prepared ----

function bootstrap(settings, event) {
  const context = event.context;
  const sessionKey = context?.sessionKey ?? event.sessionKey;
  if (!Array.isArray(context?.bootstrapFiles) || !isPrivate(sessionKey)) return;
  const name = agentName(settings, event, parts(sessionKey));
  if (!name) return;
  const folder = join(settings.stateRoot, name);
  add(context, NOTES_NAME, prepared(join(folder, "context.md"), "context"));
  const snapshot = prepared(join(folder, "snapshot.md"), "snapshot");
  if (snapshot && isMeant(snapshot.head, sessionKey)) add(context, SNAPSHOT_NAME, snapshot);
}

function add(context, name, file) {
  if (!file || context.bootstrapFiles.some((one) => one?.name === name)) return;
  const path = typeof file.head.path === "string" ? file.head.path : file.path;
  const entry = { name, path, content: file.content, missing: false };
  // A new list: the host may keep the one it gave us for the session's next runs.
  context.bootstrapFiles = [...context.bootstrapFiles, entry];
}

// A file of ours: one line with facts about it, then what the agent sees. Null unless it is whole.
function prepared(path, kind) {
  let text;
  try {
    text = readSmall(path);
  } catch {
    return null;
  }
  const found = /^<!-- totalrecall:(\w+) (\{[^\n]*\}) -->\r?\n/.exec(text);
  if (!found || found[1] !== kind) return null;
  // The next line may be bookkeeping, too.
  const content = text.slice(found[0].length).replace(/^<!-- view [^\n]*-->\n/, "");
  if (!content.trim() || content.length > HOST_FILE_UNITS) return null;
  try {
    return { path, head: JSON.parse(found[2]), content };
  } catch {
    return null;
  }
}

function isMeant(head, sessionKey) {
  const until = Date.parse(head.expiresAt ?? "");
  if (!(until > Date.now())) return false;
  return !head.sessionKey || String(head.sessionKey).toLowerCase() === String(sessionKey).toLowerCase();
}

// ---- A session ends or is compacted: start the program ----

function wake(settings, event, command) {
  const key = parts(event.context?.sessionKey ?? event.sessionKey);
  if (!key || isMachine(key.rest)) return;
  const name = agentName(settings, event, key);
  if (name) request(settings, name, command);
}

// One process per agent at a time; what is asked for meanwhile is started once, when it has ended.
function request(settings, name, command) {
  const run = RUNS.get(name) ?? { running: false, child: null, startedAt: 0, waiting: null, timer: null };
  RUNS.set(name, run);
  const now = Date.now();
  const busy = run.running && now - run.startedAt < STUCK_AFTER_MS;
  const wait = run.startedAt + MIN_GAP_MS - now;
  if (!busy && !(wait > 0 && wait <= MIN_GAP_MS)) {
    start(settings, name, command, run);
    return;
  }
  if (run.waiting === null || STRENGTH[command] > STRENGTH[run.waiting]) run.waiting = command;
  if (!busy) later(settings, name, run, wait);
}

function later(settings, name, run, waitMs) {
  if (run.timer !== null) return;
  run.timer = setTimeout(() => {
    run.timer = null;
    const command = run.waiting;
    run.waiting = null;
    if (command !== null) request(settings, name, command);
  }, Math.max(0, waitMs));
  run.timer.unref();
}

function start(settings, name, command, run) {
  run.startedAt = Date.now();
  run.running = true;
  // Starting a process copies the page tables of the gateway: 45 ms with 1.5 GB in use. The host does not wait
  // for that.
  setImmediate(() => launch(settings, name, command, run));
}

function launch(settings, name, command, run) {
  try {
    const [program, ...before] = settings.command;
    const child = spawn(program, [...before, command, "--agent", name], {
      cwd: "/",
      detached: true,
      env: environment(settings),
      stdio: "ignore",
    });
    run.child = child;
    const ended = () => {
      if (run.child !== child) return;
      run.running = false;
      if (run.waiting !== null) later(settings, name, run, run.startedAt + MIN_GAP_MS - Date.now());
    };
    // Without a listener a program that is not there would end the gateway.
    child.once("error", ended);
    child.once("exit", ended);
    child.unref();
  } catch {
    run.running = false;
  }
}

// Where things are is what it was when the hook was installed, whatever the gateway's own environment says.
function environment(settings) {
  const env = { ...process.env };
  for (const [name, value] of Object.entries(settings.env ?? {})) {
    if (typeof value === "string") env[name] = value;
    else delete env[name];
  }
  return env;
}
