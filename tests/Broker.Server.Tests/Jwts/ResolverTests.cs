using System.Net;
using System.Text;
using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Jwts;

public sealed class ResolverTests : IDisposable
{
    private const string Update = "$SYS.REQ.CLAIMS.UPDATE";
    private const string Violation = "-ERR 'Authorization Violation'\n";
    private const string Unlimited = JwtSite.NoLimits + ",";

    private readonly ResolverSite _site = new();

    public void Dispose() => _site.Dispose();

    [Fact]
    public async Task An_account_is_read_from_its_file_when_its_first_client_connects()
    {
        await using BrokerServer server = await _site.StartAsync();
        using ResolverClient early = _site.Connect(server.EndPoints[0], _site.Main);
        Assert.Equal(Violation, early.End());
        _site.Write(_site.Main, _site.Account(_site.Main) + "\n");

        using ResolverClient client = _site.Connect(server.EndPoints[0], _site.Main);

        Assert.Equal("", client.Sync());
    }

    public static TheoryData<string, string> Damages => new()
    {
        { "half", "its JWT is refused: it does not consist of three parts in base64url" },
        { "empty", "its JWT is refused: it does not consist of three parts in base64url" },
        { "changed", "its JWT is refused: its signature is wrong" },
        { "stranger", "its JWT is refused: \"iss\" is not a key of an operator of this server" },
        { "other", "its JWT is refused: \"sub\" is SYSTEM" },
        { "large", "its file is longer than 524288 bytes" },
    };

    [Theory]
    [MemberData(nameof(Damages))]
    public async Task A_damaged_file_refuses_the_users_of_its_account_only_and_stays_as_it_is(string damage, string why)
    {
        var log = new LogCapture();
        string good = _site.Account(_site.Main);
        string bad = damage switch
        {
            "half" => good[..(good.Length / 3)],
            "empty" => "",
            "changed" => good[..^4] + "AAAA",
            "stranger" => JwtKey.ForOperator().Sign(_site.Main.Public, Unlimited + "\"type\":\"account\",\"version\":2"),
            "other" => _site.Account(_site.Keys.System),
            _ => new string('x', 600_000),
        };
        _site.Write(_site.Main, bad);
        var second = JwtKey.ForAccount();
        _site.Write(second, _site.Account(second));
        await using BrokerServer server = await _site.StartAsync(configure: o => o.Logger = log);
        using ResolverClient refused = _site.Connect(server.EndPoints[0], _site.Main);
        Assert.Equal(Violation, refused.End());
        using ResolverClient good2 = _site.Connect(server.EndPoints[0], second);
        Assert.Equal("", good2.Sync());

        Assert.Contains(log.All, line => line.Contains($"Account {_site.Main}: {why.Replace("SYSTEM", _site.Keys.System.Public, StringComparison.Ordinal)}", StringComparison.Ordinal));
        Assert.Equal(bad, await File.ReadAllTextAsync(_site.FileOf(_site.Main), TestContext.Current.CancellationToken));
        using ResolverClient system = _site.ConnectSystem(server.EndPoints[0]);
        Assert.StartsWith("data ", system.Request(Update, good), StringComparison.Ordinal);
        using ResolverClient healed = _site.Connect(server.EndPoints[0], _site.Main);
        Assert.Equal("", healed.Sync());
    }

    [Fact]
    public async Task An_update_is_on_the_disk_when_it_is_acknowledged_and_a_refused_one_changes_nothing()
    {
        _site.Write(_site.Main, _site.Account(_site.Main));
        await using BrokerServer server = await _site.StartAsync();
        using ResolverClient system = _site.ConnectSystem(server.EndPoints[0]);
        string next = _site.Account(_site.Main, later: 7);
        Assert.Contains("jwt updated", system.Request(Update, next), StringComparison.Ordinal);
        Assert.Equal(next, await File.ReadAllTextAsync(_site.FileOf(_site.Main), TestContext.Current.CancellationToken));

        string stranger = JwtKey.ForOperator().Sign(_site.Main.Public, Unlimited + "\"type\":\"account\",\"version\":2", issued: 1_900_000_000);
        Assert.StartsWith("error ", system.Request(Update, stranger), StringComparison.Ordinal);
        Assert.StartsWith("error ", system.Request(Update, _site.Account(_site.Main, later: 6)), StringComparison.Ordinal);
        Assert.StartsWith("error ", system.Request(Update, _site.Account(_site.Main, "\"limits\":{\"conn\":\"x\"},", later: 9)), StringComparison.Ordinal);
        Assert.Equal(next, await File.ReadAllTextAsync(_site.FileOf(_site.Main), TestContext.Current.CancellationToken));
        Assert.Empty(_site.Directory.EnumerateFiles("*.tmp"));
    }

