using System.Diagnostics;
using System.Globalization;
using System.Net;
using System.Text.Json;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Jwts;

/// <summary>
/// Random operators, accounts, users and updates; a model of the claims decides who may connect, publish and subscribe.
/// </summary>
/// <remarks>
/// <c>BROKER_CHAIN_SECONDS</c> is the length of a run, 3 s by default, and <c>BROKER_CHAIN_THEIRS</c> the number of users
/// that are put to nats-server too, 60 by default. A long run also checks that each claim has decided often.
/// </remarks>
public sealed class ChainPropertyTests
{
    private const int UsersOfWorld = 30;
    private const int Enough = 1000;
    private const int LongRun = 3600;

    // The claims whose decisions are counted.
    private static readonly string[] Claims =
    [
        "account exp", "account nbf", "allowed_connection_types", "bearer_token", "default_permissions", "disallow_bearer", "exp", "iss",
        "issuer_account", "nbf", "payload", "pub.allow", "pub.deny", "revocations", "revocations of all", "sig", "signing_keys",
        "signing_keys with a scope", "src", "strict_signing_key_usage", "sub.allow", "sub.deny", "subs", "template", "times",
    ];

    private readonly Dictionary<string, (long Lets, long Refuses)> _decided = new(StringComparer.Ordinal);
    private long _users;

    private static int Seconds => Number("BROKER_CHAIN_SECONDS", 3);

    [Fact]
    public async Task The_server_decides_as_the_model_does()
    {
        int seed = Seed.Next();
        var time = Stopwatch.StartNew();
        int theirs = Number("BROKER_CHAIN_THEIRS", 60);
        do
        {
            await RunWorldAsync(seed++, alsoTheirs: theirs > 0);
            theirs -= UsersOfWorld;
        }
        while (time.Elapsed.TotalSeconds < Seconds);

        string table = string.Join('\n', _decided.OrderBy(static d => d.Key, StringComparer.Ordinal).Select(static d => $"{d.Key}: {d.Value.Lets} accepted, {d.Value.Refuses} refused"));
        TestContext.Current.TestOutputHelper?.WriteLine($"{_users} users\n{table}");
        if (Seconds >= LongRun)
        {
            Assert.All(Claims, claim => Assert.True(_decided.GetValueOrDefault(claim) is { Lets: >= Enough, Refuses: >= Enough }, $"{claim} decided too seldom\n{table}"));
        }
    }

    private static int Number(string variable, int otherwise)
        => int.TryParse(Environment.GetEnvironmentVariable(variable), NumberStyles.None, CultureInfo.InvariantCulture, out int number) ? number : otherwise;

    private async Task RunWorldAsync(int seed, bool alsoTheirs)
    {
        var random = new Random(seed);
        var site = new JwtSite();
        var signing = JwtKey.ForOperator();
        bool isStrict = random.Next(3) == 0;
        string operatorJwt = site.OperatorJwt($"\"signing_keys\":[\"{signing}\"],\"strict_signing_key_usage\":{(isStrict ? "true" : "false")},");
        ChainAccount[] accounts = [.. Enumerable.Range(0, 3).Select(_ => new ChainAccount(random, site, isStrict || random.Next(2) == 0 ? signing : site.Operator, isStrict))];
        await using BrokerServer server = await BrokerServer.StartAsync(
            o =>
            {
                o.Listen(0);
                o.SignatureVerifier = TestSignatures.One;
                o.AuthTimeout = Wait.Limit;
                o.Operator = Options(operatorJwt, accounts);
            },
            TestContext.Current.CancellationToken);
        ChainUser[] users = [.. Enumerable.Range(0, UsersOfWorld).Select(_ => new ChainUser(random, accounts[random.Next(accounts.Length)]))];
        var connected = new List<(ChainUser User, RawClient Client, List<string> Filters)>();
        try
        {
            int steps = random.Next();
            foreach (ChainUser user in users)
            {
                Play(user, server.EndPoints[0], new Random(steps), $"seed {seed}", connected);
            }

            if (alsoTheirs)
            {
                PlayTheirs(operatorJwt, accounts, users, steps, seed);
            }

            await UpdateAsync(server, operatorJwt, accounts, random, connected, seed);
        }
        finally
        {
            connected.ForEach(static c => c.Client.Dispose());
        }
    }

    private void PlayTheirs(string operatorJwt, ChainAccount[] accounts, ChainUser[] users, int steps, int seed)
    {
        string preload = string.Join('\n', accounts.Select(static a => $"{a.Key}: \"{a.Jwt()}\""));
        string text = $"authorization {{ timeout: 60 }}\noperator: \"{operatorJwt}\"\nresolver: MEMORY\nresolver_preload {{\n{preload}\n}}\n";
        using var server = NatsServer.StartWithConfiguration(text, NewerNatsServers.Require(NewerNatsServers.Sid), []);
        foreach (ChainUser user in users)
        {
            Play(user, server.EndPoint, new Random(steps), $"nats-server, seed {seed}", null);
        }
    }

