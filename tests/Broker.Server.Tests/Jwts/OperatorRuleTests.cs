using Broker.Server.Tests.Harness;
using Broker.Testing;
using Broker.Transport;

namespace Broker.Server.Tests.Jwts;

public sealed class OperatorRuleTests
{
    private const string Violation = "-ERR 'Authorization Violation'\r\n";
    private const string Unlimited = JwtSite.NoLimits + ",";
    private const string OfUser = JwtSite.NoUserLimits + ",";

    private readonly JwtSite _site = new();
    private readonly JwtKey _user = JwtKey.ForUser();
    private readonly JwtKey _signing = JwtKey.ForAccount();

    [Fact]
    public async Task A_strict_operator_accepts_only_what_signing_keys_have_signed()
    {
        var operatorSigning = JwtKey.ForOperator();
        string operatorJwt = _site.OperatorJwt($"\"strict_signing_key_usage\":true,\"signing_keys\":[\"{operatorSigning}\"],");
        string claims = $"{Unlimited}\"signing_keys\":[\"{_signing}\"],\"type\":\"account\",\"version\":2";
        await using BrokerServer server = await StartAsync([operatorJwt], operatorSigning.Sign(_site.Account.Public, claims));
        using RawClient good = Connect(server, _site.UserJwt(_user, $"{OfUser}\"issuer_account\":\"{_site.Account}\",", signer: _signing));
        using RawClient bad = Connect(server, _site.UserJwt(_user));

        Assert.Equal(("", Violation), (good.Sync(), bad.ReadToEnd()));
        ArgumentException e = await Assert.ThrowsAsync<ArgumentException>(() => StartAsync([operatorJwt], _site.AccountJwt(_site.Account)));
        Assert.Equal($"The JWT of account {_site.Account} is refused: \"iss\" is not a key of an operator of this server.", e.Message);
    }

    [Fact]
    public async Task A_trusted_key_takes_the_place_of_the_JWT_of_an_operator()
    {
        await using BrokerServer server = await Servers.StartAsync(o =>
        {
            o.SignatureVerifier = TestSignatures.One;
            o.AuthTimeout = Wait.Limit;
            o.Operator = new OperatorOptions { TrustedKeys = [_site.Operator.Public], Accounts = JwtSite.ByAccount(_site.AccountJwt(_site.Account)) };
        });
        using RawClient client = Connect(server, _site.UserJwt(_user));

        Assert.Equal("", client.Sync());
    }

    [Fact]
    public async Task An_operator_key_is_rotated_under_connected_users()
    {
        var second = JwtKey.ForOperator();
        string both = _site.OperatorJwt($"\"signing_keys\":[\"{second}\"],");
        string account = second.Sign(_site.Account.Public, Unlimited + "\"type\":\"account\",\"version\":2");
        var left = JwtKey.ForAccount();
        await using BrokerServer server = await StartAsync([_site.OperatorJwt()], _site.AccountJwt(_site.Account), _site.AccountJwt(left));
        using RawClient stays = Connect(server, _site.UserJwt(_user));
        using RawClient goes = Connect(server, _site.UserJwt(_user, signer: left));
        Assert.Equal(("", ""), (stays.Sync(), goes.Sync()));

        await server.ReloadAsync(o => o.Operator = Options([both], account, _site.AccountJwt(left)));
        Assert.Equal(("", ""), (stays.Sync(), goes.Sync()));

        // The old key is gone. The account that it has signed is refused by name, and the server keeps its options.
        string rotated = second.Sign(second.Public, "\"type\":\"operator\",\"version\":2");
        ArgumentException e = await Assert.ThrowsAsync<ArgumentException>(() => server.ReloadAsync(o => o.Operator = Options([rotated], account, _site.AccountJwt(left))));
        Assert.StartsWith($"The JWT of account {left} is refused: \"iss\"", e.Message, StringComparison.Ordinal);
        Assert.Equal(("", ""), (stays.Sync(), goes.Sync()));

        await server.ReloadAsync(o => o.Operator = Options([rotated], account));
        Assert.Equal(("", "-ERR 'Account Authentication Expired'\r\n"), (stays.Sync(), goes.ReadToEnd()));
        using RawClient later = Connect(server, _site.UserJwt(_user));
        Assert.Equal("", later.Sync());
    }

    [Fact]
    public async Task A_CONNECT_that_is_longer_than_the_control_line_says_so()
    {
        await using BrokerServer server = await StartAsync([_site.OperatorJwt()], o => o.MaxControlLine = 1024, _site.AccountJwt(_site.Account));
        string tags = $"\"tags\":[\"{new string('x', 2000)}\"],";
        using RawClient client = Connect(server, _site.UserJwt(_user, OfUser + tags));

        Assert.Equal("-ERR 'maximum control line exceeded'\r\n", client.ReadToEnd());
    }