    [Fact]
    public async Task An_update_that_cannot_be_written_is_refused_and_has_no_effect()
    {
        await using BrokerServer server = await _site.StartAsync();
        using ResolverClient system = _site.ConnectSystem(server.EndPoints[0]);
        _site.Directory.CreateSubdirectory(_site.Main + ".jwt");
        File.WriteAllText(Path.Combine(_site.Directory.FullName, _site.Main + ".jwt", "x"), "");

        Assert.Contains("the JWT cannot be stored", system.Request(Update, _site.Account(_site.Main)), StringComparison.Ordinal);
        using ResolverClient client = _site.Connect(server.EndPoints[0], _site.Main);
        Assert.Equal(Violation, client.End());
    }

    [Fact]
    public async Task The_clients_that_came_last_are_closed_when_the_limit_of_the_account_is_lowered()
    {
        _site.Write(_site.Main, _site.Account(_site.Main));
        await using BrokerServer server = await _site.StartAsync();
        using ResolverClient system = _site.ConnectSystem(server.EndPoints[0]);
        var clients = new List<ResolverClient>();
        for (int i = 0; i < 6; i++)
        {
            clients.Add(_site.Connect(server.EndPoints[0], _site.Main));
            Assert.Equal("", clients[i].Sync());
        }

        system.Request(Update, _site.Account(_site.Main, JwtSite.NoLimits.Replace("\"conn\":-1", "\"conn\":2", StringComparison.Ordinal) + ",", later: 1));

        Assert.All(clients[2..], static c => Assert.Equal("-ERR 'maximum account active connections exceeded'\n", c.End()));
        Assert.All(clients[..2], static c => Assert.Equal("", c.Sync()));
        clients.ForEach(static c => c.Dispose());
    }

    [Fact]
    public async Task An_update_that_has_expired_closes_the_clients_of_the_account()
    {
        _site.Write(_site.Main, _site.Account(_site.Main));
        await using BrokerServer server = await _site.StartAsync();
        using ResolverClient system = _site.ConnectSystem(server.EndPoints[0]);
        using ResolverClient client = _site.Connect(server.EndPoints[0], _site.Main);
        Assert.Equal("", client.Sync());

        system.Request(Update, _site.Keys.Operator.Sign(_site.Main.Public, Unlimited + "\"type\":\"account\",\"version\":2", "\"exp\":1700000009,", 1_700_000_005));

        Assert.Equal("-ERR 'Account Authentication Expired'\n", client.End());
    }

    [Fact]
    public async Task Users_of_a_signing_key_that_is_taken_away_are_closed_and_others_are_not()
    {
        var signing = JwtKey.ForAccount();
        _site.Write(_site.Main, _site.Account(_site.Main, $"{Unlimited}\"signing_keys\":[\"{signing}\"],"));
        await using BrokerServer server = await _site.StartAsync();
        using ResolverClient system = _site.ConnectSystem(server.EndPoints[0]);
        using ResolverClient other = _site.Connect(server.EndPoints[0], _site.Main);
        using var signed = new ResolverClient(
            server.EndPoints[0], _site.Keys.UserJwt(_site.User, $"{JwtSite.NoUserLimits},\"issuer_account\":\"{_site.Main}\",", signer: signing), _site.User);
        Assert.Equal(("", ""), (other.Sync(), signed.Sync()));

        system.Request(Update, _site.Account(_site.Main, later: 1));

        Assert.Equal(Violation, signed.End());
        Assert.Equal("", other.Sync());
    }

