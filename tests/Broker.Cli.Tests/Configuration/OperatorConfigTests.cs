using Broker.Cli.Configuration;

namespace Broker.Cli.Tests.Configuration;

public sealed class OperatorConfigTests : IDisposable
{
    private readonly JwtSite _site = new();
    private readonly TemporaryFolder _folder = new();

    public void Dispose() => _folder.Dispose();

    [Fact]
    public void A_file_of_nsc_is_read_with_its_operator_and_accounts()
    {
        string jwt = _site.OperatorJwt();
        string file = _folder.Write("op.jwt", $"-----BEGIN NATS OPERATOR JWT-----\n{jwt}\n------END NATS OPERATOR JWT------\n");
        string account = _site.AccountJwt(_site.Account);

        ServeSettings settings = Bind($"operator: \"{file}\"\nresolver: MEMORY\nsystem_account: {_site.Account}\nresolver_preload {{ {_site.Account}: \"{account}\" }}");

        Assert.Equal([jwt], settings.Security!.Operator!.Operators);
        Assert.Equal((account, _site.Account.Public), (settings.Security.Operator.Accounts[_site.Account.Public], settings.Security.SystemAccount));
        Assert.True(settings.Security.IsRequired);
    }

    [Theory]
    [InlineData("accounts { A { } }", "\"operator\" and \"accounts\" cannot be combined: JWTs identify all accounts and users at test.conf:4:")]
    [InlineData("authorization { users: [ { user: a, password: p } ] }", "\"operator\" and \"users\" cannot be combined: JWTs identify all accounts and users at test.conf:4:")]
    [InlineData("authorization { token: t }", "\"operator\" and \"token\" cannot be combined: JWTs identify all accounts and users at test.conf:4:")]
    [InlineData("resolver: URL(\"http://a/\")", "\"resolver\" must be MEMORY: the JWTs of accounts are in \"resolver_preload\" of this file at test.conf:")]
    [InlineData("resolver { type: full, dir: \"x\" }", "\"resolver\" must be MEMORY: the JWTs of accounts are in \"resolver_preload\" of this file at test.conf:")]
    public void What_nats_server_refuses_beside_an_operator_is_refused(string more, string why)
        => Assert.Contains(Problems($"operator: \"{_site.OperatorJwt()}\"\nresolver: MEMORY\nresolver_preload {{ }}\n{more}"), p => p.StartsWith(why, StringComparison.Ordinal));

    [Fact]
    public void A_wrong_JWT_is_refused_with_its_account_and_claim_and_is_not_shown()
    {
        string wrong = _site.AccountJwt(_site.Account, "\"limits\":{\"conn\":\"1\"},");

        string problem = Assert.Single(Problems($"operator: \"{_site.OperatorJwt()}\"\nresolver: MEMORY\nresolver_preload {{ {_site.Account}: \"{wrong}\" }}"));

        Assert.StartsWith($"The JWT of account {_site.Account} is refused: \"nats.limits.conn\" must be a whole number at test.conf:1:", problem, StringComparison.Ordinal);
        Assert.DoesNotContain("eyJ", problem, StringComparison.Ordinal);
    }

    private static IEnumerable<string> Problems(string text)
        => Assert.Throws<ConfigException>(() => Bind(text)).Problems.Select(static p => p.ToString());

    private static ServeSettings Bind(string text) => ServeConfig.Bind(Parsing.Parse(text), new ServeSettings());
}
