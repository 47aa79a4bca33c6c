// Reads and makes tokens with the official JavaScript library: see ../README.md.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { decode, encodeAccount, encodeOperator, encodeUser, fmtCreds, newScopedSigner, parseCreds } from "@nats-io/jwt";
import { createAccount, createOperator, createUser, fromSeed } from "@nats-io/nkeys";

function check(token) {
  const claims = decode(token);
  const read = { kind: claims.nats.type, sub: claims.sub, iss: claims.iss, name: claims.name };
  if (claims.nats.pub?.allow?.length > 0) {
    read.allow = claims.nats.pub.allow.join(",");
  }
  return read;
}

async function checkFile(file) {
  const creds = await parseCreds(readFileSync(file));
  return { ...check(creds.jwt), key: fromSeed(new TextEncoder().encode(creds.key)).getPublicKey() };
}

async function mint() {
  const [operator, account, role, user, scoped] = [createOperator(), createAccount(), createAccount(), createUser(), createUser()];
  const limits = { subs: -1, data: -1, payload: -1 };
  const operatorJwt = await encodeOperator("theirs", operator);
  const accountJwt = await encodeAccount(
    "theirs",
    account,
    {
      limits: { ...limits, imports: -1, exports: -1, wildcards: true, conn: -1, leaf: -1 },
      signing_keys: [newScopedSigner(role, "role", { ...limits, pub: { allow: ["plant.>"] } })],
    },
    { signer: operator },
  );
  const userJwt = await encodeUser("theirs", user, account, { ...limits, pub: { allow: ["plant.>"] } });
  const scopedJwt = await encodeUser("theirs", scoped, role, { issuer_account: account.getPublicKey() }, { scopedUser: true });
  const text = (bytes) => new TextDecoder().decode(bytes);
  return {
    operator: operatorJwt,
    account: accountJwt,
    key: account.getPublicKey(),
    user: text(fmtCreds(userJwt, user)),
    scoped: text(fmtCreds(scopedJwt, scoped)),
  };
}

console.log("READY");
for await (const line of createInterface({ input: process.stdin })) {
  const [word, ...rest] = line.split(" ");
  let answer;
  try {
    answer = word === "check" ? check(rest.join(" ")) : word === "file" ? await checkFile(rest.join(" ")) : await mint();
  } catch (e) {
    answer = { error: `${e.message}` };
  }
  console.log(JSON.stringify(answer));
}