    [Fact]
    public async Task Imports_of_connected_clients_begin_and_end_with_updates()
    {
        var exporter = JwtKey.ForAccount();
        const string Exports = Unlimited + "\"exports\":[{\"subject\":\"s.>\",\"type\":\"stream\"},{\"subject\":\"q\",\"type\":\"service\"}],";
        string imports = $"{Unlimited}\"imports\":[{{\"subject\":\"s.>\",\"type\":\"stream\",\"account\":\"{exporter}\"}},{{\"subject\":\"q\",\"type\":\"service\",\"account\":\"{exporter}\"}}],";
        _site.Write(_site.Main, _site.Account(_site.Main, imports));
        await using BrokerServer server = await _site.StartAsync();
        using ResolverClient system = _site.ConnectSystem(server.EndPoints[0]);
        using ResolverClient importer = _site.Connect(server.EndPoints[0], _site.Main);
        importer.Raw.Send("SUB s.> 1\r\n");
        importer.Sync();
        Assert.Equal("no responders", importer.Request("q"));

        // The exporter did not exist until now.
        system.Request(Update, _site.Account(exporter, Exports));
        using ResolverClient from = _site.Connect(server.EndPoints[0], exporter);
        from.Raw.Send("SUB q 1\r\nPUB s.a 1\r\nx\r\n");
        from.Sync();
        Assert.Equal("MSG s.a 1 1\r\nx\r\n", importer.Raw.Sync(1));
        importer.Raw.Send("PUB q 1\r\ny\r\n");
        importer.Sync();
        Assert.EndsWith("\r\ny\r\n", from.Raw.Sync(1), StringComparison.Ordinal);

        // From the answer on, nothing passes.
        system.Request(Update, _site.Account(exporter, later: 1));
        from.Raw.Send("PUB s.a 1\r\nz\r\n");
        from.Sync();
        Assert.Equal("", importer.Sync());
        Assert.Equal("no responders", importer.Request("q"));

        system.Request(Update, _site.Account(exporter, Exports, later: 2));
        from.Raw.Send("PUB s.a 1\r\nw\r\n");
        from.Sync();
        Assert.Equal("MSG s.a 1 1\r\nw\r\n", importer.Raw.Sync(1));
    }

    [Fact]
    public async Task A_directory_of_nats_server_opens_as_it_is()
    {
        using (NatsServer theirs = _site.StartTheirs(NewerNatsServers.Sid, "full"))
        {
            using ResolverClient pushed = _site.ConnectSystem(theirs.EndPoint);
            Assert.Contains("jwt updated", pushed.Request(Update, _site.Account(_site.Main)), StringComparison.Ordinal);
        }

        await using BrokerServer server = await _site.StartAsync();
        using ResolverClient system = _site.ConnectSystem(server.EndPoints[0]);
        using ResolverClient client = _site.Connect(server.EndPoints[0], _site.Main);
        Assert.Equal("", client.Sync());
        Assert.Equal($"list {string.Join(',', new[] { _site.Main.Public, _site.Keys.System.Public }.Order(StringComparer.Ordinal))}", system.Request("$SYS.REQ.CLAIMS.LIST"));
    }

    [Fact]
    public async Task Many_clients_of_one_account_wait_for_one_lookup_at_a_URL()
    {
        int port = FreePort.Next();
        using var web = new HttpListener();
        web.Prefixes.Add($"http://127.0.0.1:{port}/accounts/");
        web.Start();
        int asked = 0;
        var release = new TaskCompletionSource();
        Task serve = ServeAsync();
        await using BrokerServer server = await _site.StartAsync(configure: o =>
        {
            o.SystemAccount = null;
            o.Operator = new OperatorOptions
            {
                Operators = [_site.Keys.OperatorJwt()],
                Resolver = new UrlResolver(new Uri($"http://127.0.0.1:{port}/accounts/")) { Timeout = TimeSpan.FromMinutes(1) },
            };
        });
        ResolverClient[] clients = [.. Enumerable.Range(0, 20).Select(_ => _site.Connect(server.EndPoints[0], _site.Main))];
        await Wait.UntilAsync(() => Volatile.Read(ref asked) == 1, "the account is asked for");
        release.SetResult();

        Assert.All(clients, static c => Assert.Equal("", c.Sync()));
        Assert.Equal(1, asked);
        using ResolverClient nobody = _site.Connect(server.EndPoints[0], JwtKey.ForAccount());
        Assert.Equal(Violation, nobody.End());
        web.Stop();
        await serve;
        Array.ForEach(clients, static c => c.Dispose());

        async Task ServeAsync()
        {
            while (web.IsListening)
            {
                HttpListenerContext context;
                try
                {
                    context = await web.GetContextAsync();
                }
                catch (Exception e) when (e is HttpListenerException or ObjectDisposedException)
                {
                    return;
                }

                bool isKnown = context.Request.Url!.AbsolutePath == $"/accounts/{_site.Main}";
                context.Response.StatusCode = isKnown ? 200 : 404;
                if (isKnown)
                {
                    Interlocked.Increment(ref asked);
                    await release.Task;
                    context.Response.OutputStream.Write(Encoding.ASCII.GetBytes(_site.Account(_site.Main)));
                }

                context.Response.Close();
            }
        }
    }

