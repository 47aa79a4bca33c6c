using Broker.Server.Tests.Harness;

namespace Broker.Server.Tests.Jwts;

public sealed class AccountLinkTests
{
    private readonly JwtSite _site = new();
    private readonly JwtKey _user = JwtKey.ForUser();
    private readonly JwtKey _one = JwtKey.ForAccount();
    private readonly JwtKey _two = JwtKey.ForAccount();
    private readonly JwtKey _three = JwtKey.ForAccount();

    [Fact]
    public async Task A_cycle_of_imports_only_voids_the_import_that_closes_it()
    {
        var log = new LogCapture();
        await using BrokerServer server = await StartAsync(log, Exporter(_one, _two), Exporter(_two, _three), Exporter(_three, _one));
        using RawClient one = Connect(server, _one);
        using RawClient two = Connect(server, _two);
        using RawClient three = Connect(server, _three);
        foreach (RawClient client in new[] { one, two, three })
        {
            client.Send("SUB s.> 1\r\n");
            client.Sync();
        }

        // "one" imports from "two", and "two" from "three". The import of "three" would close the cycle.
        three.Send("PUB s.a 1\r\nx\r\n");
        Assert.Equal("MSG s.a 1 1\r\nx\r\n", three.Sync(1));
        Assert.Equal("MSG s.a 1 1\r\nx\r\n", two.Sync(1));
        two.Send("PUB s.a 1\r\nz\r\n");
        Assert.Equal("MSG s.a 1 1\r\nz\r\n", two.Sync(1));
        Assert.Equal("MSG s.a 1 1\r\nz\r\n", one.Sync(1));
        one.Send("PUB s.a 1\r\ny\r\n");
        Assert.Equal("MSG s.a 1 1\r\ny\r\n", one.Sync(1));
        Assert.Equal("", three.Sync());
        Assert.Contains(log.All, line => line.Contains($"Account {_three} imports 's.>' of {_one} without effect: it would close a cycle of imports", StringComparison.Ordinal));
    }

    [Fact]
    public async Task An_import_that_closed_a_cycle_takes_effect_when_the_cycle_is_open()
    {
        await using BrokerServer server = await StartAsync(new LogCapture(), Exporter(_one, _two), Exporter(_two, _three), Exporter(_three, _one));
        using RawClient one = Connect(server, _one);
        using RawClient three = Connect(server, _three);
        three.Send("SUB s.> 1\r\n");
        three.Sync();

        await server.ReloadAsync(o => o.Operator = Options(Exporter(_one, null), Exporter(_two, _three), Exporter(_three, _one)));

        one.Send("PUB s.a 1\r\ny\r\n");
        one.Sync();
        Assert.Equal("MSG s.a 1 1\r\ny\r\n", three.Sync(1));
    }

    [Fact]
    public async Task The_signature_of_an_account_is_verified_once_for_a_start_and_its_reloads()
    {
        var verifier = new CountingVerifier();
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.SignatureVerifier = verifier;
            o.Operator = Options(_site.AccountJwt(_one), _site.AccountJwt(_two));
        });
        Assert.Equal(2, verifier.OfAccounts(_site));

        await server.ReloadAsync(o => o.Operator = Options(_site.AccountJwt(_one), _site.AccountJwt(_two), _site.AccountJwt(_three)));
        Assert.Equal(3, verifier.OfAccounts(_site));
    }

    private string Exporter(JwtKey account, JwtKey? from)
    {
        string imports = from is null ? "" : $"\"imports\":[{{\"subject\":\"s.>\",\"type\":\"stream\",\"account\":\"{from}\"}}],";
        return _site.AccountJwt(account, $"{JwtSite.NoLimits},\"exports\":[{{\"subject\":\"s.>\",\"type\":\"stream\"}}],{imports}");
    }

    private OperatorOptions Options(params string[] accounts)
        => new() { Operators = [_site.OperatorJwt()], Accounts = JwtSite.ByAccount(accounts) };

    private RawClient Connect(BrokerServer server, JwtKey account)
    {
        var client = new RawClient(server.EndPoints[0]);
        using var json = System.Text.Json.JsonDocument.Parse(client.ReadLine()["INFO ".Length..]);
        client.Send(JwtSite.Connect(_site.UserJwt(_user, signer: account), _user, json.RootElement.GetProperty("nonce").GetString()!));
        return client;
    }

    private Task<BrokerServer> StartAsync(LogCapture log, params string[] accounts)
        => Servers.StartAsync(o =>
        {
            o.Logger = log;
            o.SignatureVerifier = TestSignatures.One;
            o.AuthTimeout = Wait.Limit;
            o.Operator = Options(accounts);
        });

    private sealed class CountingVerifier : ISignatureVerifier
    {
        private readonly List<string> _seen = [];

        public bool Verify(ReadOnlySpan<byte> publicKey, ReadOnlySpan<byte> message, ReadOnlySpan<byte> signature)
        {
            _seen.Add(System.Text.Encoding.ASCII.GetString(message));
            return TestSignatures.One.Verify(publicKey, message, signature);
        }

        // The JWT of the operator is verified each time.
        internal int OfAccounts(JwtSite site) => _seen.Count(text => !site.OperatorJwt().StartsWith(text, StringComparison.Ordinal));
    }
}