    // New claims of the accounts: users whom the model refuses now are closed, and all others stay.
    private async Task UpdateAsync(
        BrokerServer server, string operatorJwt, ChainAccount[] accounts, Random random, List<(ChainUser User, RawClient Client, List<string> Filters)> connected, int seed)
    {
        Array.ForEach(accounts, a => a.Change(random));
        await server.ReloadAsync(o => o.Operator = Options(operatorJwt, accounts));
        foreach ((ChainUser user, RawClient client, List<string> filters) in connected)
        {
            // A subscription that is not allowed any more is removed before the rest is counted.
            bool isFull = user.Terms() is { MaxSubscriptions: >= 0 and var most } terms && filters.Count(f => terms.Subscribe(f).Lets) > most;
            bool stays = user.Login().All(static c => c.Lets) && !isFull;
            client.SendWhatGoes("PING\r\n");
            string heard = client.ReadToPong();
            bool isOpen = !heard.Contains("Authentication", StringComparison.Ordinal) && !heard.Contains("Authorization", StringComparison.Ordinal)
                && !heard.Contains("maximum subscriptions", StringComparison.Ordinal);
            Assert.True(stays == isOpen, $"update, seed {seed}: {user} with {string.Join(' ', filters)}: the model says {(stays ? "stays" : "is closed")}, the server says {heard}");
            if (isOpen)
            {
                string subject = ChainTerms.Subject(random, false);
                client.SendWhatGoes($"PUB {subject} 1\r\nx\r\n");
                Compare(user.Terms().Publish(subject, user.Account.Denied), client.Sync(), $"update, seed {seed}: {user}, who heard {heard}: publish to {subject}", isCounted: true);
            }
        }
    }

    private void Play(ChainUser user, EndPoint server, Random random, string about, List<(ChainUser User, RawClient Client, List<string> Filters)>? connected)
    {
        bool isOurs = connected is not null;
        var client = new RawClient(server);
        bool keeps = false;
        try
        {
            using var info = JsonDocument.Parse(client.ReadLine()["INFO ".Length..]);
            client.SendWhatGoes(user.Connect(info.RootElement.GetProperty("nonce").GetString()!));
            client.SendWhatGoes("PING\r\n");
            // A user with a payload limit receives another INFO.
            string heard = string.Concat(client.ReadToPong().Split('\n').Where(static line => !line.StartsWith("INFO ", StringComparison.Ordinal)));
            (string Claim, bool Lets)[] login = [.. user.Login()];
            bool lets = Array.TrueForAll(login, static c => c.Lets);
            Assert.True(
                lets == (heard.Length == 0),
                $"{about}: the model says {(lets ? "connected" : $"refused by {string.Join(", ", login.Where(static c => !c.Lets).Select(static c => c.Claim))}")}, the server says {heard}");
            if (isOurs)
            {
                Count(login, lets);
            }

            var filters = new List<string>();
            keeps = lets && Use(user, client, random, about, isOurs, filters) && isOurs;
            if (keeps)
            {
                connected!.Add((user, client, filters));
            }
        }
        finally
        {
            if (!keeps)
            {
                client.Dispose();
            }
        }
    }

    // Returns false if the client has been closed.
    private bool Use(ChainUser user, RawClient client, Random random, string about, bool isCounted, List<string> filters)
    {
        ChainTerms terms = user.Terms();
        for (int i = 0; i < 3; i++)
        {
            string filter = ChainTerms.Subject(random, true);
            client.SendWhatGoes($"SUB {filter} {i}\r\n");
            string heard = client.Sync();
            (string claim, bool lets) = terms.Subscribe(filter);
            bool isFull = lets && terms.MaxSubscriptions >= 0 && filters.Count >= terms.MaxSubscriptions;
            Compare(isFull || (lets && terms.MaxSubscriptions >= 0) ? ("subs", !isFull) : (claim, lets), heard, $"{about}: subscribe to {filter}", isCounted);
            if (isFull)
            {
                return false;
            }

            if (lets)
            {
                filters.Add(filter);
            }
        }

        for (int i = 0; i < 3; i++)
        {
            string subject = ChainTerms.Subject(random, false);
            client.SendWhatGoes($"PUB {subject} 1\r\nx\r\n");
            Compare(terms.Publish(subject, user.Account.Denied), client.Sync(), $"{about}: publish to {subject}", isCounted);
        }

        if (random.Next(2) > 0)
        {
            return true;
        }

        bool isLong = random.Next(2) == 0;
        client.SendWhatGoes(isLong ? "PUB zz 5\r\n12345\r\n" : "PUB zz 4\r\n1234\r\n");
        string said = client.Sync();
        if (terms.MaxPayload >= 0)
        {
            Compare(("payload", !isLong), said.Contains("Maximum Payload", StringComparison.Ordinal) ? said : "", $"{about}: payload", isCounted);
        }

        return terms.MaxPayload < 0 || !isLong;
    }

    // Messages to the client's own subscriptions are no errors.
    private void Compare((string Claim, bool Lets) model, string heard, string about, bool isCounted)
    {
        bool isRefused = heard.Contains("-ERR", StringComparison.Ordinal);
        Assert.True(model.Lets != isRefused, $"{about}: the model says that {model.Claim} {(model.Lets ? "lets" : "refuses")}, the server says {heard}");
        if (isCounted)
        {
            Add(model.Claim, model.Lets);
        }
    }

    // An accepted login counts for all claims that it needed, and a refused one for the only claim that refuses it.
    private void Count((string Claim, bool Lets)[] login, bool lets)
    {
        _users++;
        foreach ((string claim, bool good) in login)
        {
            if (lets || (!good && login.Count(static c => !c.Lets) == 1))
            {
                Add(claim, lets);
            }
        }
    }

    private void Add(string claim, bool lets)
    {
        (long accepted, long refused) = _decided.GetValueOrDefault(claim);
        _decided[claim] = lets ? (accepted + 1, refused) : (accepted, refused + 1);
    }

    private static OperatorOptions Options(string operatorJwt, ChainAccount[] accounts)
        => new() { Operators = [operatorJwt], Accounts = JwtSite.ByAccount(accounts.Select(static a => a.Jwt())) };
}
