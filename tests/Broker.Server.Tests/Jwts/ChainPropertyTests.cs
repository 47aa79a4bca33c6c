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
/// that are put to nats-server too, 60 by default. With more, it also decides about shared subjects. A long run also checks
/// that each claim has decided often.
/// </remarks>
public sealed class ChainPropertyTests
{
    private const int UsersOfWorld = 30;
    private const int Enough = 1000;
    private const int LongRun = 3000;
    private const int FewTheirs = 60;

    // The claims whose decisions are counted.
    private static readonly string[] Claims =
    [
        "account exp", "account nbf", "account_token_position", "allowed_connection_types", "bearer_token",
        "default_permissions", "disallow_bearer", "exp", "exp of an activation", "exports", "exports of services",
        "exports of streams", "imports", "iss", "iss of an activation", "iss of an update", "issuer_account",
        "kind of an activation", "limits.conn", "limits.exports", "limits.imports", "limits.payload", "limits.subs",
        "limits.wildcards", "mappings", "max of resp", "nbf", "nbf of an activation", "payload", "pub.allow",
        "pub.deny", "resp", "response_type", "revocations", "revocations of all", "revocations of all of an export",
        "revocations of an export", "sig", "signing_keys", "signing_keys with a scope", "src",
        "strict_signing_key_usage", "sub of an activation", "sub.allow", "sub.deny", "subject of an activation",
        "subs", "tags", "template", "times", "token_req", "ttl of resp",
    ];

    private readonly ChainCounts _counts = new();
    private long _users;
    private long _messages;

    private static int Seconds => Number("BROKER_CHAIN_SECONDS", 3);

    [Fact]
    public async Task The_server_decides_as_the_model_does()
    {
        int seed = Seed.Next();
        var time = Stopwatch.StartNew();
        int theirs = Number("BROKER_CHAIN_THEIRS", FewTheirs);
        // Accounts that share subjects take nats-server seconds.
        bool alsoShared = theirs > FewTheirs;
        do
        {
            await RunWorldAsync(seed, alsoTheirs: theirs > 0);
            await RunSharedAsync(seed++, alsoTheirs: alsoShared && theirs > 0);
            theirs -= UsersOfWorld;
        }
        while (time.Elapsed.TotalSeconds < Seconds);

        TestContext.Current.TestOutputHelper?.WriteLine($"{_users} users, {_messages} questions about shared subjects\n{_counts.Table}");
        if (Seconds >= LongRun)
        {
            Assert.All(Claims, claim => Assert.True(_counts.Of(claim) is { Lets: >= Enough, Refuses: >= Enough }, $"{claim} decided too seldom\n{_counts.Table}"));
        }
    }

    private async Task RunSharedAsync(int seed, bool alsoTheirs)
    {
        using var site = new ResolverSite();
        await using (BrokerServer server = await site.StartAsync(configure: static o => o.LoopOptions = o.LoopOptions with { Loops = 1 }))
        {
            var world = new SharedWorld(seed, isGentle: alsoTheirs, _counts);
            world.Play(site, server.EndPoints[0], "this server", isOurs: true);
            _messages += world.Questions;
        }

        if (alsoTheirs)
        {
            foreach (FileInfo file in site.Directory.EnumerateFiles())
            {
                file.Delete();
            }

            using NatsServer theirs = site.StartTheirs(NewerNatsServers.Sid, "full", timeout: "20ms");
            new SharedWorld(seed, isGentle: true, counts: null).Play(site, theirs.EndPoint, "nats-server", isOurs: false);
        }
    }

    private static int Number(string variable, int otherwise)
        => int.TryParse(Environment.GetEnvironmentVariable(variable), NumberStyles.None, CultureInfo.InvariantCulture, out int number) ? number : otherwise;