    [Fact]
    public async Task An_import_needs_the_key_of_its_account_at_the_position_that_the_export_names()
    {
        var importer = JwtKey.ForAccount();
        var other = JwtKey.ForAccount();
        string exports = $"{Unlimited}\"exports\":[{{\"subject\":\"to.*.>\",\"type\":\"stream\",\"account_token_position\":2}}],";
        string Import(JwtKey subject) => $"{Unlimited}\"imports\":[{{\"subject\":\"to.{subject}.>\",\"type\":\"stream\",\"account\":\"{_site.Account}\"}}],";
        await using BrokerServer server = await StartAsync(
            [_site.OperatorJwt()], _site.AccountJwt(_site.Account, exports), _site.AccountJwt(importer, Import(importer)), _site.AccountJwt(other, Import(importer)));
        using RawClient from = Connect(server, _site.UserJwt(_user));
        using RawClient to = Connect(server, _site.UserJwt(_user, signer: importer));
        using RawClient not = Connect(server, _site.UserJwt(_user, signer: other));
        to.Send($"SUB to.{importer}.> 1\r\n");
        not.Send($"SUB to.{importer}.> 1\r\n");
        Assert.Equal(("", ""), (to.Sync(), not.Sync()));

        from.Send($"PUB to.{importer}.a 1\r\nx\r\n");
        from.Sync();

        Assert.Equal($"MSG to.{importer}.a 1 1\r\nx\r\n", to.Sync(1));
        Assert.Equal("", not.Sync());
    }

    [Fact]
    public async Task An_import_begins_and_ends_with_the_times_of_its_activation()
    {
        var time = new VirtualTime();
        long now = time.GetUtcNow().ToUnixTimeSeconds();
        var importer = JwtKey.ForAccount();
        string exports = $"{Unlimited}\"exports\":[{{\"subject\":\"s\",\"type\":\"stream\",\"token_req\":true}}],";
        string token = _site.Account.Sign(importer.Public, "\"subject\":\"s\",\"kind\":\"stream\",\"type\":\"activation\",\"version\":2", $"\"nbf\":{now + 10},\"exp\":{now + 20},");
        string imports = $"{Unlimited}\"imports\":[{{\"subject\":\"s\",\"type\":\"stream\",\"account\":\"{_site.Account}\",\"token\":\"{token}\"}}],";
        await using BrokerServer server = await StartAsync(
            [_site.OperatorJwt()],
            o => o.LoopOptions = new EventLoopOptions { TimeProvider = time },
            _site.AccountJwt(_site.Account, exports),
            _site.AccountJwt(importer, imports));
        using RawClient from = Connect(server, _site.UserJwt(_user));
        using RawClient to = Connect(server, _site.UserJwt(_user, signer: importer));
        to.Send("SUB s 1\r\n");
        to.Sync();

        Assert.Equal("", Heard("a"));
        time.Advance(TimeSpan.FromSeconds(10));
        await Wait.UntilAsync(() => Heard("b").Contains("MSG s 1 1\r\nb\r\n", StringComparison.Ordinal), "the import has begun");
        time.Advance(TimeSpan.FromSeconds(10));
        await Wait.UntilAsync(() => Heard("c").Length == 0, "the import has ended");

        string Heard(string body)
        {
            from.Send($"PUB s 1\r\n{body}\r\n");
            from.Sync();
            return to.Sync().Replace("PING\r\n", "", StringComparison.Ordinal);
        }
    }

    private static OperatorOptions Options(IReadOnlyList<string> operators, params string[] accounts)
        => new() { Operators = operators, Accounts = JwtSite.ByAccount(accounts) };

    private static Task<BrokerServer> StartAsync(IReadOnlyList<string> operators, params string[] accounts)
        => StartAsync(operators, static _ => { }, accounts);

    private static Task<BrokerServer> StartAsync(IReadOnlyList<string> operators, Action<BrokerServerOptions> configure, params string[] accounts)
        => Servers.StartAsync(o =>
        {
            o.SignatureVerifier = TestSignatures.One;
            o.AuthTimeout = Wait.Limit;
            o.Operator = Options(operators, accounts);
            configure(o);
        });

    private RawClient Connect(BrokerServer server, string jwt)
    {
        var client = new RawClient(server.EndPoints[0]);
        using var json = System.Text.Json.JsonDocument.Parse(client.ReadLine()["INFO ".Length..]);
        client.SendWhatGoes(JwtSite.Connect(jwt, _user, json.RootElement.GetProperty("nonce").GetString()!));
        return client;
    }
}