    [Fact]
    public async Task Only_users_of_pinned_accounts_and_of_the_system_account_may_connect()
    {
        var other = JwtKey.ForAccount();
        _site.Write(_site.Main, _site.Account(_site.Main));
        _site.Write(other, _site.Account(other));
        await using BrokerServer server = await _site.StartAsync(configure: o => o.Operator = new OperatorOptions
        {
            Operators = o.Operator!.Operators,
            Resolver = o.Operator.Resolver,
            PinnedAccounts = [_site.Main.Public],
        });
        using ResolverClient pinned = _site.Connect(server.EndPoints[0], _site.Main);
        using ResolverClient system = _site.ConnectSystem(server.EndPoints[0]);
        using ResolverClient refused = _site.Connect(server.EndPoints[0], other);

        Assert.Equal(("", "", Violation), (pinned.Sync(), system.Sync(), refused.End()));
    }

    [Fact]
    public async Task A_cache_without_room_forgets_the_account_that_was_not_used_for_the_longest_time()
    {
        JwtKey[] accounts = [.. Enumerable.Range(0, 4).Select(static _ => JwtKey.ForAccount())];
        await using BrokerServer server = await _site.StartAsync(new DirectoryResolver(_site.Directory.FullName) { IsCache = true, Limit = 3 });
        foreach (JwtKey account in accounts)
        {
            _site.Write(account, _site.Account(account));
            using ResolverClient client = _site.Connect(server.EndPoints[0], account);
            Assert.Equal("", client.Sync());
        }

        await Wait.UntilAsync(() => server.InspectAccounts().Count(a => a.Name.Length > 50) <= 4, "accounts without clients are released");
    }

    public static TheoryData<string, string> WrongResolvers => new()
    {
        { "file", "The directory of the resolver cannot be used: " },
        { "no system account", "A resolver with a directory needs a system account: name it in the options or in the JWT of the operator." },
        { "unknown system account", "The system account is to be 'KEY', but the resolver does not find it. The log has the reason." },
        { "limit", "The resolver with the directory 'DIR' is wrong: Limit must be more than 0." },
        { "lifetime", "The resolver with the directory 'DIR' is wrong: only a cache has a Lifetime." },
        { "url", "The URL of the resolver is not an address that begins with \"http://\" or \"https://\"." },
        { "pinned", "A pinned account is not the public key of an account: 56 characters that begin with 'A'." },
    };

    [Theory]
    [MemberData(nameof(WrongResolvers))]
    public async Task A_resolver_that_cannot_work_stops_the_start_with_the_reason(string what, string why)
    {
        var unknown = JwtKey.ForAccount();
        string file = Path.Combine(_site.Directory.FullName, "file");
        await File.WriteAllTextAsync(file, "x", TestContext.Current.CancellationToken);
        DirectoryResolver resolver = what switch
        {
            "file" => new DirectoryResolver(file),
            "limit" => new DirectoryResolver(_site.Directory.FullName) { Limit = 0 },
            "lifetime" => new DirectoryResolver(_site.Directory.FullName) { Lifetime = TimeSpan.FromHours(1) },
            _ => new DirectoryResolver(_site.Directory.FullName),
        };

        ArgumentException e = await Assert.ThrowsAsync<ArgumentException>(() => _site.StartAsync(resolver, o =>
        {
            o.SystemAccount = what is "no system account" ? null : what is "unknown system account" ? unknown.Public : o.SystemAccount;
            o.Operator = new OperatorOptions
            {
                Operators = o.Operator!.Operators,
                Resolver = what is "url" ? new UrlResolver(new Uri("ftp://x/")) : resolver,
                PinnedAccounts = what is "pinned" ? ["x"] : [],
            };
        }));

        Assert.StartsWith(why.Replace("KEY", unknown.Public, StringComparison.Ordinal).Replace("DIR", _site.Directory.FullName, StringComparison.Ordinal), e.Message, StringComparison.Ordinal);
    }
}