    private async Task RunWorldAsync(int seed, bool alsoTheirs)
    {
        var random = new Random(seed);
        using var files = new ResolverSite();
        JwtSite site = files.Keys;
        var signing = JwtKey.ForOperator();
        bool isStrict = random.Next(3) == 0;
        string operatorJwt = site.OperatorJwt($"\"signing_keys\":[\"{signing}\"],\"strict_signing_key_usage\":{(isStrict ? "true" : "false")},");
        ChainAccount[] accounts = [.. Enumerable.Range(0, 3).Select(_ => new ChainAccount(random, isStrict || random.Next(2) == 0 ? signing : site.Operator, isStrict))];
        // Half of the servers have a resolver with a directory and receive updates by requests, the others are reloaded.
        bool hasResolver = random.Next(2) == 0;
        var systemKey = JwtKey.ForAccount();
        string? system = hasResolver ? signing.Sign(site.System.Public, $"{JwtSite.NoLimits},\"signing_keys\":[\"{systemKey}\"],\"type\":\"account\",\"version\":2") : null;
        await using BrokerServer server = await BrokerServer.StartAsync(
            o =>
            {
                o.Listen(0);
                o.SignatureVerifier = TestSignatures.One;
                o.AuthTimeout = Wait.Limit;
                o.Operator = Options(operatorJwt, accounts, system, hasResolver ? new DirectoryResolver(files.Directory.FullName) : null);
                o.SystemAccount = hasResolver ? site.System.Public : null;
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

            if (hasResolver)
            {
                var user = JwtKey.ForUser();
                using var client = new ResolverClient(server.EndPoints[0], site.UserJwt(user, $"{JwtSite.NoUserLimits},\"issuer_account\":\"{site.System}\",", signer: systemKey), user);
                ChangeByRequests(client, accounts, random);
            }
            else
            {
                Array.ForEach(accounts, a => a.Change(random));
                await server.ReloadAsync(o => o.Operator = Options(operatorJwt, accounts));
            }

            CheckUpdated(random, connected, seed);
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

    // A JWT that a stranger has signed changes nothing, whether it would permit more or less.
    private static void ChangeByRequests(ResolverClient client, ChainAccount[] accounts, Random random)
    {
        foreach (ChainAccount account in accounts)
        {
            if (random.Next(4) == 0)
            {
                string revocations = random.Next(2) == 0 ? ",\"revocations\":{\"*\":1799999999}" : "";
                string forged = account.Unlisted.Sign(account.Key.Public, $"{JwtSite.NoLimits}{revocations},\"type\":\"account\",\"version\":2", issued: 1_799_999_999);
                Assert.StartsWith("error", client.Request("$SYS.REQ.CLAIMS.UPDATE", forged), StringComparison.Ordinal);
            }
            else
            {
                account.Change(random);
                Assert.StartsWith("data", client.Request("$SYS.REQ.CLAIMS.UPDATE", account.Jwt()), StringComparison.Ordinal);
            }
        }
    }

    // Users whom the model refuses now are closed, and all others stay.
    private void CheckUpdated(Random random, List<(ChainUser User, RawClient Client, List<string> Filters)> connected, int seed)
    {
        foreach ((ChainUser user, RawClient client, List<string> filters) in connected)
        {
            // A subscription that is not allowed any more is removed before the rest is counted.
            bool isFull = user.Subscriptions().Max is >= 0 and var most && filters.Count(f => user.Terms().Subscribe(f).Lets) > most;
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
                _users++;
                _counts.Add(login);
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
            (string limit, int most) = user.Subscriptions();
            bool isFull = lets && most >= 0 && filters.Count >= most;
            Compare(lets && most >= 0 ? (limit, !isFull) : (claim, lets), heard, $"{about}: subscribe to {filter}", isCounted);
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
            string subject = i == 2 ? user.TemplateSubject(random) : ChainTerms.Subject(random, false);
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
        (string payload, int bytes) = user.Payload();
        if (bytes >= 0)
        {
            Compare((payload, !isLong), said.Contains("Maximum Payload", StringComparison.Ordinal) ? said : "", $"{about}: payload", isCounted);
        }

        return bytes < 0 || !isLong;
    }

    // Messages to the client's own subscriptions are no errors.
    private void Compare((string Claim, bool Lets) model, string heard, string about, bool isCounted)
    {
        bool isRefused = heard.Contains("-ERR", StringComparison.Ordinal);
        Assert.True(model.Lets != isRefused, $"{about}: the model says that {model.Claim} {(model.Lets ? "lets" : "refuses")}, the server says {heard}");
        if (isCounted)
        {
            _counts.Add(model.Claim, model.Lets);
        }
    }

    private static OperatorOptions Options(string operatorJwt, ChainAccount[] accounts, string? more = null, DirectoryResolver? resolver = null)
        => new()
        {
            Operators = [operatorJwt],
            Accounts = JwtSite.ByAccount([.. accounts.Select(static a => a.Jwt()), .. more is null ? [] : new[] { more }]),
            Resolver = resolver,
        };
}
